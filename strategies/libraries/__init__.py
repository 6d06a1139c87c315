"""Strategies of other libraries, each behind an extra. Nothing here imports one before it cuts."""

from __future__ import annotations

from strategies.libraries.library import Library

THIRD_PARTY: dict[str, type[Library]] = {}
"""Every strategy of a library, by the word that a sweep file uses."""

__all__ = ["THIRD_PARTY"]
