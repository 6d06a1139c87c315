"""What strategies may ask for while they cut: counters, borders, exact counts of slices, vectors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from strategies.document import Document
from strategies.errors import refuse
from strategies.outline import Outline, outline
from strategies.strategy import AnswerCheck, Vectors
from strategies.units.counting import EMBEDDER_UNITS, Borders, Counter, counter_of
from strategies.units.rulers import Meter, Ruler

if TYPE_CHECKING:
    from strategies.language_model.chat_model import ChatModel

T = TypeVar("T")

Chatting = Callable[["ChatModel", Iterable[str], AnswerCheck], list[str]]
"""Answers of a language model to prompts: `strategies.language_model.chat.Chat.answers`."""

Place = tuple[str, int, str]
"""Where a value is held: the document's id, the hash of its text, and what was found out."""

TOKENS = "cl100k_base"
"""The unit of `Chunk.tokens`: one currency for every strategy."""


class Tools:
    """The tools of a run, safe to share between threads.

    Rulers and outlines are kept by document, those last used, up to `characters_held` characters of
    their texts each (beside the text, some 16 bytes a unit, and up to 10 a character for parts found in it).
    """

    def __init__(
        self,
        *,
        counters: Mapping[str, Counter] | None = None,
        embed: Callable[[Sequence[str]], Vectors] | None = None,
        chat: Chatting | None = None,
        characters_held: int = 50_000_000,
    ) -> None:
        """`counters`: those of the embedder, under `embedder` and `embedder+special`."""
        self._counters = dict(counters or {})
        self._embed = embed
        self._chat = chat
        self._rulers: _Held[Ruler] = _Held(characters_held)
        self._outlines: _Held[Outline] = _Held(characters_held)
        self.open_account()

    def open_account(self) -> None:
        """From here on, `shared_ms` counts for another strategy."""
        self._shared = Meter()
        self._charged: set[Place] = set()

    @property
    def shared_ms(self) -> float:
        """Time that took, when it was done, what was found done since the account was opened.

        With it, a strategy costs the same whether it comes first or last. What only describes chunks,
        their tokens and sections, is charged to none.
        """
        return self._shared.ms

    def describe(self, document: Document) -> None:
        """Find out what describes the document's chunks, whatever cuts it."""
        self._describing(document)
        self.described(document)

    def counter(self, unit: str) -> Counter:
        """The counter of a unit. Raises BadInput if there is none."""
        if unit in self._counters:
            return self._counters[unit]
        if unit in EMBEDDER_UNITS:
            raise refuse(
                "unit", f"{unit} needs an embedder", "Name one, or use characters, words or cl100k_base"
            )
        return counter_of(unit)

    def ruler(self, document: Document, unit: str) -> Ruler:
        """Counts any slice of the document as `counter(unit)` would, without counting it all again."""
        ruler = self._charge(
            self._rulers.get(document, unit, lambda: Ruler(document.text, self.counter(unit)))
        )
        ruler.shared = self._shared
        return ruler

    def outline(self, document: Document) -> Outline:
        """The headings and pages of the document, read once."""
        return self._charge(self._outlines.get(document, document.media_type, lambda: outline(document)))

    def described(self, document: Document) -> Outline:
        """The outline that says what stands over a chunk, charged to none."""
        held = self._outlines.get(document, document.media_type, lambda: outline(document))
        held.waited_for = False
        return held.value

    def _describing(self, document: Document) -> Ruler:
        held = self._rulers.get(document, TOKENS, lambda: Ruler(document.text, self.counter(TOKENS)))
        held.waited_for = False
        return held.value

    def _charge(self, held: _Value[T]) -> T:
        """The value, charged once an account to those who did not wait for it."""
        if held.place not in self._charged:
            self._charged.add(held.place)
            if not held.waited_for:
                self._shared.ms += held.ms
            held.waited_for = False
        return held.value

    def borders(self, document: Document, unit: str) -> Borders:
        """`counter(unit).borders(document.text)`, read-only, computed once."""
        return self.ruler(document, unit).borders

    def tokens(self, document: Document, starts: npt.ArrayLike, ends: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Tokens of the whole document's cl100k tokenisation that start inside each range.

        `starts` and `ends` are code points of one shape, which the answer has too. These numbers
        add up: ranges that share nothing share no token.
        """
        firsts = self._describing(document).borders[:-1]
        return np.searchsorted(firsts, np.asarray(ends)) - np.searchsorted(firsts, np.asarray(starts))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32, shape (len(texts), dim), rows of unit length. Raises BadInput without an embedder."""
        if self._embed is None:
            raise refuse("embedder", "this strategy cuts by meaning and needs an embedder", "Name one")
        return self._embed(texts)

    def chat(self, model: ChatModel, prompts: Iterable[str], check: AnswerCheck) -> list[str]:
        """A language model's answers, in order. Raises ChatError, and BadInput without a way to ask."""
        if self._chat is None:
            raise refuse(
                "chat",
                "this strategy asks a language model",
                "Make the tools with Tools(chat=Chat().answers)",
            )
        return self._chat(model, prompts, check)


@dataclass(slots=True)
class _Value(Generic[T]):
    """Something that was found out about a document."""

    place: Place
    document: Document
    value: T
    ms: float
    """Time that it took."""
    waited_for: bool = True
    """Whether the one who asks now has waited for it."""


class _Held(Generic[T]):
    """The values last computed for documents, up to a number of characters of their texts."""

    def __init__(self, characters: int) -> None:
        self._room = characters
        self._values: OrderedDict[Place, _Value[T]] = OrderedDict()
        self._lock = Lock()

    def get(self, document: Document, key: str, compute: Callable[[], T]) -> _Value[T]:
        """The value held for the document, or a newly computed one."""
        # Parts of a document have its id; a text's hash is computed once.
        place = (document.id, hash(document.text), key)
        with self._lock:
            held = self._values.get(place)
            # Documents of different data sets may share an id: the text itself decides.
            if held is not None and (held.document is document or held.document == document):
                self._values.move_to_end(place)
                return held
        begin = perf_counter()
        value = compute()
        held = _Value(place, document, value, 1000 * (perf_counter() - begin))
        with self._lock:
            self._drop(self._values.pop(place, None))
            self._values[place] = held
            self._room -= _cost(document)
            while self._room < 0 and len(self._values) > 1:
                self._drop(self._values.popitem(last=False)[1])
        return held

    def _drop(self, held: _Value[T] | None) -> None:
        if held is not None:
            self._room += _cost(held.document)


def _cost(document: Document) -> int:
    """Characters that a document counts for; an empty one takes room too."""
    return max(len(document.text), 1)
