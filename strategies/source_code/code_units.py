"""The units of source code: functions, classes, statements, each with what leads to it.

Units of one level join to the range that holds them, so that whatever a parser drops or cannot read is
part of one. What is inside a unit is looked up only where somebody asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from strategies.source_code.grammars import GRAMMARS, Grammar
from strategies.source_code.syntax import ProgrammingLanguage, Syntax

if TYPE_CHECKING:
    from tree_sitter import Node, TreeCursor

LONGEST_NAME = 80
"""Characters of a name; what is longer is no name, or broken code."""
_DEEPEST_NAME = 4
"""Parts of a qualified name that are told apart."""
_DEEPEST_WRAPPER = 8

_CLOSING = re.compile(r"[ \t,;)\]}]*+(?:(?:#|//)[^\r\n]*+)?+[\s,;)\]}]*+")
"""What still belongs to a block that ended: brackets, and a comment on its last line."""
_NEXT_LINE = re.compile(r"[\r\n]")
_RECEIVER = re.compile(r"([^\W\d]\w*)\s*(?:\[[^\]]*\]\s*)?,?\s*\)$")


class Scope(NamedTuple):
    """A definition that others lie in."""

    names: tuple[str, ...]
    """Usually one; none for a function without a name, two for a method outside of its class."""
    start: int
    """Code point at which it begins, so that two of one name are not one."""


class Unit(NamedTuple):
    """A definition, a statement, or a run of statements between definitions."""

    leads: tuple[int, ...]
    """Code points at which what leads to it begins, one after the other: imports, comments, attributes;
    and at last where it begins itself, indentation included."""
    own: int
    """The one of them behind the last import: what is about this unit alone."""
    end: int
    """Where the next unit starts, or what holds the unit ends."""
    scope: Scope | None = None
    """What a definition opens; None for statements."""
    node: Node | None = None
    run: tuple[Unit, ...] = ()
    """The statements of a run."""

    @property
    def start(self) -> int:
        """Where what leads to it begins."""
        return self.leads[0]


class Units:
    """The units of one text."""

    def __init__(self, text: str, syntax: Syntax, language: ProgrammingLanguage) -> None:
        self._text = text
        self._syntax = syntax
        self._grammar: Grammar = GRAMMARS[language]

    def outermost(self) -> list[Unit]:
        """The units of the whole text; the first may start late, the last ends with the text."""
        return self._within(self._syntax.root, len(self._text))

    def inside(self, unit: Unit) -> list[Unit]:
        """The units that a unit is made of; none where there is nothing smaller than lines.

        What stands before the first one is the head of the unit.
        """
        if unit.run:
            return list(unit.run)
        return [] if unit.node is None else self._within(unit.node, unit.end)

    def _within(self, node: Node, end: int) -> list[Unit]:
        """The units of all groups inside a node, in order; they join from the first one's start to `end`."""
        units: list[Unit] = []
        place = 0  # where the group before ends
        for nodes, group_end in self._groups(node):
            following = list(self._units(nodes))
            if units and following:
                # What stands between two blocks (`else`, `catch`) leads into the second.
                gap = _CLOSING.match(self._text, place)
                border = self._line_start(gap.end() if gap else place)
                first = following[0]
                if place <= border < first.start:
                    following[0] = first._replace(leads=(border, *first.leads))
            units += following
            place = self._syntax.place(group_end)
        starts = [unit.start for unit in units]
        return _in_runs(
            [unit._replace(end=stop) for unit, stop in zip(units, [*starts[1:], end], strict=False)]
        )

    def _groups(self, node: Node) -> Iterator[tuple[list[Node], int]]:
        """Nodes that become units, as far down as the first ones of each branch; and where each group ends.

        A group is what stands in one body, or a definition that stands in none.
        """
        cursor = node.walk()
        below = node  # the node at the cursor
        while True:
            group = self._members(below, below is node)
            if group:
                yield group, below.end_byte
            if (group or not cursor.goto_first_child()) and not _goto_next(cursor):
                return
            assert cursor.node is not None
            below = cursor.node

    def _members(self, node: Node, outermost: bool) -> list[Node]:
        """The members of a body; a definition itself; the lines of what could not be read."""
        kind = node.type
        if kind in self._grammar.bodies:
            return node.named_children
        if kind == "ERROR":
            return [child for child in node.named_children if self._begins_a_line(child)]
        return [node] if not outermost and self._definition(node) is not None else []

    def _units(self, nodes: Sequence[Node]) -> Iterator[Unit]:
        """The nodes of a group, each with the nodes that lead to it; ends are not known yet."""
        leads: list[int] = []
        imports = 0  # of them, up to the last import
        end_before = -1
        for index, node in enumerate(nodes):
            start, end = self._syntax.place(node.start_byte), self._syntax.place(node.end_byte)
            if start == end or (index == 0 and self._is_docstring(node)):
                continue  # what the parser misses; and what belongs to the head of the group
            line_start = self._line_start(start)
            if node.type in self._grammar.leads or node.type in self._grammar.imports:
                # A comment at the end of a line is about that line.
                if leads or end_before < 0 or _NEXT_LINE.search(self._text, end_before, start):
                    leads.append(line_start)
                    if node.type in self._grammar.imports:
                        imports = len(leads)
                continue
            found = self._definition(node)
            inner, scope = (node, None) if found is None else (found[0], Scope(found[1], line_start))
            leads.append(line_start)
            yield Unit(tuple(leads), leads[imports], end, scope, inner)
            leads, imports, end_before = [], 0, end
        if leads:
            yield Unit(tuple(leads), leads[0], len(self._text))

    def _is_docstring(self, node: Node) -> bool:
        """Whether a node that stands first in a body is a string that explains what the body is of."""
        if not self._grammar.docstrings or node.type != "expression_statement":
            return False
        said = node.named_child(0) if node.named_child_count == 1 else None
        return said is not None and said.type in ("string", "concatenated_string")

    def _definition(self, node: Node) -> tuple[Node, tuple[str, ...]] | None:
        """The definition that a node is or wraps, and its names."""
        grammar = self._grammar
        names: tuple[str, ...] | None = None
        for _ in range(_DEEPEST_WRAPPER):
            kind = node.type
            if kind in grammar.definitions:
                if kind in grammar.with_body and node.child_by_field_name("body") is None:
                    return None
                return node, self._names(node) if names is None else names
            if names is not None and kind in grammar.values:
                return node, names
            if kind in grammar.named_by:
                names = self._words(node.child_by_field_name(grammar.named_by[kind]))
            wrapped = _wrapped(node, grammar.wrappers.get(kind))
            if wrapped is None:
                return None
            node = wrapped
        return None

    def _names(self, node: Node) -> tuple[str, ...]:
        """What a definition is called: usually one name."""
        name = node.child_by_field_name("name")
        if name is not None and (receiver := node.child_by_field_name("receiver")) is not None:
            found = _RECEIVER.search(" ".join(self._words(receiver)))
            return ((found[1],) if found else ()) + self._words(name)
        if name is None and node.type == "impl_item":
            parts = [node.child_by_field_name(part) for part in ("trait", "type")]
            said = [word for part in parts for word in self._words(part)]
            return (" for ".join(said),) if said else ()
        if name is None:
            name = _declared(node)
        return self._words(name) if name is None else self._qualified(name)

    def _qualified(self, name: Node) -> tuple[str, ...]:
        """The parts of `Parser::read`."""
        parts: tuple[str, ...] = ()
        while name.type == "qualified_identifier" and len(parts) < _DEEPEST_NAME:
            inner = name.child_by_field_name("name")
            if inner is None:
                break
            parts += self._words(name.child_by_field_name("scope"))
            name = inner
        return parts + self._words(name)

    def _words(self, node: Node | None) -> tuple[str, ...]:
        """The text of a node on one line, as the one name in a tuple; none where there is none."""
        if node is None:
            return ()
        start = self._syntax.place(node.start_byte)
        end = self._syntax.place(node.end_byte)
        said = " ".join(self._text[start : min(end, start + LONGEST_NAME)].split())
        return ((f"{said}..." if end > start + LONGEST_NAME else said),) if said else ()

    def _line_start(self, place: int) -> int:
        """The start of the line if only indentation stands before a place in it, else the place."""
        start = place
        while start and self._text[start - 1] in " \t":
            start -= 1
        return start if not start or self._text[start - 1] in "\r\n" else place

    def _begins_a_line(self, node: Node) -> bool:
        start = self._line_start(self._syntax.place(node.start_byte))
        return not start or self._text[start - 1] in "\r\n"


