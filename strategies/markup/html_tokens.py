"""Tags and text of an HTML source, each at its place.

Reads tags as the HTML standard does (WHATWG, "Tokenization"), with its answers to what is broken: a
comment that is never closed hides the rest, a script runs to its end tag. One thing differs: a tag that
is never closed is text, and from there on no tag reaches over a `<`. Patterns never go back, so time is
linear in the length of the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from typing import Literal, NamedTuple

Kind = Literal["text", "open", "close", "cdata", "comment", "raw"]
"""`cdata`: text within its marks, as it is; `comment`: declarations too; `raw`: scripts and styles."""


class Token(NamedTuple):
    """A range of the source; tokens join to the whole source."""

    kind: Kind
    start: int
    end: int
    name: str = ""
    """Element of a tag, in small letters."""
    preformatted: bool = False
    """Text that keeps its white space."""


def _markup(tag: str) -> re.Pattern[str]:
    """What begins with `<`. Groups: `/` of an end tag, name, `/` of an empty element, `>` or nothing."""
    return re.compile(
        r"<(?:!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>|\Z))"
        r"|!\[CDATA\[(?:[^\]]++|\](?!\]>))*+(?:\]\]>|\Z)"
        r"|(?:[!?]|/(?![A-Za-z]))[^>]*+(?:>|\Z)"
        rf"|{tag})"
    )


_VALUE = r"""(?:"[^"]*+"|'[^']*+'|(?!["'])[^\s>]++)"""
_ATTRIBUTES = rf"(?:\s++|/(?!>)|[^\s/>][^\s/>=]*+(?:\s*+=\s*+{_VALUE}?+)?+)*+"
_ANY_TAG = _markup(rf"(/?)([A-Za-z][^\s/>]*+){_ATTRIBUTES}(/?)(>|\Z)")
_SHORT_TAG = _markup(r"(/?)([A-Za-z][^\s/<>]*+)(?:[^<>/]++|/(?!>))*+(/?)(>)")

_RAW = frozenset({"iframe", "noembed", "noframes", "script", "style"})
_NO_TAGS_IN = _RAW | {"textarea", "title", "xmp"}
_PREFORMATTED = frozenset({"listing", "pre", "xmp"})


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a source, in order.

    >>> [token.kind for token in tokens("<p title='a>b'>Six<br/> o'clock<!-- sharp -->")]
    ['open', 'text', 'open', 'text', 'comment']
    """
    pattern, place, preformatted = _ANY_TAG, 0, 0
    while found := pattern.search(text, place):
        start, end = found.span()
        end_mark, name, empty, closed = found.groups()
        if name is not None and not closed:
            pattern = _SHORT_TAG
            continue
        if place < start:
            yield Token("text", place, start, preformatted=preformatted > 0)
        place = end
        if name is None:
            yield Token("cdata" if text.startswith("<![CDATA[", start) else "comment", start, end)
            continue
        name = name.lower()
        yield Token("close" if end_mark else "open", start, end, name)
        if name in _PREFORMATTED:
            preformatted = max(0, preformatted + (-1 if end_mark else 1))
        if name in _NO_TAGS_IN and not end_mark and not empty:
            last = _end_tag(name).search(text, end)
            place = last.start() if last else len(text)
            if end < place:
                yield Token("raw" if name in _RAW else "text", end, place, preformatted=preformatted > 0)
    if place < len(text):
        yield Token("text", place, len(text), preformatted=preformatted > 0)


@cache
def _end_tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)


REFERENCE = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9A-Fa-f]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});")
"""A character reference, such as `&amp;`."""

_LONG_NUMBER = re.compile(r"&#[0-9]{8,}+")


def decoded(text: str) -> str:
    """A text with its character references resolved, as browsers do.

    >>> decoded("R&amp;D at 6&nbsp;&#8364;")
    'R&D at 6\\xa0€'
    """
    if "&" not in text:
        return text
    # Python refuses to read numbers of thousands of digits.
    return unescape(_LONG_NUMBER.sub(lambda long: "&#" + (long[0][2:].lstrip("0")[:8] or "0"), text))
