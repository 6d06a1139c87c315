"""Windows of a document that a model reads whole, for token vectors of texts past its limit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.embedding import Embedder

OVERLAP = 0.25
"""Share of a window that the next one repeats, so that a token stands at least half of this share away
from an edge of its window (but at the ends of the document)."""

LONGEST_TOKENS = 8192
"""Tokens of a window where the model names no limit: attention costs the square of them."""

LEAST_TOKENS = 8
"""Tokens of the document in a window: with fewer there is no context to speak of."""


class Window(NamedTuple):
    """A slice of a document; all positions are code points of the document."""

    start: int
    end: int
    first: int
    """Of the tokens that start from here ..."""
    last: int
    """... to before here, this is the window in which they stand furthest from an edge."""


def limit(embedder: Embedder) -> int:
    """Tokens of a window, prompt and special tokens included."""
    return LONGEST_TOKENS if embedder.limit_tokens is None else embedder.limit_tokens


def room(embedder: Embedder) -> int:
    """Tokens of a window that are the document's."""
    return limit(embedder) - int(embedder.sizes([embedder.prompt("passage")]).tokens[0])


def windows(text: str, embedder: Embedder) -> tuple[Window, ...]:
    """Overlapping windows over a text, in order; `first` and `last` part the text among them.

    Borders are borders of tokens of the whole text. A window is tokenised anew when it is embedded,
    and a word cut by its border may then take more tokens: windows are counted as they will be read,
    and shortened until they keep to the limit (a single character that alone is past it aside).
    Linear in the text. A text without tokens has no windows.

    >>> from evaluation.embedders.hashing import HashingEmbedder
    >>> [tuple(window) for window in windows("a b c d e f g h i j", HashingEmbedder(limit_tokens=8))]
    [(0, 16, 0, 14), (12, 19, 14, 19)]
    """
    starts = np.maximum.accumulate(embedder.token_offsets(text)[:, 0])
    if not len(starts):
        return ()
    # Several tokens may start at one character: `before[i]` of them start before `places[i]`.
    places, before = np.unique(starts, return_index=True)
    places, before = np.append(places, len(text)), np.append(before, len(starts))
    places[0] = 0
    prompt, most, held = embedder.prompt("passage"), limit(embedder), room(embedder)
    found: list[Window] = []
    first = at = 0
    while True:
        end = max(at + 1, int(np.searchsorted(before, before[at] + held, side="right")) - 1)
        while end > at + 1:
            counted = int(embedder.sizes([prompt + text[places[at] : places[end]]]).tokens[0])
            if counted <= most:
                break
            share = held / (held + counted - most)
            fitting = before[at] + int((before[end] - before[at]) * share)
            end = max(at + 1, min(end, int(np.searchsorted(before, fitting, side="right"))) - 1)
        if end == len(places) - 1:
            found.append(Window(int(places[at]), len(text), first, len(text)))
            return tuple(found)
        repeated = int((before[end] - before[at]) * OVERLAP)
        following = max(at + 1, int(np.searchsorted(before, before[end] - repeated)))
        # Of what both hold, the first half is further from the edge of this one.
        middle = int(np.searchsorted(before, (before[following] + before[end] - 1) // 2 + 1))
        found.append(Window(int(places[at]), int(places[end]), first, int(places[middle])))
        at, first = following, int(places[middle])
