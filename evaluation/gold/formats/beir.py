"""BEIR: a corpus and queries as JSON lines, and judgements of which document answers which query."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from evaluation.gold.formats.format import Format, Imported, Kept, gold_set
from evaluation.gold.formats.names import Names
from evaluation.gold.formats.placing import trimmed
from evaluation.gold.formats.rows import Ids, Row, text_of
from evaluation.gold.formats.told import (
    Told,
    described,
    json_line,
    json_lines,
    need_file,
    told_of_document,
    told_of_question,
)
from evaluation.gold.nouns import Evidence, GoldSet, Passage, Question
from evaluation.gold.writing import new_folder
from strategies.document import Document
from strategies.errors import BadInput, Problem, brief, listed, refuse
from strategies.strategy import parameter

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"
HEADER = ("query-id", "corpus-id", "score")
BETWEEN = "\n\n"
"""What stands between a title and its text."""


def _split_problem(value: str) -> str:
    plain = value.strip() and value.isprintable() and not set(value) & set('/\\:*?"<>|')
    return "" if plain else f"is {brief(repr(value))}, not the name of a file in {QRELS}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beir(Format):
    """BEIR. Each document that is judged relevant is one piece of evidence, whole. Only queries that are
    judged in the split become questions; one whose documents all score too low has no evidence. A title
    becomes the first line of its document, and metadata `title`.
    """

    split: str = parameter("the judgements `qrels/SPLIT.tsv`", default="test", check=_split_problem)
    least_score: int = parameter("judgements of a lower score are no evidence", default=1)

    name: ClassVar[str] = "beir"
    layout: ClassVar[str] = "a folder: corpus.jsonl, queries.jsonl, qrels/*.tsv"
    evidence: ClassVar[str] = "any number of whole documents, without alternatives"
    keeps: ClassVar[frozenset[Kept]] = frozenset({"tags", "filter", "answer", "synthetic", "metadata"})
    caution: ClassVar[str] = (
        "evidence is whole documents: no chunk holds all of a long one, and smaller chunks find less of it "
        "whatever they hold. Compare rankings of documents with it, not sizes of chunks"
    )

    def read(self, path: Path) -> Imported:
        """See `Format.read`."""
        corpus, queries = (need_file(path / name, name, self.layout) for name in (CORPUS, QUERIES))
        where = f"{QRELS}/{self.split}.tsv"
        if not (path / where).is_file():
            splits = sorted(file.stem for file in (path / QRELS).glob("*.tsv"))
            remedy = f"There is: --set split={listed([brief(one) for one in splits], 'or')}" if splits else ""
            raise refuse(where, "is not there", remedy)
        judged = list(_judgements(text_of(path / where, where), where))
        refused, notes = list[Problem](), list[Problem]()
        documents = _documents(corpus, refused, notes)
        told = Told([document for document in documents.values() if document])
        questions, evidence = dict[str, Row](), dict[str, dict[str, Passage]]()
        ids = Ids()
        for row in json_lines(queries, QUERIES, refused):
            id = row.id("_id") if row.ok else ""
            ids.check(id, row)
            if id:
                questions.setdefault(id, row)
        for line, (query, document, score) in judged:
            place = f"{where}:{line}"
            if query not in questions:
                refused.append(Problem(place, f"query {brief(query)} is not in {QUERIES}"))
                continue
            found = evidence.setdefault(query, {})
            if score < self.least_score:
                continue
            one = Row(place, {}, refused, of=questions[query])
            if document in found:
                notes.append(Problem(place, f"judges {brief(document)} for {brief(query)} again"))
            elif passage := _whole(one, document, documents):
                found[document] = passage
        if graded := sum(score != 1 for _, (_, _, score) in judged if score >= self.least_score):
            what = (
                f"{graded} of {len(judged)} judgements are graded otherwise than 1: all evidence counts alike"
            )
            notes.append(Problem(where, what))
        asked = list(_questions(questions, evidence, told))
        gold = gold_set(path.name, [document for document in documents.values() if document], asked)
        return Imported(gold, tuple(refused), tuple(notes), (corpus, queries, path / where))

    def write(self, gold: GoldSet, path: Path) -> None:
        """See `Format.write`."""
        table = io.StringIO(newline="")
        plain = csv.writer(table, delimiter="\t", lineterminator="\n")
        quoted = csv.writer(table, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_ALL)
        plain.writerow(HEADER)
        for question in gold.questions:
            relevant = [entry.passages[0].document for entry in question.evidence]
            # Of a question without evidence no document is relevant, and one judgement says so of one.
            rows = [(name, 1) for name in relevant] or [(gold.documents[0].id, 0)]
            for name, score in rows:
                # A lone carriage return is left bare by the plain one, and would end the line.
                (quoted if "\r" in question.id + name else plain).writerow((question.id, name, score))
        with new_folder(path) as place:
            (place / QRELS).mkdir()
            with (place / CORPUS).open("w", encoding="utf-8", newline="") as lines:
                lines.writelines(json_line(_corpus_row(document)) for document in gold.documents)
            with (place / QUERIES).open("w", encoding="utf-8", newline="") as lines:
                for one in gold.questions:
                    lines.write(json_line({"_id": one.id, "text": one.text, **told_of_question(one)}))
            (place / QRELS / f"{self.split}.tsv").write_text(table.getvalue(), "utf-8", newline="")

    def unfit(self, question: Question, documents: Mapping[str, Document]) -> str:
        """See `Format.unfit`."""
        if "\0" in question.id:
            return "holds a NUL, which a table cannot"
        if any(len(entry.passages) > 1 for entry in question.evidence):
            return "has alternatives, which BEIR does not know"
        homes = [entry.passages[0].document for entry in question.evidence]
        if len(set(homes)) < len(homes):
            return "has several pieces of evidence in one document, where BEIR knows whole ones only"
        for entry in question.evidence:
            first = entry.passages[0]
            text = documents[first.document].text
            if (first.start, first.end) != trimmed(text, (0, len(text))):
                return f"has a part of {brief(first.document)} as evidence, where BEIR knows whole documents"
        return ""


def _documents(path: Path, refused: list[Problem], notes: list[Problem]) -> dict[str, Document | None]:
    """Documents by their foreign id, None where one is refused."""
    names, found = Names(), dict[str, Document | None]()
    for row in json_lines(path, CORPUS, refused):
        id = row.id("_id", blank=True) if row.content else ""
        if id in found and row.ok:
            row.problem(f"_id {brief(repr(id))} stands above already")
            continue
        document = _document(row, id, names) if row.ok else None
        if "_id" in row.content:
            found.setdefault(id, document if row.ok else None)
        if row.ok and document and document.id != id:
            notes.append(Problem(row.where, f"{brief(id)} is called {brief(document.id)}"))
    return found


def _document(row: Row, id: str, names: Names) -> Document:
    """The document of a row, its title above its text."""
    title, text = (
        row.text(key, blank=True) if row.content.get(key) is not None else "" for key in ("title", "text")
    )
    if not title.strip():
        return described(row, names.new(id), text)
    return described(row, names.new(id), _joined(title, text), {"title": title})


def _joined(title: str, text: str) -> str:
    return f"{title}{BETWEEN}{text}" if text else title


def _corpus_row(document: Document) -> dict[str, Any]:
    """A document as a row of the corpus: its title apart, where reading puts it back."""
    title, text = _apart(document)
    return {"_id": document.id, "title": title, "text": text, **told_of_document(document)}


def _apart(document: Document) -> tuple[str, str]:
    """Title and text, of which `_joined` makes the document's text; no title where its text has none."""
    title, text = document.metadata.get("title"), document.text
    if isinstance(title, str) and title.strip():
        if text == title:
            return title, ""
        if rest := text.partition(title + BETWEEN)[2] if text.startswith(title + BETWEEN) else "":
            return title, rest
    return "", text


