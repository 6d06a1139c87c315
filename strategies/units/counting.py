"""How long a text is, in a named unit, and where the units lie in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
import numpy.typing as npt

from strategies.errors import BadInput, Problem, nearest
from strategies.units.encodings import ENCODINGS, TokenCounter, encoding_problem, replace_surrogates

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Borders = npt.NDArray[np.int64]
"""Shape (n_units + 1,): code point at which each unit starts, never decreasing, then the length
of the text. A unit that starts inside a character counts as starting at that character."""

AddsUp = Literal["anywhere", "before_spaces", "nowhere"]
"""Where a text may be cut so that the counts of its parts add up to the count of the whole, for
certain: between any two characters, before a space (U+0020) that follows a printing character,
or nowhere that could be told in advance."""

EMBEDDER_UNITS = ("embedder", "embedder+special")
"""Units that need an embedder: its own pieces, without and with the special tokens it adds."""

_WORD = re.compile(r"\S+")


class Counter(Protocol):
    """Counts a text in one unit."""

    @property
    def unit(self) -> str:
        """The unit's name in a sweep file."""

    @property
    def overhead(self) -> int:
        """Units that `count` adds to every text, such as special tokens; `borders` leaves them out."""

    @property
    def adds_up(self) -> AddsUp:
        """Where counts of parts are known to add up."""

    @property
    def per_character(self) -> int | None:
        """Units that one character makes at most, an ASCII character one; None where that is not known."""

    def count(self, text: str) -> int:
        """Units in `text`, taken on its own."""

    def borders(self, text: str) -> Borders:
        """Where each unit of `text` starts. `len(borders(text)) - 1 + overhead == count(text)`."""


@dataclass(frozen=True, slots=True)
class CharacterCounter:
    """Unicode code points: what `len` says."""

    unit: str = "characters"
    overhead: int = 0
    adds_up: AddsUp = "anywhere"
    per_character: int = 1

    def count(self, text: str) -> int:
        """Code points of `text`."""
        return len(text)

    def borders(self, text: str) -> Borders:
        """0, 1, 2 ... up to the length."""
        return np.arange(len(text) + 1, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class WordCounter:
    """Runs of characters that are not white space."""

    unit: str = "words"
    overhead: int = 0
    adds_up: AddsUp = "before_spaces"
    per_character: int = 1

    def count(self, text: str) -> int:
        """Words of `text`; a cut word counts as a word."""
        return len(text.split())

    def borders(self, text: str) -> Borders:
        """First letter of every word, so that white space belongs to the word before it."""
        starts = [word.start() for word in _WORD.finditer(text)]
        return np.array([*starts, len(text)], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class OffsetCounter:
    """An embedder's own tokenizer, seen through the character offsets of its pieces.

    A piece that the tokenizer does not know (`[UNK]`) hides what it stands for: one that is wider
    than a character counts its characters, or a document in a foreign script would look short.
    """

    unit: str
    """`embedder`, or `embedder+special` where `specials` are to count."""
    offsets: Callable[[str], npt.ArrayLike]
    """Text -> shape (n, 2): start and end code point of each piece, special tokens left out and
    nothing truncated; or shape (n, 3), whose third column is 1 for a piece that is unknown."""
    specials: int = 0
    """How many special tokens the embedder adds to a text; counted by `count` alone."""
    adds_up: AddsUp = "nowhere"
    per_character: None = None
    """A normaliser may make several of one."""

    @property
    def overhead(self) -> int:
        """The special tokens."""
        return self.specials

    def count(self, text: str) -> int:
        """Pieces of `text`, unknown ones by their characters, and the special tokens."""
        return len(self.borders(text)) - 1 + self.specials

    def borders(self, text: str) -> Borders:
        """Start of every piece, and of every character of an unknown one."""
        pieces = np.asarray(self.offsets(replace_surrogates(text)), dtype=np.int64)
        if not pieces.size:
            return np.array([len(text)], dtype=np.int64)
        # Tokenizers that add a prefix space may start a piece before the one that precedes it.
        starts = np.maximum.accumulate(pieces[:, 0])
        if pieces.shape[1] == 3:
            widths = np.where(pieces[:, 2] > 0, np.maximum(pieces[:, 1] - pieces[:, 0], 1), 1)
            firsts = np.cumsum(widths) - widths
            within = np.arange(int(widths.sum())) - np.repeat(firsts, widths)
            starts = np.repeat(starts, widths) + within
        return np.append(starts, len(text))


def tokenizer_counter(tokenizer: Tokenizer, unit: str) -> OffsetCounter:
    """`embedder` or `embedder+special` for a Hugging Face tokenizer.

    Knows which pieces are unknown, and that BERT's tokenizers begin a word at every space. Works on a
    copy that neither truncates nor pads, as published tokenizers do.
    """
    described = json.loads(tokenizer.to_str())
    tokenizer = type(tokenizer).from_str(tokenizer.to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    unknown_token = described["model"].get("unk_token")
    unknown = -1 if unknown_token is None else tokenizer.token_to_id(unknown_token)
    if described["model"].get("unk_id") is not None:
        unknown = described["model"]["unk_id"]
    kinds = [(described[part] or {}).get("type") for part in ("normalizer", "pre_tokenizer")]
    bert = kinds[0] in (None, "BertNormalizer") and kinds[1] == "BertPreTokenizer"

    def offsets(text: str) -> npt.ArrayLike:
        encoding = tokenizer.encode(text, add_special_tokens=False)
        pieces = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
        return np.column_stack((pieces, np.array(encoding.ids, dtype=np.int64) == unknown))

    specials = tokenizer.num_special_tokens_to_add(False) if unit == "embedder+special" else 0
    return OffsetCounter(unit, offsets, specials, "before_spaces" if bert else "nowhere")


def unit_problem(unit: str) -> Problem | None:
    """What is wrong with the name of a unit, without loading anything."""
    known = ("characters", "words", *EMBEDDER_UNITS, *ENCODINGS)
    return None if unit in known else Problem("unit", f"{unit!r} is not a unit", nearest(unit, known))


def check_unit(unit: str, *, embedder: bool = True) -> Problem | None:
    """What is wrong with a unit, or None once its vocabulary is loaded; for use before any work.

    `embedder` says whether an embedder will be at hand. Never waits for a network that is not there.
    """
    if unit in EMBEDDER_UNITS and not embedder:
        return Problem(
            "unit", f"{unit} needs an embedder", "Name one, or use characters, words or cl100k_base"
        )
    return encoding_problem(unit) if unit in ENCODINGS else unit_problem(unit)


@cache
def counter_of(unit: str) -> Counter:
    """The counter of a unit that needs no embedder, loaded once. Raises BadInput."""
    problem = check_unit(unit, embedder=False)
    if problem is not None:
        raise BadInput([problem])
    if unit == "characters":
        return CharacterCounter()
    return WordCounter() if unit == "words" else TokenCounter(unit)
