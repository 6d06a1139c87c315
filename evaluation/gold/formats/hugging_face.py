"""Any data set that Hugging Face `datasets` reads, by a card that says which fields are what."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from evaluation.gold.formats.format import Format, Imported, Kept, gold_set
from evaluation.gold.formats.hub_mapping import Columns, Mapped, Source, read_mapping
from evaluation.gold.formats.hub_rows import Documents, Questions, has_field, of_fields
from evaluation.gold.formats.told import need_file, told_of_document, told_of_question
from evaluation.gold.nouns import GoldSet, Question
from evaluation.gold.questions import library
from evaluation.gold.writing import new_folder, yaml_text
from strategies.document import Document
from strategies.errors import BadInput, Problem, brief, listed, nearest, refuse

CARD = "mapping.yaml"
_LOADERS = {
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".csv": "csv",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HuggingFace(Format):
    """Any data set of the Hugging Face hub, or local Parquet, JSON lines or CSV. A YAML card maps its fields:
    `source`, `documents`, `questions`. Rows are streamed, and a document that many of them hold is kept once.
    """

    name: ClassVar[str] = "hugging-face"
    layout: ClassVar[str] = "a YAML card, or a folder of mapping.yaml; rows on the hub, or in local files"
    evidence: ClassVar[str] = "any number of entries, with alternatives"
    keeps: ClassVar[frozenset[Kept]] = frozenset({"tags", "filter", "answer", "synthetic", "metadata"})

    def read(self, path: Path) -> Imported:
        """See `Format.read`."""
        card = need_file(path / CARD, CARD, self.layout) if path.is_dir() else path
        mapped = read_mapping(card, card.name)
        with tempfile.TemporaryDirectory() as cache:
            return _imported(mapped, card, cache)

    def write(self, gold: GoldSet, path: Path) -> None:
        """See `Format.write`."""
        datasets = library()
        value, many = datasets.Value, datasets.List
        texts = {document.id: document.text for document in gold.documents}
        words, numbers = many(many(value("string"))), many(many(value("int64")))
        tables = {
            "documents": (
                {name: value("string") for name in ("id", "text", "more")},
                [
                    {"id": one.id, "text": one.text, "more": _json(told_of_document(one))}
                    for one in gold.documents
                ],
            ),
            "questions": (
                {
                    **{name: value("string") for name in ("id", "question", "more")},
                    "document": words,
                    "evidence": words,
                    "start": numbers,
                    "end": numbers,
                },
                [_question_row(question, texts) for question in gold.questions],
            ),
        }
        content: dict[str, object] = {"name": gold.name}
        with new_folder(path) as place, _quiet(datasets):
            for name, (features, rows) in tables.items():
                (place / name).mkdir()
                table = datasets.Dataset.from_list(rows, features=datasets.Features(features))
                table.to_parquet(str(place / name / f"{name}.parquet"))
                content[name] = {"source": {"dataset": f"./{name}"}, **{field: field for field in features}}
            (place / CARD).write_text(yaml_text(content), "utf-8", newline="\n")

    def unfit(self, question: Question, documents: Mapping[str, Document]) -> str:
        """See `Format.unfit`."""
        return ""


def _json(told: Mapping[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False, allow_nan=False) if told else ""


def _question_row(question: Question, texts: Mapping[str, str]) -> dict[str, Any]:
    entries = [entry.passages for entry in question.evidence]
    return {
        "id": question.id,
        "question": question.text,
        "document": [[p.document for p in some] for some in entries],
        "evidence": [[texts[p.document][p.start : p.end] for p in some] for some in entries],
        "start": [[p.start for p in some] for some in entries],
        "end": [[p.end for p in some] for some in entries],
        "more": _json(told_of_question(question)),
    }


class _quiet:  # noqa: N801  it is used as a function is
    """Without the progress bars of the library, which are for a terminal of its own."""

    def __init__(self, datasets: Any) -> None:
        self._datasets, self._were_on = datasets, not datasets.are_progress_bars_disabled()

    def __enter__(self) -> None:
        self._datasets.disable_progress_bars()

    def __exit__(self, *raised: object) -> None:
        if self._were_on:
            self._datasets.enable_progress_bars()


@dataclass(frozen=True, slots=True)
class _Opened:
    """Rows that can be read."""

    source: Source
    rows: Any
    files: tuple[Path, ...]

    def each(self, parts: list[Columns]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each row with its place, of the columns that the parts name. Raises BadInput."""
        where = brief(self.source.dataset)
        names = sorted({of_fields(path, self.names())[0] for part in parts for path, _ in part.paths()})
        try:
            for number, row in enumerate(islice(self.rows.select_columns(names), self.source.limit)):
                yield f"{where} row {number}", row
        except BadInput:
            raise
        except Exception as error:  # of the library and those below it, whatever they raise
            raise refuse(
                where, f"cannot be read: {type(error).__name__}: {brief(str(error), 300)}"
            ) from error

    def names(self) -> list[str]:
        """Its columns."""
        if self.rows.column_names is not None:
            return list(self.rows.column_names)
        return list(next(iter(self.rows), {}))

    def problems(self, part: Columns, yaml_where: Any) -> list[Problem]:
        """Fields that the card names and the data have not."""
        features = self.rows.features or next(iter(self.rows), None)
        if features is None:
            return [Problem(brief(self.source.dataset), "holds no row")]
        return [
            Problem(
                yaml_where((part.key, key)),
                f"{part.key}.{key} is {brief(path)}, which {brief(self.source.dataset)} has not",
                nearest(path, self.names()),
            )
            for path, key in part.paths()
            if not has_field(features, of_fields(path, self.names()))
        ]


