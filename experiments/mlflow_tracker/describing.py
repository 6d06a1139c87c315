"""What a sweep is judged by, kept as tags of its experiment, which MLflow writes one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from experiments.mlflow_tracker.client import SWEEP
from experiments.mlflow_tracker.writing import MAX_TAG


def write_description(client: Any, experiment_id: str, text: str) -> None:
    """Keep a text in parts that MLflow does not cut; replaces what was kept."""
    parts = [text[start : start + MAX_TAG] for start in range(0, len(text), MAX_TAG)]
    for index, part in enumerate(parts):
        client.set_experiment_tag(experiment_id, f"{SWEEP}.{index}", part)
    client.set_experiment_tag(experiment_id, SWEEP, f"{len(parts)} {_digest(text)}")


def read_description(tags: Mapping[str, str]) -> str | None:
    """The text in the tags of an experiment; None where there is none, or only a part of one.

    Whoever is killed while writing leaves parts that do not fit the hash.
    """
    count, _, digest = tags.get(SWEEP, "").partition(" ")
    names = [f"{SWEEP}.{index}" for index in range(int(count) if count.isdecimal() else 0)]
    text = "".join(tags.get(name, "") for name in names)
    return text if _digest(text) == digest else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
