"""What of a document is compared with the texts that a library returns.

A *view* leaves out what the library changes, and knows where in the document each of its characters stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strategies.units.characters import code_points, is_white

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The characters of a document that are compared with what a library returns."""

    text: str
    """Those characters, in the order in which the library reads them."""
    starts: Positions
    """Shape (len(text),): the code point of the document at which each begins. Ascending, but where a
    library reads in another order than that of the document: there every `earliest` must be `after`."""
    ends: Positions
    """Shape (len(text),): the code point of the document before which each ends."""
    fold: Callable[[str], str]
    """Brings a library's text to the same form."""


def as_it_is(text: str) -> View:
    """The whole text; a piece is looked for without white space at its ends."""
    places = np.arange(len(text))
    return View(text, places, places + 1, str.strip)


def folded(text: str) -> View:
    r"""Every run of white space as one blank, none at the ends.

    >>> folded(" the\r\n gate ").text
    'the gate'
    """
    white = is_white(code_points(text))
    kept = ~white
    kept[1:] |= ~white[:-1]  # the first of every run of white space that follows something
    shown = _fold(text)
    places = np.flatnonzero(kept)[: len(shown)]  # without such a run at the end
    return View(shown, places, places + 1, _fold)


def printing(text: str) -> View:
    r"""No white space, and nothing else that does not print: for libraries that change both.

    >>> printing("a \u200db\n").text
    'ab'
    """
    shown = [place for place, mark in enumerate(text) if _prints(mark)]
    places = np.array(shown, dtype=np.int64)
    return View(_printed(text), places, places + 1, _printed)


def _fold(text: str) -> str:
    return " ".join(text.split())


def _printed(text: str) -> str:
    return "".join(filter(_prints, text))


def _prints(mark: str) -> bool:
    return mark.isprintable() and mark != " "
