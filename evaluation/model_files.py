"""Where the files of a model lie on this machine, and what they are, told without loading it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from strategies.telemetry import telemetry_off

LIBRARIES = ("sentence-transformers", "transformers", "tokenizers", "torch")
"""What computes, and so decides what a model gives."""

_CONTENT = {".json", ".txt", ".safetensors", ".bin", ".model", ".py"}
"""Files of a model folder that decide what it gives."""

_OTHER_FORMATS = ["onnx/*", "openvino/*", "*.onnx", "*.h5", "*.ot", "*.msgpack", "*.gguf"]
"""The same weights once more, which are not fetched."""


def model_folder(name: str, owner: str, missing: Callable[[str], Exception]) -> Path:
    """The folder of a model: a folder, or one that the hub's cache holds or the hub gives.

    `owner` stands before a name that has none; `missing` makes the error from why there is no such model.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder.resolve()
    if name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise missing("is no folder on this machine")
    telemetry_off()
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    full = name if "/" in name else f"{owner}/{name}"
    try:
        return Path(snapshot_download(full, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError, OSError):
        pass
    try:
        return Path(snapshot_download(full, etag_timeout=5, ignore_patterns=_OTHER_FORMATS))
    except Exception as error:  # the hub's client raises many kinds: no network, no such model, no right
        raise missing(f"is not on this machine and could not be fetched ({type(error).__name__})") from None


def digests(folder: Path) -> list[str]:
    """One line a file that decides what the model gives: its SHA-256, two spaces, its path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in _CONTENT)
    return [f"{_sha256(path)}  {path.relative_to(folder).as_posix()}" for path in files]


def revision(lines: list[str]) -> str:
    """Hex digest of all files, from `digests`."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def fingerprint(*parts: str) -> str:
    """Hex digest of a model's revision, whatever else decides what it gives, and the libraries."""
    identity = [*parts, *(f"{name} {version(name)}" for name in LIBRARIES)]
    return hashlib.sha256("\n".join(identity).encode()).hexdigest()


def limit(folder: Path) -> int | None:
    """Tokens that the library would let through: the model's own limit, else the smaller of two others."""
    own = read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    if own is not None:
        return int(own)
    config, tokenizer = read_json(folder / "config.json"), read_json(folder / "tokenizer_config.json")
    limits = [config.get("max_position_embeddings"), tokenizer.get("model_max_length")]
    known = [int(limit) for limit in limits if isinstance(limit, (int, float)) and limit < 1e9]
    return min(known, default=None)


def device() -> str:
    """The device that a model will run on, told without loading torch.

    It is fixed here because times and backend are recorded under it.
    """
    if platform.system() == "Darwin" and platform.machine() == "arm64":
        return "mps"
    driver = Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi") is not None
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
    return "cuda" if driver and not hidden and "+cpu" not in version("torch") else "cpu"


def backend(on: str) -> str:
    """What computes on a device."""
    return f"torch {version('torch')} float32 on {on}"


def quiet() -> None:
    """Keep the libraries from talking to the terminal and to the hub; before they are imported."""
    telemetry_off()
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")


def read_json(path: Path) -> dict[str, Any]:
    """The map in a file of JSON; empty where there is none."""
    if not path.is_file():
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))
    return found if isinstance(found, dict) else {}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
