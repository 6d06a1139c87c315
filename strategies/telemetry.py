"""Libraries that report their use to those who made them: off, unless the user has turned it on."""

from __future__ import annotations

import os

OFF = {
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "RAGAS_DO_NOT_TRACK": "true",
}
"""Environment variable -> the value with which its library reports nothing."""


def telemetry_off() -> None:
    """Set what is not set. Every door to such a library calls this before it opens: some read it once."""
    for name, value in OFF.items():
        os.environ.setdefault(name, value)
