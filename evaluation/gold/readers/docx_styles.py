"""What the styles and lists of a DOCX make of a paragraph: a heading, or an item of a list."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


class Styles:
    """The styles and numberings of one document; counts the items of its lists."""

    def __init__(self, document: Any) -> None:
        styles = document.styles.element.iter(f"{W}style")
        self.styles = {style.get(f"{W}styleId"): style for style in styles}
        self.levels: dict[str | None, int | None] = {}
        self.formats = _number_formats(document)
        self.counts: defaultdict[str, list[int]] = defaultdict(lambda: [0] * 10)

    def level(self, paragraph: Any, style: str | None) -> int | None:
        """The level of a heading, from 1; 0 of the document's title, None of any other paragraph."""
        own = setting(paragraph.find(f"{W}pPr/{W}outlineLvl"))
        if own is not None:
            return _outline_level(own)
        if style not in self.levels:
            self.levels[style] = self._level_of(style)
        return self.levels[style]

    def _level_of(self, style: str | None) -> int | None:
        for one in self.with_bases(style):
            name = (setting(one.find(f"{W}name")) or "").lower()
            if name == "title":
                return 0
            if heading := re.fullmatch(r"heading ([1-9])", name):
                return int(heading[1])
            level = setting(one.find(f"{W}pPr/{W}outlineLvl"))
            if level is not None:
                return _outline_level(level)
        return None

    def numbering(self, paragraph: Any, style: str | None) -> tuple[str, int] | None:
        """Number and depth (from 0) of the list that a paragraph is an item of, if it is one."""
        places = [paragraph.find(f"{W}pPr/{W}numPr")]
        places += [one.find(f"{W}pPr/{W}numPr") for one in self.with_bases(style)]
        for place in places:
            if place is None:
                continue
            number = setting(place.find(f"{W}numId"))
            depth = setting(place.find(f"{W}ilvl")) or "0"
            if number == "0":  # takes the paragraph out of its style's list
                return None
            if number is not None:
                own = int(depth) if re.fullmatch("[0-8]", depth) else 0
                return number, own or self.depth_of(style)
        return None

    def depth_of(self, style: str | None) -> int:
        """The depth that a list style has in its name alone, as `List Bullet 2` has."""
        names = ((setting(one.find(f"{W}name")) or "").lower() for one in self.with_bases(style))
        found = next(
            filter(None, (re.fullmatch(r"list (?:bullet|number) ([2-5])", name) for name in names)), None
        )
        return int(found[1]) - 1 if found else 0

    def bullet(self, number: str, depth: int) -> str:
        """A hyphen, or the next number of a numbered list."""
        if self.formats.get((number, depth), "bullet") in ("bullet", "none"):
            return "- "
        counts = self.counts[number]
        counts[depth] += 1
        counts[depth + 1 :] = [0] * (len(counts) - depth - 1)
        return f"{counts[depth]}. "

    def with_bases(self, style: str | None) -> Iterator[Any]:
        """A style and those it is based on."""
        seen = set[str | None]()
        while style in self.styles and style not in seen:
            seen.add(style)
            yield self.styles[style]
            style = setting(self.styles[style].find(f"{W}basedOn"))


def _number_formats(document: Any) -> dict[tuple[str, int], str]:
    """The format of numbers, `bullet` or `decimal` or another, by list and depth."""
    from docx.opc.constants import RELATIONSHIP_TYPE

    parts = [
        rel.target_part for rel in document.part.rels.values() if rel.reltype == RELATIONSHIP_TYPE.NUMBERING
    ]
    formats: dict[tuple[str, int], str] = {}
    for part in parts:
        root = part.element
        abstract = {
            one.get(f"{W}abstractNumId"): {
                int(depth): setting(level.find(f"{W}numFmt")) or "decimal"
                for level in one.iter(f"{W}lvl")
                if re.fullmatch("[0-8]", depth := level.get(f"{W}ilvl", "0"))
            }
            for one in root.iter(f"{W}abstractNum")
        }
        for one in root.iter(f"{W}num"):
            levels = abstract.get(setting(one.find(f"{W}abstractNumId")), {})
            formats |= {(one.get(f"{W}numId"), depth): name for depth, name in levels.items()}
    return formats


def _outline_level(said: str) -> int | None:
    """From 1; None of body text, which has the last of the ten levels."""
    return int(said) + 1 if re.fullmatch("[0-8]", said) else None


def setting(element: Any) -> str | None:
    """What an element of a setting says; None where there is none."""
    return None if element is None else element.get(f"{W}val")
