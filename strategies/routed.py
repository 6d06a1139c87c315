"""Another strategy for every kind of document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar

from strategies.document import Document, Scalar
from strategies.errors import BadInput, Problem
from strategies.parameters import settle
from strategies.strategy import Cut, SplitTools, Strategy, parameter


@dataclass(frozen=True, slots=True)
class Route:
    """Which documents take this route, and how they are cut. All that is given must hold."""

    use: Strategy = parameter("strategy for these documents")
    media_type: str | None = parameter("media type, or a pattern of it: text/*", default=None)
    path: str | None = parameter("pattern of the document's id: logs/*.txt", default=None)
    metadata: Mapping[str, Scalar] | None = parameter("metadata that the document has", default=None)

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)
        if self.media_type is None and self.path is None and not self.metadata:
            what = "says for no document that it is meant for it"
            raise BadInput([Problem("use", what, "Give media_type, path or metadata beside it")])
        odd = [key for key, value in (self.metadata or {}).items() if not isinstance(value, Scalar)]
        if odd:
            raise BadInput(
                [
                    Problem(f"metadata.{key}", "is no text, number or truth value", "No document has another")
                    for key in odd
                ]
            )

    def fits(self, document: Document) -> bool:
        """Whether the document takes this route."""
        return (
            _matches(document.media_type, self.media_type)
            and _matches(document.id, self.path)
            and all(_same(document.metadata.get(key), value) for key, value in (self.metadata or {}).items())
        )


def _matches(found: str, pattern: str | None) -> bool:
    """Whether a text fits a pattern of `*` and `?`; brackets stand for themselves."""
    return pattern is None or fnmatchcase(found, pattern.replace("[", "[[]"))


def _same(found: Scalar | None, wanted: Scalar) -> bool:
    """Equal, where a truth value is no number and a number no text."""
    return found is not None and isinstance(found, bool) == isinstance(wanted, bool) and found == wanted


@dataclass(frozen=True, slots=True)
class Routed(Strategy):
    """Each document is cut by the strategy of the first route that fits it, else by `otherwise`.

    A route looks at a document's media type, its path and its metadata; in a pattern `*` stands for any
    run of characters, `?` for one. Strategies in routes inherit `size`, `overlap` and `unit` from here where
    they say none of their own, so that a sweep can vary them together:

    ```yaml
    strategy: routed
    size: [128, 256]
    routes:
      - {media_type: text/markdown, use: markdown}
      - {path: "*.py", use: code}
      - {path: "logs/*", use: {strategy: fixed, overlap: 10%}}
    otherwise: recursive
    ```

    Chunks carry the same metadata whichever route they came by. Use it for mixed collections, after
    strategies were compared on each kind of document apart. Costs what the strategies cost.
    """

    name: ClassVar[str] = "routed"

    routes: tuple[Route, ...] = parameter("maps of media_type, path, metadata and use; the first that fits")
    otherwise: Strategy = parameter("strategy of documents that no route fits", default="recursive")
    size: int | None = parameter("size for strategies that say none, in units", default=None)
    overlap: int | str = parameter("overlap for strategies that say none", default=0)
    unit: str = parameter("unit for strategies that say none", default="cl100k_base")

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)
        if not self.routes:
            raise BadInput([Problem("routes", "is empty", "Give one, or use the other strategy alone")])
        inside = [*(route.use for route in self.routes), self.otherwise]
        # What nobody inherits decides nothing: equal cuts compare equal.
        for key, nothing in (("size", None), ("overlap", 0), ("unit", "cl100k_base")):
            if not any(getattr(one, key, nothing) == getattr(self, key) for one in inside):
                object.__setattr__(self, key, nothing)

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks, in order."""
        yield from self.taken(document).cuts(document, tools)

    def limit(self, document: Document) -> tuple[int, str] | None:
        """That of the strategy that cuts the document."""
        return self.taken(document).limit(document)

    def taken(self, document: Document) -> Strategy:
        """The strategy that cuts the document."""
        fitting = (route.use for route in self.routes if route.fits(document))
        return next(fitting, self.otherwise)
