"""Which places with the words of a piece of evidence will do in its stead.

Whoever makes questions lists as alternatives all places where the same words stand, and no search tells
whether they say the same there. So a copy counts only where its words are words of their own: `10` has none
in `2010`. Where evidence is made of whole sentences a copy must be whole sentences too: `The gate is open.`
has none in `Nobody believes that the gate is open.`
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import regex

from evaluation.gold.nouns import Evidence, Passage
from evaluation.words import NO_SPACES
from strategies.document import Document

MOST_PLACES = 10
"""Places in which the words of a piece of evidence may stand, all together: what is said more often does not
tell where a question was answered."""

Counts = Callable[[str, int, int], bool]
"""(text, start, end) -> whether a copy there counts."""

_UNSEEN = "\u00ad\u200b\u2060\ufeff"
_LETTER = rf"(?:(?![{NO_SPACES}])[\p{{L}}\p{{M}}\p{{N}}_])"
_INSIDE = regex.compile(
    rf"(?<={_LETTER}[{_UNSEEN}]*)[{_UNSEEN}]*{_LETTER}"
    r"|(?<=\p{N})[.,:'\u2019]\p{N}|(?<=\p{N}[.,:'\u2019])\p{N}"
)
"""What stands at a place inside a word, or inside a number such as 1,200."""

_NEAR = 200
"""Characters before and after a copy that are looked at."""
_SPACE = " \t\n\r\f\v\u00a0\u3000" + _UNSEEN
_OPENING = _SPACE + "\"'\u201c\u2018\u201e\u00ab([{*_`#>|\u2022+-"
_CLOSING = "\"'\u201d\u2019\u201c\u00bb)]}*_`"
_ENDS = ".!?\u2026\u3002\uff01\uff1f\u061f\u0964"


def with_copies(
    first: Passage, found: Iterable[Passage], documents: Mapping[str, Document], counts: Counts
) -> Evidence | None:
    """A place and, as alternatives, the copies of its words that count.

    None where the words stand, as whole words, in too many places, whether these count or not. `found` are
    all places where they stand, by document and start, the first among them or not. What shares text with
    the first, or with the one before, is no other place.
    """
    passages, n_places, last = [first], 1, first
    for place in found:
        text = documents[place.document].text
        if _common(place, first) or _common(place, last) or not whole_words(text, place.start, place.end):
            continue
        if n_places == MOST_PLACES:
            return None
        n_places, last = n_places + 1, place
        if counts(text, place.start, place.end):
            passages.append(place)
    return Evidence(tuple(passages))


def _common(one: Passage, other: Passage) -> bool:
    return one.document == other.document and one.start < other.end and other.start < one.end


def whole_words(text: str, start: int, end: int) -> bool:
    """Whether a range neither begins nor ends inside a word or a number.

    Of scripts that put no spaces between words, every character is one.

    >>> whole_words("in 2010", 5, 7), whole_words("10 men", 0, 2), whole_words("在大門前", 1, 3)
    (False, True, True)
    """
    return not (_inside(text, start) or _inside(text, end))


def _inside(text: str, at: int) -> bool:
    return 0 < at < len(text) and _INSIDE.match(text, at) is not None


def whole_sentences(text: str, start: int, end: int) -> bool:
    """Whether a range begins and ends as a sentence, a line of a list or a paragraph does.

    By the marks before and after it, in linear time: in doubt it does not.

    >>> said = "Nobody thinks that it is open. It is open."
    >>> whole_sentences(said, 19, 30), whole_sentences(said, 31, 42)
    (False, True)
    """
    return whole_words(text, start, end) and _opens(text, start) and _closes(text, start, end)


def _opens(text: str, start: int) -> bool:
    before = text[max(0, start - _NEAR) : start]
    head = before.rstrip(_OPENING)
    between = before[len(head) :]
    if not head or between.count("\n") > 1:
        return True
    small = text[start : start + 1].islower()
    new_line = any(mark in between for mark in "\n\r\f|>")
    if head.rstrip(_CLOSING)[-1:] in _ENDS:
        return new_line or not small
    return new_line and (not small or head.endswith(":"))


def _closes(text: str, start: int, end: int) -> bool:
    if text[start:end].rstrip(_CLOSING)[-1:] in _ENDS:
        return True
    after = text[end : end + _NEAR].lstrip(_CLOSING).lstrip(" \t" + _UNSEEN)
    if after[:1] in "\r\n\f":  # an empty rest is the end of the text
        rest = after.lstrip(_SPACE)
        return after[: len(after) - len(rest)].count("\n") > 1 or not rest[:1].islower()
    return after[0] in _ENDS + "|<"
