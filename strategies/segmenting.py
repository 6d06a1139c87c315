"""Where sentences begin: the one door to `sentencex`.

The library knows abbreviations, initials, decimals, quotations and the punctuation of many languages.
Only places are taken from it, so whatever it drops or changes cannot change a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import pairwise

import sentencex

from strategies.pieces import Level, paragraphs
from strategies.units.encodings import replace_surrogates

_WINDOW = 2048
"""Code points handed over at once: the library needs quadratic time where sentences stand without
spaces between them."""

_OTHER_WHITE_SPACE = re.compile(r"[^\S\n ]")
_LANGUAGE = re.compile(r"[a-z]{2,3}")


def language_problem(language: str) -> str:
    """What is wrong with a language code, or nothing: unknown ones would pass as English in silence.

    >>> language_problem("de"), language_problem("de-AT")
    ('', "is 'de-AT', not a code of two or three small letters such as en, de or zh")
    """
    if _LANGUAGE.fullmatch(language):
        return ""
    return f"is {language!r}, not a code of two or three small letters such as en, de or zh"


@cache
def by_sentences(language: str) -> Level:
    """The level that cuts a piece where its sentences begin."""
    return Level(partial(sentences, language=language))


def sentences(text: str, start: int, end: int, language: str = "en") -> Iterator[int]:
    """Before every sentence but the first; a blank line ends a sentence too.

    >>> list(sentences("Dr. Ames paid 3.5 marks. Why?", 0, 29))
    [25]
    """
    for first, last in pairwise((start, *paragraphs(text, start, end), end)):
        if first > start:
            yield first
        yield from _in_paragraph(text, first, last, language)


def _in_paragraph(text: str, start: int, end: int, language: str) -> Iterator[int]:
    """As `sentences`, window by window; two windows together always move on by a whole one.

    The last sentence of a window may go on behind it, so the next window begins with that sentence; if it
    is the only one, it is longer than a window and goes on in the next.
    """
    while start < end:
        window = text[start : min(start + _WINDOW, end)]
        places = [start + place for place in _segment_starts(window, language) if place > 0]
        yield from places
        behind = start + len(window)
        start = places[-1] if places and behind < end else behind


def _segment_starts(window: str, language: str) -> Iterator[int]:
    """Where the library's segments begin. Odd characters, on which it panics, give way to plain ones."""
    plain = replace_surrogates(window).replace("\r\n", " \n").replace("\r", "\n")
    plain = _OTHER_WHITE_SPACE.sub(" ", plain)
    cursor = 0
    for segment in _segments(plain, language):
        place = plain.find(segment, cursor)
        if place >= 0:
            yield place
            cursor = place + len(segment)


def _segments(text: str, language: str) -> Sequence[str]:
    try:
        return sentencex.segment(language, text)  # type: ignore[no-any-return]
    except BaseException as error:
        # A panic in the compiled library is no `Exception`, and no reason to lose a document.
        if type(error).__name__ != "PanicException":
            raise
        return [text]
