"""The elements of a page, without those that nobody reads."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

NOISE = frozenset(("script", "style", "noscript", "template", "nav", "iframe", "object", "svg", "canvas"))
"""Elements that are left out with all that is in them."""


def parsed(source: str) -> Any:
    """The tree of a page, without noise, comments and instructions, in time linear in its length.

    They are left out while the tree grows: to take an element out of a grown one, Beautiful Soup looks
    through all of its siblings.
    """
    from bs4 import BeautifulSoup

    with warnings.catch_warnings():  # of pages that look like XML, or like a file's name
        warnings.simplefilter("ignore")
        return BeautifulSoup(source.replace("\r\n", "\n").replace("\r", "\n"), builder=_builder()())


@cache
def _builder() -> Any:
    from bs4.builder import LXMLTreeBuilder

    class Builder(LXMLTreeBuilder):  # type: ignore[misc]
        """Passes on what is not noise; the words before and behind what it keeps back are one text."""

        def initialize_soup(self, soup: Any) -> None:
            super().initialize_soup(soup)
            self.inside = 0
            """How many elements are open, the noise itself and those in it."""

        def start(self, tag: Any, *more: Any) -> None:
            if self.inside or tag in NOISE:
                self.inside += 1
            else:
                super().start(tag, *more)

        def end(self, tag: Any) -> None:
            if self.inside:
                self.inside -= 1
            else:
                super().end(tag)

        def data(self, data: Any) -> None:
            if not self.inside:
                super().data(data)

        def comment(self, text: Any) -> None:
            """None is read."""

        def pi(self, target: Any, data: Any) -> None:
            """None is read."""

    return Builder
