"""What every foreign format offers: its files to a gold set, and a gold set to its files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from evaluation.gold.nouns import GoldSet
from strategies.errors import Problem


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of reading a foreign set."""

    gold: GoldSet
    """What could be converted; resolved, trimmed, and of unique ids, as every gold set."""
    refused: tuple[Problem, ...]
    """Each row that could not be converted, with file, row and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(ABC):
    """One foreign format. Its parameters are what a user may choose (see `strategies.parameters`).

    Law, for every format: what `write` wrote, `read` gives back with the same digest; what `write` cannot
    hold it refuses, row by row.
    """

    name: ClassVar[str]
    """As on the command line: `beir`."""
    layout: ClassVar[str]
    """Its files, on one line: `corpus.jsonl, queries.jsonl, qrels/*.tsv`."""

    @abstractmethod
    def read(self, path: Path) -> Imported:
        """The set in a folder or file. Raises BadInput where it is not of this format."""

    @abstractmethod
    def write(self, gold: GoldSet, path: Path) -> tuple[Problem, ...]:
        """Write a set to a folder or file that is not there; what of it the format cannot hold, and why."""
