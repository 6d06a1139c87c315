"""The blocks of a Markdown text as a tree of ranges that leaves nothing out.

The parser says what each block is and on which line it begins; everything between two beginnings
belongs to a block, so text that yields no token (link definitions, what is nested too deep) is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from strategies.outline import front_matter_end, markdown_blocks

if TYPE_CHECKING:
    from markdown_it.token import Token

Kind = Literal["heading", "paragraph", "table", "code", "list", "item", "quote", "other"]
"""`other`: front matter, HTML, rules."""

_KINDS: dict[str, Kind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "html_block": "other",
    "hr": "other",
}
_CONTAINERS = ("list", "item", "quote")


@dataclass(frozen=True, slots=True)
class Block:
    """A range of lines; the white space after it is part of it."""

    kind: Kind
    start: int
    end: int
    children: tuple[Block, ...] = ()
    """What a list, an item or a quote is made of: ranges that join to the range of the block."""


@dataclass(slots=True)
class _Node:
    """A block while its end is not known."""

    kind: Kind
    start: int
    own_end: int
    """End of the lines that the parser gave to the block; blank lines may follow."""
    children: list[_Node]


def blocks_of(text: str) -> tuple[Block, ...]:
    """The outermost blocks of a CommonMark text (tables too); their ranges join to the whole text.

    Front matter is one block, `other`. Linear in the length of the text.
    """
    tokens, lines = markdown_blocks(text)
    body = front_matter_end(text)
    front = (Block("other", 0, body),) if body else ()
    return (*front, *_joined(text, _tree(tokens, lines), body, len(text)))


def _tree(tokens: list[Token], lines: list[int]) -> list[_Node]:
    root: list[_Node] = []
    levels = [root]
    for token in tokens:
        kind = _KINDS.get(token.type)
        if kind is not None and token.map is not None:
            node = _Node(kind, lines[token.map[0]], lines[token.map[1]], [])
            levels[-1].append(node)
            if kind in _CONTAINERS:
                levels.append(node.children)
        elif token.nesting < 0 and _KINDS.get(token.type.replace("_close", "_open")) in _CONTAINERS:
            levels.pop()
    return root


def _joined(text: str, nodes: list[_Node], start: int, end: int) -> tuple[Block, ...]:
    """Blocks whose ranges join to `start..end`; text that no node holds becomes a paragraph."""
    blocks: list[Block] = []
    place = start
    for index, node in enumerate(nodes):
        if _says_something(text, place, node.start):
            blocks.append(Block("paragraph", place, node.start))
            place = node.start
        following = nodes[index + 1].start if index + 1 < len(nodes) else end
        node_end = following
        if node.own_end < following and _says_something(text, node.own_end, following):
            node_end = node.own_end
        children = _joined(text, node.children, place, node_end) if node.children else ()
        blocks.append(Block(node.kind, place, node_end, children))
        place = node_end
    if place < end and (_says_something(text, place, end) or not blocks):
        blocks.append(Block("paragraph", place, end))
    return tuple(blocks)


def _says_something(text: str, start: int, end: int) -> bool:
    """Whether there is more between two blocks than blank lines, of a quote perhaps."""
    return bool(text[start:end].strip("> \t\r\n"))
