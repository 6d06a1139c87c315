"""What every foreign format offers: its files to a gold set, and a gold set to its files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from evaluation.gold.formats.names import Names
from evaluation.gold.nouns import GoldSet, Question, digest
from strategies.document import Document
from strategies.errors import Problem

Kept = Literal["tags", "filter", "answer", "synthetic", "metadata"]
"""What a format may keep beside texts, ids and evidence; `metadata` with media type, pages, headings."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of reading a foreign set."""

    gold: GoldSet
    """What could be converted; resolved, trimmed, and of unique ids, as every gold set; see `gold_set`."""
    refused: tuple[Problem, ...] = ()
    """Each row that could not be converted, with file, row and why."""
    notes: tuple[Problem, ...] = ()
    """What was taken although it is not quite as the format has it: each row, and what was done."""
    files: tuple[Path, ...] = ()
    """The files that were read."""
    named: str = ""
    """The name that the source gives the set itself."""
    origin: str = ""
    """What was read, where the files alone do not tell."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What of a gold set a format can hold."""

    gold: GoldSet
    """What reading the format's files gives back."""
    refused: tuple[Problem, ...]
    """Each question that it cannot hold, and why."""
    lost: tuple[Problem, ...]
    """What else is not kept, one entry for each kind, with counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(ABC):
    """One foreign format. Its fields are what a user may choose: `parameter`s, all with a default.

    Laws, for every format and any set `gold` with `fitted = format.fit(gold)`:

    - what `write(fitted.gold, path)` wrote, `read(path)` gives back with the digest of `fitted.gold`,
      and refuses nothing of it;
    - where nothing is refused or lost, that is the digest of `gold`;
    - what `read` gave of foreign files, `fit` keeps whole.
    """

    name: ClassVar[str]
    """As on the command line: `beir`."""
    layout: ClassVar[str]
    """Its files, on one line: `corpus.jsonl, queries.jsonl, qrels/*.tsv`."""
    evidence: ClassVar[str]
    """What evidence of one question it can hold, on one line."""
    keeps: ClassVar[frozenset[Kept]]
    """What it keeps beside texts, ids and evidence."""
    caution: ClassVar[str] = ""
    """What everybody should know who scores with an imported set."""

    @abstractmethod
    def read(self, path: Path) -> Imported:
        """The set in a folder or file. Raises BadInput where it is not of this format."""

    @abstractmethod
    def write(self, gold: GoldSet, path: Path) -> None:
        """Write a set that fits to a folder or file that is not there: whole, or not at all."""

    @abstractmethod
    def unfit(self, question: Question, documents: Mapping[str, Document]) -> str:
        """Why it cannot hold a question; empty where it can."""

    def names(self, gold: GoldSet) -> Mapping[str, str]:
        """The ids that documents have when they are read back, of those that have another then.

        Names that a folder holds on one system only (`A.txt` beside `a.txt`, `a?.txt`) are changed by all.
        """
        names = Names()
        found = {document.id: names.new(document.id) for document in gold.documents}
        return {before: after for before, after in found.items() if before != after}

    def fit(self, gold: GoldSet) -> Fitted:
        """What of a set it can hold, and what not."""
        from evaluation.gold.formats.fitting import fitted

        return fitted(self, gold)


def gold_set(name: str, documents: Iterable[Document], questions: Iterable[Question]) -> GoldSet:
    """A gold set of documents in any order."""
    ordered, asked = tuple(sorted(documents, key=lambda document: document.id)), tuple(questions)
    return GoldSet(name, ordered, asked, digest(ordered, asked))
