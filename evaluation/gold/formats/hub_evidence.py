"""Evidence of any data set: offsets, words or both, alone or in lists of lists."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from evaluation.gold.documents import nearest_document
from evaluation.gold.formats.contexts import places
from evaluation.gold.formats.hub_mapping import Mapped
from evaluation.gold.formats.placing import Places, trimmed
from evaluation.gold.formats.rows import Row
from evaluation.gold.metadata import shown
from evaluation.gold.nouns import Evidence, Passage
from evaluation.gold.quotes import Corpus, Quote
from evaluation.gold.quotes import shown as shown_quote
from strategies.document import Document
from strategies.errors import BadInput, Problem, brief, listed

_SHOWN = 5
_MOST_HINTED = 100
"""Documents among which the one that was probably meant is looked for: this takes time for each bad row."""


class Finder:
    """The evidence of one row."""

    def __init__(
        self, mapped: Mapped, row: Row, own: str | None, documents: Mapping[str, Document], where: Places
    ) -> None:
        self._mapped, self._row, self._own = mapped, row, own
        self._documents, self._where = documents, where

    def entries(self) -> tuple[Evidence, ...]:
        """Each piece with its alternatives; what is wrong refuses the row."""
        grids = {name: self._grid(name) for name in ("evidence", "start", "end", "document")}
        lead = grids["evidence"] if grids["evidence"] is not None else grids["start"]
        if lead is None or not self._row.ok:
            return ()
        shape = [len(some) for some in lead]
        documents = grids.pop("document")
        if documents is not None and [len(some) for some in documents] == [1] and shape != [1]:
            documents = [[documents[0][0]] * size for size in shape]
        grids["document"] = documents
        for name, grid in grids.items():
            if grid is not None and [len(some) for some in grid] != shape:
                self._row.problem(f"{self._path(name)} holds another number of items than the evidence has")
                return ()
        found = []
        for outer, some in enumerate(lead):
            passages = []
            for inner in range(len(some)):
                values = {name: grid[outer][inner] for name, grid in grids.items() if grid is not None}
                if passage := self._passage(values):
                    passages.append(passage)
            if passages:
                found.append(Evidence(tuple(dict.fromkeys(passages))))
        return tuple(found)

    def _path(self, name: str) -> str:
        return brief(self._mapped.questions.fields[name])

    def _grid(self, name: str) -> list[list[Any]] | None:
        """The values of a field: lists of those of which one will do, all of them needed."""
        path = self._mapped.questions.fields.get(name)
        value = self._row.content[path] if path is not None else None
        if value in (None, ""):
            return None
        if not isinstance(value, list):
            return [[value]]
        if value and all(isinstance(one, list) for one in value):
            return [one for one in value if one]
        if len(value) > 1 and self._mapped.questions.several is None and name != "document":
            what = f"questions.several is missing: {self._row.where} has {len(value)} pieces of evidence"
            remedy = "Write all where every one of them is needed, any where one will do"
            raise BadInput([Problem(self._mapped.yaml.where(("questions",)), what, remedy)])
        return [value] if value and self._mapped.questions.several == "any" else [[one] for one in value]

    def _passage(self, values: Mapping[str, Any]) -> Passage | None:
        row = self._row
        called = self._path("evidence" if "evidence" in values else "start")
        words = values.get("evidence", "")
        if not isinstance(words, str) or ("evidence" in values and not words.strip()):
            row.problem(f"{called} holds {shown(words)}, not words")
            return None
        foreign = values.get("document", self._own)
        if foreign is None:
            return self._anywhere(called, words)
        document = self._documents.get(str(foreign))
        if document is None:
            few = len(self._documents) <= _MOST_HINTED
            remedy = nearest_document(str(foreign), self._documents) if few else ""
            row.problem(f"there is no document {brief(str(foreign))}", remedy)
            return None
        if "start" not in values:
            return self._quoted(called, words, Corpus({document.id: document}), f" in {brief(document.id)}")
        start = _offset(values["start"])
        end = _offset(values["end"]) if "end" in values else None if start is None else start + len(words)
        if start is None or end is None:
            row.problem(f"{self._path('start')} is {shown(values['start'])}, not an offset in characters")
            return None
        if words:
            found = self._where.find(row, called, document.id, (start, end), words)
        elif 0 <= start < end <= len(document.text) and document.text[start:end].strip():
            found = trimmed(document.text, (start, end))
        else:
            what = f"[{start}, {end}) is no range of words in {brief(document.id)}"
            row.problem(f"{what}, which has {len(document.text)} characters")
            found = None
        return Passage(document.id, *found) if found else None

    def _anywhere(self, called: str, words: str) -> Passage | None:
        if not words:
            self._row.problem("names no document", "Offsets count in one")
            return None
        return self._quoted(called, words, self._where.corpus, "")

    def _quoted(self, called: str, words: str, corpus: Corpus, within: str) -> Passage | None:
        """The one place of words; several, or none, refuse the row."""
        found = list(islice(places(words, corpus), _SHOWN + 1))
        if len(found) == 1:
            return found[0]
        quote = shown_quote(Quote(words))
        where = listed([f"{brief(one.document)} at {one.start}" for one in found])
        what = f"stands in {where}" if found else f"stands nowhere{within}"
        self._row.problem(f"{called} {what}: {quote}", "Name the field of its offsets" if found else "")
        return None


def _offset(value: Any) -> int | None:
    """An offset, that a table may hold as text or as a float."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 19:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if type(value) is int else None
