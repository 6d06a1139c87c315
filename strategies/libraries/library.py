"""What every strategy of a library shares: it is refused if not installed, asked, and its texts placed."""

from __future__ import annotations

import logging
import re
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from typing import ClassVar

from strategies.document import Document
from strategies.errors import ChunksweepError, Problem, SplitError, brief
from strategies.libraries.aligning import after, align
from strategies.libraries.views import View
from strategies.parameters import settle
from strategies.strategy import Cut, SplitTools, Strategy


@dataclass(frozen=True, slots=True)
class Part:
    """One text that a library returned."""

    text: str
    """What is placed in the document."""
    start: int | None = None
    """Where the library says that it begins, in code points."""
    section: tuple[str, ...] | None = None
    """The heading path that the library found."""
    embedded: str | None = None
    """What its user would embed, if not `text`."""


class Library(Strategy):
    """A splitter of a library, as its users call it.

    Deriving classes are frozen dataclasses with the library's parameters, and say in `parts` how the library
    is called. `size`, `overlap` and `unit` have the names they have everywhere.
    """

    native: ClassVar[bool] = False

    extra: ClassVar[str]
    """The extra that installs it: `pip install 'chunksweep[extra]'`."""
    package: ClassVar[str]
    """The top-level package that is imported."""
    distributions: ClassVar[tuple[str, ...]]
    """What is installed, the one that `package` belongs to first; their versions decide the cuts."""
    drops: ClassVar[str]
    """What this splitter drops of a text, or changes in it, in one plain phrase."""

    @classmethod
    def is_installed(cls) -> bool:
        """Whether the library is here; it is not imported to find out."""
        return find_spec(cls.package) is not None

    def versions(self) -> Mapping[str, str]:
        """The versions of `distributions`, of those that are installed."""
        found = {}
        for name in self.distributions:
            with suppress(metadata.PackageNotFoundError):
                found[name] = metadata.version(name)
        return found

    def __post_init__(self) -> None:
        """Raise BadInput with every problem, a library that is not installed among them."""
        settle(self, self._all_problems)

    def _all_problems(self, known: set[str]) -> Iterator[Problem]:
        yield from self.problems(known)
        if not self.is_installed():
            what = f"{self.name} needs {self.distributions[0]}"
            yield Problem("strategy", what, f"Install chunksweep[{self.extra}]")

    def problems(self, known: set[str]) -> Iterable[Problem]:
        """What is wrong between parameters, of those that are not `known` to be wrong in themselves."""
        return ()

    @abstractmethod
    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """The library's texts, in its order."""

    def view(self, document: Document) -> View | None:
        """What of the document the library's texts are compared with, if more than white space differs."""
        return None

    def earliest(self, document: Document, tools: SplitTools) -> Callable[[int], int]:
        """Where a chunk may begin after one that ended at a code point: `overlap` units before it."""
        return overlapping(self, document, tools)

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the library's chunks where they stand in the document, in its order."""
        logging.getLogger(self.package).setLevel(logging.ERROR)  # they warn of every large chunk
        with calls(document, self.name):
            parts = list(self.parts(document, tools))
            view = self.view(document)
        size: int | None = getattr(self, "size", None)
        unit: str | None = getattr(self, "unit", None)
        ruler = tools.ruler(document, unit) if unit is not None else None
        earliest = self.earliest(document, tools)
        for cut in placed(document, self.name, parts, earliest=earliest, view=view):
            oversize = ruler is not None and size is not None and ruler.count(cut.start, cut.end) > size
            yield Cut(cut.start, cut.end, oversize, cut.section, cut.embedded_text, cut.returned)


def placed(
    document: Document,
    name: str,
    parts: Sequence[Part],
    *,
    earliest: Callable[[int], int] = after,
    view: View | None = None,
) -> list[Cut]:
    """The cuts of a library's texts, blank ones left out; `embedded_text` where it is not the cut's own.

    Raises SplitError, with the document and the chunk, for a text that has no place in the document.
    """
    texts = [part.text for part in parts]
    try:
        places = align(
            document.text, texts, earliest=earliest, starts=[part.start for part in parts], view=view
        )
    except SplitError as error:
        raise SplitError(f"{document.id}: {name}: {error}") from None
    cuts = []
    for part, place in zip(parts, places, strict=True):
        if place is not None:
            embedded = part.text if part.embedded is None else part.embedded
            changed = embedded != document.text[place.start : place.end]
            cuts.append(Cut(*place, section=part.section, embedded_text=embedded if changed else None))
    return cuts


def overlapping(strategy: Strategy, document: Document, tools: SplitTools) -> Callable[[int], int]:
    """Where a chunk may begin after one that ended at a code point: `overlap` units before, if it has one."""
    overlap, unit = getattr(strategy, "overlap", 0), getattr(strategy, "unit", None)
    if not overlap or unit is None:
        return after
    borders = tools.borders(document, unit)
    firsts = borders[:-1]
    return lambda end: int(borders[max(int(firsts.searchsorted(end)) - overlap, 0)])


@contextmanager
def calls(document: Document, name: str) -> Iterator[None]:
    """A call into a library: its warnings are dropped, its errors become SplitError with its own sentence.

    Errors are what it raises as `Exception`, and panics of compiled libraries, which are none.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except ChunksweepError:
        raise
    except BaseException as error:  # libraries raise what they like
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        reason = brief(f"{type(error).__name__}: {error}", 200)
        raise SplitError(f"{document.id}: {name} failed: {reason}") from error


def broken(where: str, patterns: Iterable[str]) -> Iterator[Problem]:
    """The regular expressions that cannot be read."""
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            yield Problem(where, f"{pattern!r} is no regular expression ({error})")