def _judgements(text: str, where: str) -> Iterator[tuple[int, tuple[str, str, float]]]:
    """Line, query, document and score of each judgement. Raises BadInput with all lines that are none."""
    csv.field_size_limit(sys.maxsize)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t")
    wrong, rows = list[Problem](), list[tuple[int, tuple[str, str, float]]]()
    line = 1
    try:
        for number, cells in enumerate(reader):
            begins, line = line, reader.line_num + 1
            score = _score(cells[2]) if len(cells) == 3 else None
            if number == 0:
                if score is not None:
                    what = "is a judgement, where BEIR has a line of headings"
                    wrong.append(
                        Problem(f"{where}:1", what, f"Write {', '.join(HEADER)} above it, with tabs")
                    )
            elif score is not None:
                rows.append((begins, (cells[0], cells[1], score)))
            elif cells:
                what = f"is {brief(repr(cells))}, not a query, a document and a score"
                wrong.append(Problem(f"{where}:{begins}", what, "Put tabs between them"))
    except csv.Error as error:
        wrong.append(Problem(f"{where}:{line}", f"is no table ({error})"))
    if wrong:
        raise BadInput(wrong)
    yield from rows


def _score(cell: str) -> float | None:
    try:
        score = float(cell)
    except ValueError:
        return None
    return score if score == score else None


def _whole(row: Row, id: str, documents: Mapping[str, Document | None]) -> Passage | None:
    """The whole of a document; None where that is no evidence, and the query is refused."""
    document = documents.get(id)
    if document is None:
        row.problem(f"document {brief(id)} {'cannot be read' if id in documents else f'is not in {CORPUS}'}")
    elif not document.text.strip():
        row.problem(f"document {brief(id)} has no text, so it cannot be evidence")
    else:
        return Passage(document.id, *trimmed(document.text, (0, len(document.text))))
    return None


def _questions(
    rows: Mapping[str, Row], evidence: Mapping[str, Mapping[str, Passage]], told: Told
) -> Iterator[Question]:
    """The questions of queries that are judged, in the order of their file."""
    for id, row in rows.items():
        if id in evidence:
            text, more = row.text("text"), told.question(row)
            if row.ok:
                yield Question(id, text, tuple(Evidence((one,)) for one in evidence[id].values()), **more)