def _in_runs(units: list[Unit]) -> list[Unit]:
    """The same units, those between two definitions as one."""
    found: list[Unit] = []
    for is_definition, group in groupby(units, key=lambda unit: unit.scope is not None):
        members = tuple(group)
        if is_definition or len(members) in (1, len(units)):
            found += members
        else:
            found.append(Unit(members[0].leads, members[0].own, members[-1].end, run=members))
    return found


def _goto_next(cursor: TreeCursor) -> bool:
    """Go on after a node and all below it; False at the end of where the cursor began."""
    while not cursor.goto_next_sibling():
        if not cursor.goto_parent():
            return False
    return True


def _wrapped(node: Node, where: str | None) -> Node | None:
    """What a wrapper holds."""
    if where is None:
        return None
    if where in ("first", "last", "only"):
        count = node.named_child_count
        if count == 0 or (where == "only" and count > 1):
            return None
        return node.named_child(count - 1 if where == "last" else 0)
    return node.child_by_field_name(where)


def _declared(node: Node) -> Node | None:
    """The name that a declarator of C declares, below pointers, references and parameters."""
    declarator = node.child_by_field_name("declarator")
    for _ in range(_DEEPEST_WRAPPER):
        if declarator is None:
            return None
        inner = declarator.child_by_field_name("declarator")
        if inner is None and declarator.type in ("reference_declarator", "parenthesized_declarator"):
            inner = _wrapped(declarator, "last")
        if inner is None:
            return declarator
        declarator = inner
    return None
