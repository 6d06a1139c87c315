"""Whether a request is worth making again, and after what pause."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz
from random import Random

_FIRST_S = 0.5
_LONGEST_S = 30.0
"""Pauses of our own begin at the one, double, and end at the other."""

_PATIENCE_S = 120.0
"""An endpoint that asks for a longer pause is not waited for."""

_CHANCE = Random()
"""Of its own: a seed that someone sets is for other things."""

_BUSY = frozenset({408, 409, 429})
"""States that pass, beside those from 500 on."""


def pause_s(failed: int, status: int | None, headers: Mapping[str, str]) -> float | None:
    """Seconds to wait before a request that failed is made again; None where that would not help.

    `failed` counts the tries so far. `status` is that of the response, None where none came or it broke
    off. Of the headers (names in small letters, unless the map does not mind), `x-should-retry`,
    `retry-after-ms` and `retry-after` (seconds or a date, RFC 9110, 10.2.3) are obeyed. A pause of our own is
    up to a quarter shorter by chance, so that requests that failed together do not come again together.
    """
    asked_for = _asked_for_s(headers)
    if asked_for is not None and asked_for > _PATIENCE_S:
        return None
    told = headers.get("x-should-retry")
    if told == "false" or not (told == "true" or status is None or status in _BUSY or status >= 500):
        return None
    if asked_for is not None:
        return asked_for
    doubled = min(failed - 1, 60)  # beyond which a power of two is no use
    return min(_FIRST_S * 2.0**doubled, _LONGEST_S) * (1 - _CHANCE.random() / 4)


def _asked_for_s(headers: Mapping[str, str]) -> float | None:
    """Seconds until the endpoint wants to be asked again; None where it does not say so."""
    told = headers.get("retry-after", "")
    for text, unit_s in ((headers.get("retry-after-ms", ""), 0.001), (told, 1.0)):
        try:
            seconds = float(text) * unit_s
        except ValueError:
            continue
        return seconds if 0 < seconds < math.inf else None
    try:
        date = parsedate_tz(told)
        return None if date is None else max(mktime_tz(date) - time.time(), 0.0) or None
    except (ValueError, OverflowError):
        return None
