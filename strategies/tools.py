"""What strategies may ask for while they cut: counters, borders, exact counts of slices, vectors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock

import numpy as np
import numpy.typing as npt

from strategies.counting import EMBEDDER_UNITS, Borders, Counter, counter_of
from strategies.document import Document
from strategies.errors import refuse
from strategies.rulers import Ruler
from strategies.strategy import Vectors

TOKENS = "cl100k_base"
"""The unit of `Chunk.tokens`: one currency for every strategy."""


class Tools:
    """The tools of a run, safe to share between threads.

    Rulers are kept by document and unit, the last used ones, up to `characters_held` characters of
    their texts (about 8 bytes a unit and the text itself).
    """

    def __init__(
        self,
        *,
        counters: Mapping[str, Counter] | None = None,
        embed: Callable[[Sequence[str]], Vectors] | None = None,
        characters_held: int = 50_000_000,
    ) -> None:
        """`counters`: those of the embedder, under `embedder` and `embedder+special`."""
        self._counters = dict(counters or {})
        self._embed = embed
        self._characters_held = characters_held
        self._rulers: OrderedDict[tuple[str, str], Ruler] = OrderedDict()
        self._lock = Lock()

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
        key = (document.id, unit)
        with self._lock:
            held = self._rulers.get(key)
            # The text itself is compared, not its hash: two documents may share an id between data sets.
            if held is not None and (held.text is document.text or held.text == document.text):
                self._rulers.move_to_end(key)
                return held
        ruler = Ruler(document.text, self.counter(unit))
        with self._lock:
            self._rulers[key] = ruler
            self._rulers.move_to_end(key)
            held_characters = sum(len(other.text) for other in self._rulers.values())
            while held_characters > self._characters_held and len(self._rulers) > 1:
                held_characters -= len(self._rulers.popitem(last=False)[1].text)
        return ruler

    def borders(self, document: Document, unit: str) -> Borders:
        """`counter(unit).borders(document.text)`, read-only, computed once."""
        return self.ruler(document, unit).borders

    def tokens(self, document: Document, starts: npt.ArrayLike, ends: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Tokens of the whole document's cl100k tokenisation that start inside each range.

        `starts` and `ends` are code points of one shape, which the answer has too. These numbers
        add up: ranges that share nothing share no token.
        """
        firsts = self.borders(document, TOKENS)[:-1]
        return np.searchsorted(firsts, np.asarray(ends)) - np.searchsorted(firsts, np.asarray(starts))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32, shape (len(texts), dim), rows of unit length. Raises BadInput without an embedder."""
        if self._embed is None:
            raise refuse("embedder", "this strategy cuts by meaning and needs an embedder", "Name one")
        return self._embed(texts)
