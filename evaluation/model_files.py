"""Where the files of a model lie on this machine, and what they are, told without loading it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import struct
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from strategies.sizes import whole
from strategies.telemetry import telemetry_off

LIBRARIES = ("sentence-transformers", "transformers", "tokenizers", "torch")
"""What computes, and so decides what a model gives."""

_CONTENT = {".json", ".txt", ".safetensors", ".bin", ".model", ".py"}
"""Files of a model folder that decide what it gives."""

_WEIGHTS = ("model.safetensors", "pytorch_model.bin", "adapter_model.safetensors", "adapter_model.bin")
"""Files of weights, first the one that is taken first. One may be in parts, which its `.index.json` names."""

_TOKENIZERS = (
    "tokenizer.json", "vocab.txt", "vocab.json", "vocab.bpe", "merges.txt", "spiece.model", "spm.model",
    "sentencepiece.bpe.model", "sentencepiece.model", "tokenizer.model", "bpe.codes", "tekken.json",
    "source.spm", "prophetnet.tokenizer",
)  # fmt: skip
"""Files that hold the vocabulary of a tokenizer: one of them is enough."""

_NO_VOCABULARY = ("ByT5Tokenizer", "CanineTokenizer", "PerceiverTokenizer")
"""Tokenizers of bytes or characters, which have none."""

_OTHER_FORMATS = ["onnx/*", "openvino/*", "*.onnx", "*.h5", "*.ot", "*.msgpack", "*.gguf"]
"""The same weights once more, which are not fetched."""


Missing = Callable[[str], Exception]
"""Makes the error of a model that cannot be used from why it cannot."""


def model_folder(name: str, owner: str, missing: Missing) -> Path:
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


def check_files(folder: Path, missing: Missing) -> None:
    """Raise what `missing` makes where weights or tokenizer are not there.

    The library would make a tokenizer that knows no word, and see that there are no weights only at work.
    """
    forms = [folder / form for name in _WEIGHTS for form in (name, f"{name}.index.json")]
    weights = next((path for path in forms if path.is_file()), None)
    if weights is None:
        raise missing(f"has no weights: {folder} holds neither {_WEIGHTS[0]} nor {_WEIGHTS[1]}")
    if weights.suffix == ".json":
        parts = sorted(set(_weight_map(weights, missing).values()))
        if lost := [part for part in parts if not (folder / part).is_file()]:
            raise missing(f"is not whole: {weights.name} in {folder} names {lost[0]}, which is not there")
    kind = str(read_json(folder / "tokenizer_config.json", missing).get("tokenizer_class")).removesuffix(
        "Fast"
    )
    if kind not in _NO_VOCABULARY and not any((folder / name).is_file() for name in _TOKENIZERS):
        raise missing(f"has no tokenizer: {folder} holds no {_TOKENIZERS[0]}, nor another vocabulary")


def weight_names(folder: Path, missing: Missing) -> frozenset[str] | None:
    """Names of the weights, read from the head of a safetensors file or from an index; None without one."""
    path = folder / _WEIGHTS[0]
    if not path.is_file():
        return frozenset(_weight_map(folder / f"{path.name}.index.json", missing)) or None
    names: object = None
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length <= path.stat().st_size:
                names = json.loads(file.read(length))
    except (ValueError, struct.error):  # is said below
        pass
    if not isinstance(names, dict):
        raise missing(f"is damaged: {path} is no file of safetensors")
    return frozenset(names) - {"__metadata__"}


def _weight_map(index: Path, missing: Missing) -> dict[str, str]:
    """Weight -> file, as an index tells; empty where there is no index."""
    found = read_json(index, missing).get("weight_map")
    return {str(name): str(part) for name, part in found.items()} if isinstance(found, dict) else {}


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


def limit(folder: Path, missing: Missing) -> int | None:
    """Tokens that the library would let through: the model's own limit, else the smaller of two others."""
    own = whole(read_json(folder / "sentence_bert_config.json", missing).get("max_seq_length"))
    if own is not None:
        return own
    config, tokenizer = (
        read_json(folder / name, missing) for name in ("config.json", "tokenizer_config.json")
    )
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


def read_json(path: Path, missing: Missing) -> dict[str, Any]:
    """The map in a file of JSON, empty where there is none. Raises what `missing` makes of a broken file."""
    found = _read(path, missing) if path.is_file() else {}
    if not isinstance(found, dict):
        raise missing(f"is damaged: {path} holds no map")
    return found


class Module(NamedTuple):
    """A step of a sentence-transformers model."""

    kind: str
    """Its class, such as `Transformer`."""
    path: str
    """Of its files, inside the folder of the model."""


def modules_of(folder: Path, missing: Missing) -> list[Module]:
    """The steps in `modules.json`. Raises what `missing` makes of a broken one."""
    path = folder / "modules.json"
    found = _read(path, missing)
    if not isinstance(found, list) or not all(isinstance(module, dict) for module in found):
        raise missing(f"is damaged: {path} holds no list of modules")
    return [Module(str(one.get("type")).rpartition(".")[2], str(one.get("path") or "")) for one in found]


def _read(path: Path, missing: Missing) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise missing(f"is damaged: {path} is no JSON ({error})") from None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
