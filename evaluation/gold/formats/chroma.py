"""The layout of Chroma's chunking_evaluation: a table of questions, and a folder of corpora."""

from __future__ import annotations

import csv
import io
import json
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from evaluation.gold.copies_that_count import MOST_PLACES, whole_words, with_copies
from evaluation.gold.documents import MEDIA_TYPES, nearest_document
from evaluation.gold.formats.folders import Files, read_files, write_file
from evaluation.gold.formats.format import Format, Imported, Kept, gold_set
from evaluation.gold.formats.names import Names, shortened
from evaluation.gold.formats.placing import Places
from evaluation.gold.formats.rows import Ids, Row, json_of, text_of
from evaluation.gold.formats.told import asked
from evaluation.gold.nouns import Evidence, GoldSet, Passage, Question
from evaluation.gold.quotes import Corpus, Quote, occurrences, shown
from evaluation.gold.unwritable import LONGEST_NAME_BYTES, Taken
from evaluation.gold.writing import new_folder
from strategies.document import Document
from strategies.errors import BadInput, Problem, brief, counted, refuse
from strategies.strategy import parameter

TABLE, CORPORA, SUFFIX = "questions_df.csv", "corpora", ".md"
COLUMNS = ("question", "references", "corpus_id")
MORE = ("tags", "answer", "synthetic")
"""Columns that only our tables have; others pass over them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chroma(Format):
    """The layout of Chroma's chunking_evaluation. All references of a question are needed, and all are in
    one corpus. A question is called by its number, `chroma-000`, unless there is a column `id`.
    """

    first_occurrence: bool = parameter(
        "evidence that repeats word for word counts where its row says alone; else its copies will do, too, "
        "unless there are more than ten",
        default=False,
    )

    name: ClassVar[str] = "chroma"
    layout: ClassVar[str] = "a folder: questions_df.csv, corpora/NAME.md"
    evidence: ClassVar[str] = (
        "any number of entries in one document; alternatives are the copies of the words, as whole words"
    )
    keeps: ClassVar[frozenset[Kept]] = frozenset({"tags", "answer", "synthetic"})

    def read(self, path: Path) -> Imported:
        """See `Format.read`."""
        rows = list(_rows(text_of(path / TABLE, TABLE)))
        files = read_files(path / CORPORA, _document_name)
        by_corpus = {name.removesuffix(SUFFIX): document for name, document in files.documents.items()}
        places = Places(Corpus({document.id: document for document in files.documents.values()}))
        refused = list(files.unread.values())
        questions, ids, lines = list[Question](), Ids(), dict[tuple[str, str], int]()
        for number, (line, content, beyond) in enumerate(rows):
            row = Row(f"{TABLE}:{line}", content, refused)
            if beyond > 0:
                row.problem(
                    f"has {counted(beyond, 'cell')} beyond the columns", "Quote cells that hold commas"
                )
            if question := self._question(row, f"chroma-{number:03d}", by_corpus, files, places, ids):
                questions.append(question)
                key = (question.text, str(content["corpus_id"]))
                if lines.setdefault(key, line) != line:
                    places.notes.append(
                        Problem(row.where, f"asks what line {lines[key]} asks, word for word")
                    )
        gold = gold_set(path.name, files.documents.values(), questions)
        read = (path / TABLE, *files.paths.values())
        return Imported(gold, tuple(refused), (*files.notes, *places.told(TABLE)), read)

    def _question(
        self,
        row: Row,
        default: str,
        corpora: Mapping[str, Document],
        files: Files,
        places: Places,
        ids: Ids,
    ) -> Question | None:
        id, text, corpus = row.id("id", default), row.text("question"), row.text("corpus_id", blank=True)
        ids.check(id, row)
        told, corpus = asked(row), unicodedata.normalize("NFC", corpus)
        if row.ok and corpus not in corpora:
            what = "cannot be read" if corpus + SUFFIX in files.unread else f"is not in {CORPORA}/"
            row.problem(f"corpus {brief(corpus)} {what}", nearest_document(corpus, corpora))
        references = _references(row)
        if not row.ok:
            return None
        document = corpora[corpus]
        evidence = []
        for number, raw in enumerate(references):
            one = row.inside(f"references[{number}]", raw)
            words = one.text("content") if one.ok else ""
            said = (one.whole("start_index"), one.whole("end_index")) if one.ok else (0, 0)
            if one.ok and (found := places.find(one, "content", document.id, said, words)):
                first = Passage(document.id, *found)
                entry = self._entry(first, document)
                if entry is None:
                    what = (
                        f"content stands in more than {MOST_PLACES} places: only that at {first.start} counts"
                    )
                    places.notes.append(one.told(what))
                evidence.append(entry or Evidence((first,)))
        return Question(id, text, tuple(evidence), **told) if row.ok else None

    def _entry(self, first: Passage, document: Document) -> Evidence | None:
        """A place and, where they count, the copies of its words; None where these are too many."""
        if self.first_occurrence:
            return Evidence((first,))
        words = document.text[first.start : first.end]
        starts = occurrences(document.text, words, overlapping=True)
        found = (Passage(document.id, start, start + len(words)) for start in starts)
        return with_copies(first, found, {document.id: document}, whole_words)

    def write(self, gold: GoldSet, path: Path) -> None:
        """See `Format.write`."""
        texts = {document.id: document.text for document in gold.documents}
        table = io.StringIO(newline="")
        writer = csv.writer(table, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(["id", *COLUMNS, *MORE])
        for question in gold.questions:
            references = [_reference(entry.passages[0], texts) for entry in question.evidence]
            home = question.evidence[0].passages[0].document if question.evidence else gold.documents[0].id
            corpus = _file_name(home).removesuffix(SUFFIX)
            tags = json.dumps(question.tags, ensure_ascii=False) if question.tags else ""
            told = (tags, question.answer, question.synthetic)
            writer.writerow([question.id, question.text, json.dumps(references), corpus, *told])
        with new_folder(path) as place:
            for name, text in texts.items():
                write_file(place / CORPORA, _file_name(name), text)
            (place / TABLE).write_text(table.getvalue(), "utf-8", newline="")

    def unfit(self, question: Question, documents: Mapping[str, Document]) -> str:
        """See `Format.unfit`."""
        if "\0" in "".join((question.id, question.text, question.answer)):
            return "holds a NUL, which a table cannot"
        homes = {passage.document for entry in question.evidence for passage in entry.passages}
        if len(homes) > 1:
            return f"has evidence in {len(homes)} documents, where Chroma's layout holds that of one"
        other = [entry for entry in question.evidence if entry != self._as_held(entry, documents)]
        if not other:
            return ""
        opposite = replace(self, first_occurrence=not self.first_occurrence)
        mends = all(entry == opposite._as_held(entry, documents) for entry in question.evidence)
        if self.first_occurrence:
            why = "has alternatives, which are not held with --first-occurrence"
            return f"{why}: without it they are" if mends else why
        if not mends:
            return "has alternatives other than all copies of the same words, in order"
        first, *copies = self._as_held(other[0], documents).passages
        words = shown(Quote(documents[first.document].text[first.start : first.end]))
        places = f"{counted(len(copies), 'other place')}, which would count, too"
        return f"has evidence whose words stand in {places}: {words}. With --first-occurrence it is held"

    def _as_held(self, entry: Evidence, documents: Mapping[str, Document]) -> Evidence:
        """What reading makes of a piece of evidence, of which the first place is written."""
        first = entry.passages[0]
        return self._entry(first, documents[first.document]) or Evidence((first,))

    def names(self, gold: GoldSet) -> Mapping[str, str]:
        """See `Format.names`."""
        names, files = Names(), Taken()
        found = {}
        for document in gold.documents:
            name = names.new(_document_name(_fitting(document.id)))
            while files.by(_file_name(name)):  # the file of `a.txt` is called as a folder `a.txt.md` is
                name = names.new(name)
            files.add(_file_name(name))
            found[document.id] = name
        return {before: after for before, after in found.items() if before != after}


def _rows(text: str) -> Iterator[tuple[int, dict[str, Any], int]]:
    """Each row of the table with the line that it begins in, and its cells beyond the columns.

    Raises BadInput.
    """
    csv.field_size_limit(sys.maxsize)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    line = 1
    try:
        for cells in reader:
            begins, line = line, reader.line_num + 1
            if not header:
                header = cells
                if missing := [name for name in COLUMNS if name not in header]:
                    what = f"has no column {', '.join(missing)}"
                    raise refuse(f"{TABLE}:1", what, f"It has {brief(', '.join(header)) or 'none'}")
            elif cells:
                # Null stands for a cell that is empty, or not there.
                found: dict[str, Any] = {n: cell or None for n, cell in zip(header, cells, strict=False)}
                yield begins, found | {"tags": _tags(found.get("tags"))}, len(cells) - len(header)
    except csv.Error as error:
        raise refuse(f"{TABLE}:{line}", f"is not CSV ({error})") from None
    if not header:
        raise refuse(TABLE, "is empty", f"Its first line names the columns {', '.join(COLUMNS)}")


def _references(row: Row) -> list[Any]:
    """The list in the cell `references`, which is JSON; what is wrong refuses the row."""
    cell = row.text("references")
    if not cell:
        return []
    try:
        found = json_of(cell, "references")
    except BadInput as error:
        row.problem(
            f"references: {error.problems[0].what}", 'Write [{"content", "start_index", "end_index"}]'
        )
        return []
    if not isinstance(found, list):
        row.problem("references are no list", 'Write [{"content", "start_index", "end_index"}]')
        return []
    return found


def _tags(cell: str | None) -> list[Any]:
    """The list in the cell `tags`, which is JSON; anything else is one tag."""
    try:
        found = json_of(cell or "[]", "tags")
    except BadInput:
        found = None
    return found if isinstance(found, list) else [cell]


def _document_name(file: str) -> str:
    """The document id of a file in `corpora/`, which may have its own suffix before the `.md` of all."""
    stem = file.removesuffix(SUFFIX)
    return stem if PurePosixPath(stem).suffix.lower() in MEDIA_TYPES else file


def _file_name(document: str) -> str:
    """The file in `corpora/` of a document."""
    stem = document.removesuffix(SUFFIX)
    plain = stem != document and PurePosixPath(stem).suffix.lower() not in MEDIA_TYPES
    return document if plain else document + SUFFIX


def _fitting(document: str) -> str:
    """The file in `corpora/` of a document, its name shortened where there is no room for the suffix."""
    path = PurePosixPath(_file_name(document))
    stem = shortened(path.name.removesuffix(SUFFIX), LONGEST_NAME_BYTES - len(SUFFIX))
    return str(path.with_name(stem + SUFFIX))


def _reference(passage: Passage, texts: Mapping[str, str]) -> dict[str, Any]:
    words = texts[passage.document][passage.start : passage.end]
    return {"content": words, "start_index": passage.start, "end_index": passage.end}