def _imported(mapped: Mapped, card: Path, cache: str) -> Imported:
    parts = (mapped.documents, mapped.questions)
    opened: dict[Source, _Opened] = {}
    wrong: list[Problem] = []
    datasets = library()
    with _quiet(datasets):
        for part in parts:
            try:
                if part.source not in opened:
                    opened[part.source] = _open(datasets, part.source, card, cache)
                wrong += opened[part.source].problems(part, mapped.yaml.where)
            except BadInput as error:
                wrong += (problem for problem in error.problems if problem not in wrong)
        if wrong:
            raise BadInput(wrong)
        refused: list[Problem] = []
        documents = Documents(mapped.documents, opened[mapped.documents.source].names(), refused)
        questions = Questions(mapped, opened[mapped.questions.source].names(), refused)
        for source, one in opened.items():
            here = [part for part in parts if part.source == source]
            for where, raw in one.each(here):
                own = documents.take(where, raw) if mapped.documents in here else None
                if mapped.questions in here:
                    questions.take(where, raw, own)
    asked, notes = questions.asked(documents)
    gold = gold_set(mapped.name or card.stem, documents.kept(), asked)
    files = dict.fromkeys(file for one in opened.values() for file in one.files)
    origin = f"{'; '.join(source.told() for source in opened)}, by {mapped.as_json()}"
    notes = [*documents.notes(), *notes]
    return Imported(gold, tuple(refused), tuple(notes), (card, *files), mapped.name, origin)


def _open(datasets: Any, source: Source, card: Path, cache: str) -> _Opened:
    """The rows of a source. Raises BadInput."""
    where = brief(source.dataset)
    given: dict[str, Any] = {}
    files: tuple[Path, ...] = ()
    if source.is_local:
        files, loader = _files(source, card)
        given = {"path": loader, "data_files": {"train": [str(file) for file in files]}, "split": "train"}
        if loader == "csv":  # as text: a number would lose its zeros, an empty cell its meaning
            names = _head(files[0], where)
            features = datasets.Features({name: datasets.Value("string") for name in names})
            given |= {"features": features, "keep_default_na": False}
        given["cache_dir"] = cache  # nothing of a local file is left in the user's home
    else:
        given = {"path": source.dataset, "name": source.config, "split": source.split}
        given["revision"] = source.revision
    try:
        rows = datasets.load_dataset(**given, streaming=source.streaming or source.is_local)
        opened = _Opened(source, rows, files)
        opened.names()
    except Exception as error:  # of the library and those below it, whatever they raise
        what = f"cannot be read: {type(error).__name__}: {brief(str(error), 300)}"
        remedy = (
            "" if source.is_local else "Is the hub within reach, and do config, split and revision exist?"
        )
        raise refuse(where, what, remedy) from error
    return opened


def _files(source: Source, card: Path) -> tuple[tuple[Path, ...], str]:
    """The files of a local source, and what reads them. Raises BadInput."""
    where, place = brief(source.dataset), (card.parent / Path(source.dataset).expanduser())
    if not place.exists():
        raise refuse(where, "is not there", f"The path is seen from the folder of {brief(card.name)}")
    found = [place] if place.is_file() else sorted(file for file in place.rglob("*") if file.is_file())
    files = [file for file in found if file.suffix.lower() in _LOADERS and not file.name.startswith(".")]
    if source.split is not None:
        files = [file for file in files if _is_of(file.relative_to(place.parent), source.split)]
    loaders = sorted({_LOADERS[file.suffix.lower()] for file in files})
    if len(loaders) != 1:
        what = f"holds {listed(loaders)} files together" if loaders else "holds no file that can be read"
        split = f" of the split {brief(source.split)}" if source.split and not loaders else ""
        raise refuse(
            where, what + split, f"Name a file, or a folder of one kind: {listed(list(_LOADERS), 'or')}"
        )
    return tuple(files), loaders[0]


def _is_of(file: Path, split: str) -> bool:
    """Whether a file is one of a split: it, or a folder that it lies in, is called so, or begins so."""
    return split in file.parts[:-1] or file.name.startswith((f"{split}.", f"{split}-", f"{split}_"))


def _head(file: Path, where: str) -> list[str]:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        try:
            return next(csv.reader(lines), [])
        except (csv.Error, UnicodeDecodeError) as error:
            raise refuse(where, f"{brief(file.name)} is no table in UTF-8 ({error})") from None
