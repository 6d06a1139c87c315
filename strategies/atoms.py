"""Code, tables and JSON whole, the text between them cut by another strategy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from strategies.document import Document
from strategies.errors import BadInput, Problem
from strategies.markup.atoms_in import Kind, atoms_in
from strategies.markup.html_source import HtmlSource
from strategies.outline import HTML
from strategies.parameters import settle
from strategies.strategy import Cut, SplitTools, Strategy, parameter, size_of, unit_of
from strategies.units.rulers import Ruler
from strategies.within import cuts_within


def kinds_problem(kinds: tuple[str, ...]) -> str:
    """What is wrong with a list of kinds, or nothing.

    >>> kinds_problem(()), kinds_problem(("json", "json"))
    ('is empty; name at least one', 'names json twice')
    """
    if not kinds:
        return "is empty; name at least one"
    twice = sorted({kind for kind in kinds if kinds.count(kind) > 1})
    return f"names {', '.join(twice)} twice" if twice else ""


@dataclass(frozen=True, slots=True)
class Atoms(Strategy):
    """Each code block, table and JSON value is a chunk; the text between is cut by another strategy.

    An atom is never cut: larger than `size`, it is an oversize chunk, of which an embedder may read only the
    beginning (the tables count `truncated_chunks`). One that fills its document and is larger than `size`
    is cut by `prose` after all.

    Code blocks and tables are those of Markdown, in lists and quotes too, as `markdown` and `table` find
    them; in HTML documents, `pre` and tables that hold data, embedded without their tags. A JSON value is an
    object or array outside of these that begins and ends a line and says more than a mark such as `[1]`. Any
    other text is read as Markdown, but for files of JSON, where only JSON values are atoms: in JSON Lines,
    each line.

    ```yaml
    strategy: atoms
    size: [128, 256]
    prose: {strategy: sentence, overlap: 10%}
    ```

    Use it for manuals and tickets with commands, configuration and payloads in them, which are of use only
    whole; for HTML documents, with `prose: html`. Costs one reading of the document beside what `prose`
    costs.
    """

    name: ClassVar[str] = "atoms"
    embeds_more: ClassVar[bool] = True

    size: int = parameter("units above which an atom is marked oversize; the size of `prose`")
    overlap: int | str = parameter(
        'overlap of `prose`, in units, or a share such as "10%"; atoms are never repeated', default=0
    )
    unit: str = parameter("what `size` and `overlap` count", default="cl100k_base")
    keep: tuple[Kind, ...] = parameter(
        "what stays whole: code, table, json", default=("code", "json", "table"), check=kinds_problem
    )
    prose: Strategy = parameter("strategy that cuts the text between", default="paragraph")

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)
        object.__setattr__(self, "keep", tuple(sorted(self.keep)))
        size = size_of(self.prose)
        if size is not None and size > self.size and unit_of(self.prose) == self.unit:
            what = f"is {size}, larger than the size around it, {self.size}"
            raise BadInput([Problem("prose.size", what, f"Use 1 to {self.size}, or leave it out")])

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks, in order."""
        text = document.text
        source = HtmlSource(text) if document.media_type in HTML else None
        ruler = tools.ruler(document, self.unit)
        atoms = atoms_in(document, self.keep, source)
        if len(atoms) == 1 and self._fills(*atoms[0], ruler):
            atoms = []
        place = 0
        for start, end in atoms:
            yield from self._between(document, place, start, tools)
            shown = "" if source is None else source.visible(start, end)
            yield Cut(start, end, oversize=ruler.count(start, end) > self.size, embedded_text=shown or None)
            place = end
        yield from self._between(document, place, len(text), tools)

    def _between(self, document: Document, start: int, end: int, tools: SplitTools) -> Iterator[Cut]:
        """The prose, its chunks held to the size out here: `prose` may have none, or count another unit."""
        ruler = tools.ruler(document, self.unit)
        for found in cuts_within(document, start, end, self.prose, tools):
            yield replace(found, oversize=ruler.count(found.start, found.end) > self.size)

    def limit(self, document: Document) -> tuple[int, str] | None:
        """That of `prose`, whose chunks alone may be merged."""
        return self.prose.limit(document) or Strategy.limit(self, document)

    def _fills(self, start: int, end: int, ruler: Ruler) -> bool:
        """Whether an atom is all of its document and larger than a chunk may be."""
        alone = not ruler.text[:start].strip() and not ruler.text[end:].strip()
        return alone and ruler.count(start, end) > self.size
