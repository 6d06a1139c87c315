"""The blocks of an HTML source, as ranges that leave nothing out.

The source is parted into *leaves*: text between two block-level tags, with the tags that open right
before it and those that close right after. *Groups* are the elements that hold several of them: a list,
an item, a table, a row, a quote. Elements that merely nest (`div`, `section` and so on) end leaves and
group nothing. Nothing here recurses: a hundred thousand elements in one another are a long list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from strategies.markup.html_tokens import Token

_BLOCKS = """
address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption
figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav ol
option p pre script search section style summary table tbody td template textarea tfoot th thead title tr
ul xmp
"""
BLOCKS = frozenset(_BLOCKS.split())
"""Elements that no line of text runs through."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
CELLS = frozenset({"td", "th"})

GroupKind = Literal["list", "item", "table", "head", "row", "cell", "quote", "code", "figure"]
_GROUPS: dict[str, GroupKind] = {
    **dict.fromkeys(("ul", "ol", "menu", "dir", "dl"), "list"),
    **dict.fromkeys(("li", "dd"), "item"),
    **dict.fromkeys(("td", "th"), "cell"),
    **dict.fromkeys(("pre", "listing", "xmp"), "code"),
    "table": "table",
    "thead": "head",
    "tr": "row",
    "blockquote": "quote",
    "figure": "figure",
}
_LISTS = ("ul", "ol", "menu", "dir")
_ENDED_BY: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "li": (("li",), (*_LISTS, "td", "th")),
    "dt": (("dd",), ("dl", "td", "th")),
    "dd": (("dd",), ("dl", "td", "th")),
    "td": (("td", "th"), ("tr", "table")),
    "th": (("td", "th"), ("tr", "table")),
    "tr": (("tr",), ("table",)),
    "thead": (("thead", "tr"), ("table",)),
    "tbody": (("thead", "tr"), ("table",)),
    "tfoot": (("thead", "tr"), ("table",)),
}
"""Tag -> elements that end where it opens, unless they lie outside of one of the others."""

_NOT_CLOSED_FROM: dict[str, tuple[str, ...]] = {
    "table": (),
    **dict.fromkeys(("thead", "tr", "td", "th"), ("table",)),
}
"""End tag -> elements from within which it ends none outside; any other tag, from cells and tables."""

LeafKind = Literal["text", "heading", "code", "raw"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """Text that no block-level tag parts, with the tags around it; leaves join to the whole source."""

    kind: LeafKind
    start: int
    end: int
    level: int = 0
    """Of a heading, 1 the highest."""


@dataclass(slots=True)
class Group:
    """An element and the leaves that it holds, `first` to `last`. Groups are nested or apart."""

    kind: GroupKind
    name: str
    first: int
    last: int = -1


class HtmlReader:
    """Parts the tokens of a source into leaves and groups, in one pass."""

    def __init__(self, tokens: Sequence[Token], text: str) -> None:
        self.groups: list[Group] = []
        """In the order in which they open; filled by `leaves`."""
        self._tokens = tokens
        self._text = text
        self._starts = [0]
        self._kinds: list[LeafKind] = ["text"]
        self._levels = [0]
        self._last: Literal["", "open", "text", "close"] = ""
        """What the leaf ends with so far, comments and inline tags aside."""
        self._loose: int | None = None
        """Where comments and inline tags start that may yet belong to the next leaf."""
        self._stack: list[int] = []
        """Indices of open groups."""
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        """Element -> where it stands in the stack."""
        self._after_term = False

    def leaves(self) -> list[Leaf]:
        """The leaves. None is blank, unless the whole source is."""
        headings = _heading_ends(self._tokens)
        index = 0
        while index < len(self._tokens):
            token = self._tokens[index]
            if index in headings and not self._places["blockquote"]:
                self._item("open", token.start)
                self._kinds[-1], self._levels[-1] = "heading", int(token.name[1])
                self._last = "close"
                index = headings[index]
                continue
            self._read(token)
            index += 1
        self._end_groups(0)
        ends = (*self._starts[1:], len(self._text))
        return list(map(Leaf, self._kinds, self._starts, ends, self._levels))

    def _read(self, token: Token) -> None:
        if token.kind == "raw":
            self._kinds[-1] = "raw"
        elif token.kind in ("text", "cdata"):
            if not self._text[token.start : token.end].isspace():
                self._item("text", token.start)
                if token.preformatted:
                    self._kinds[-1] = "code"
        elif token.name not in BLOCKS:
            if token.kind != "close" and self._loose is None:
                self._loose = token.start
        elif token.kind == "open":
            self._open(token)
        else:
            self._close(token.name)

    def _item(self, item: Literal["open", "text"], start: int) -> None:
        """Text or a block-level tag that opens: the next in the leaf, or the first of a new one."""
        if self._last == "close" or (self._last == "text" and item == "open"):
            self._starts.append(start if self._loose is None else self._loose)
            self._kinds.append("text")
            self._levels.append(0)
        self._last, self._loose = item, None

    def _open(self, token: Token) -> None:
        name = token.name
        ended = self._end_implied(name)
        if ended:
            self._last = "close"
        elif self._after_term and name in ("dt", "dd"):  # a term stays with what explains it
            self._last = "open"
        self._item("open", token.start)
        if name in _GROUPS:
            self._places[name].append(len(self._stack))
            self._stack.append(len(self.groups))
            self.groups.append(Group(_GROUPS[name], name, len(self._starts) - 1))
        if name in _GROUPS or name == "dt":
            self._after_term = name == "dt"
        if name == "hr":
            self._last = "close"

    def _close(self, name: str) -> None:
        if name in _GROUPS:
            place = self._nearest((name,))
            if place > self._nearest(_NOT_CLOSED_FROM.get(name, ("td", "th", "table"))):
                self._end_groups(place)
            self._after_term = False
        self._last, self._loose = "close", None

    def _end_implied(self, name: str) -> bool:
        """End the elements that the opening of another ends; whether there are any."""
        if name not in _ENDED_BY:
            return False
        ended, outer = _ENDED_BY[name]
        limit = self._nearest(outer)
        inside = [place for one in ended if (place := self._nearest((one,))) > limit]
        if inside:
            self._end_groups(min(inside))
        return bool(inside)

    def _nearest(self, names: tuple[str, ...]) -> int:
        """Where the innermost open element of these names stands in the stack, or -1."""
        return max((self._places[name][-1] for name in names if self._places[name]), default=-1)

    def _end_groups(self, place: int) -> None:
        """End all open groups from a place in the stack on, with the leaf at hand."""
        while len(self._stack) > place:
            group = self.groups[self._stack.pop()]
            self._places[group.name].pop()
            group.last = len(self._starts) - 1


def _heading_ends(tokens: Sequence[Token]) -> dict[int, int]:
    """Index of each tag that opens a heading -> index past the heading's last token.

    A heading runs to the next end tag of any heading. One that has none before the next heading opens
    ends at the first block-level tag in it.
    """
    ends: dict[int, int] = {}
    opened = block = -1
    for index, token in enumerate(tokens):
        if token.name in HEADINGS:
            if opened >= 0:
                ends[opened] = index + 1 if token.kind == "close" else block if block >= 0 else index
            opened, block = (index if token.kind == "open" else -1), -1
        elif opened >= 0 and block < 0 and token.name in BLOCKS:
            block = index
    if opened >= 0:
        ends[opened] = block if block >= 0 else len(tokens)
    return ends
