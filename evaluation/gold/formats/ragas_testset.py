"""Testsets of ragas: questions with the words of their contexts, and the documents that these came from."""

from __future__ import annotations

import ast
import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from evaluation.gold.describing import describe
from evaluation.gold.formats.contexts import bare, places
from evaluation.gold.formats.folders import Files, read_files, write_file
from evaluation.gold.formats.format import Format, Imported, Kept, gold_set
from evaluation.gold.formats.names import Names
from evaluation.gold.formats.rows import Ids, Row, text_of
from evaluation.gold.formats.told import Told, answer, json_line, json_lines, need_file
from evaluation.gold.metadata import shown
from evaluation.gold.nouns import Evidence, GoldSet, Question
from evaluation.gold.quotes import Corpus, Quote
from evaluation.gold.quotes import shown as shown_quote
from evaluation.gold.sidecars import is_sidecar
from evaluation.gold.writing import new_folder
from strategies.document import Document
from strategies.errors import Problem, brief, listed, refuse
from strategies.strategy import parameter

TESTSET, DOCUMENTS = "testset.jsonl", "documents"
CONTEXTS, CONTEXT_IDS = "reference_contexts", "reference_context_ids"
_KEPT = {"id", "user_input", CONTEXTS, "reference", "synthesizer_name", "tags", "synthetic"}


def _place_problem(value: str) -> str:
    return "" if value.strip() and "\0" not in value else f"is {brief(repr(value))}, not a file or folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class RagasTestset(Format):
    """A testset, or evaluation data set, of ragas: JSON lines, or CSV. All contexts of a row are needed. They
    are looked for in the documents, first as they are, then but for case, quotes, dashes and white space; one
    that stands in several places is evidence in any of them. `reference` becomes the answer,
    `synthesizer_name` a tag; rows that have it were made by a model. A question is called by its number,
    `ragas-000`, unless there is an `id`.
    """

    documents: str = parameter(
        "folder or file of the documents, as seen from the testset's folder",
        default=DOCUMENTS,
        check=_place_problem,
    )

    name: ClassVar[str] = "ragas-testset"
    layout: ClassVar[str] = "a .jsonl or .csv file, or a folder of testset.jsonl; documents/** beside it"
    evidence: ClassVar[str] = "any number of entries; alternatives are all places of the words"
    keeps: ClassVar[frozenset[Kept]] = frozenset({"tags", "answer", "synthetic"})

    def read(self, path: Path) -> Imported:
        """See `Format.read`."""
        file = need_file(path / TESTSET, TESTSET, self.layout) if path.is_dir() else path
        refused, notes = list[Problem](), list[Problem]()
        rows = list(
            _csv(file, refused) if file.suffix.lower() == ".csv" else json_lines(file, file.name, refused)
        )
        source = file.parent / self.documents
        files = _files(source)
        refused[:0] = files.unread.values()
        documents = {name: one for name, one in files.documents.items() if not is_sidecar(name)}
        if beside := len(files.documents) - len(documents):
            notes.append(
                Problem(brief(self.documents), f"{beside} sidecars are left out: they are no documents")
            )
        corpus = Corpus({document.id: document for document in documents.values()})
        told, ids, lost = Told(list(corpus.documents.values())), Ids(), Counter[str]()
        questions = []
        for number, row in enumerate(rows):
            if row.ok and (question := _question(row, f"ragas-{number:03d}", corpus, told, ids)):
                questions.append(question)
                lost.update(key for key in row.content if key not in _KEPT and row.content[key])
        if lost:
            keys = listed([f"{brief(key)} ({count})" for key, count in sorted(lost.items())])
            notes.append(Problem(file.name, f"what is no part of a gold set is left out: {keys}"))
        gold = gold_set(file.stem, corpus.documents.values(), questions)
        read = [files.paths[name] for name in documents]
        named = (note for note in files.notes if not is_sidecar(note.where))
        return Imported(gold, tuple(refused), (*named, *notes), (file, *read))

    def write(self, gold: GoldSet, path: Path) -> None:
        """See `Format.write`."""
        home = Path(self.documents)
        if home.is_absolute() or ".." in home.parts or not home.parts:
            raise refuse("documents", f"is {brief(self.documents)}", "Name a folder beside the testset")
        texts = {document.id: document.text for document in gold.documents}
        with new_folder(path) as place:
            for name, text in texts.items():
                write_file(place / self.documents, name, text)
            with (place / TESTSET).open("w", encoding="utf-8", newline="") as lines:
                lines.writelines(json_line(_row(question, texts)) for question in gold.questions)

    def unfit(self, question: Question, documents: Mapping[str, Document]) -> str:
        """See `Format.unfit`."""
        corpus, seen = Corpus(documents), set[str]()
        for entry in question.evidence:
            first = entry.passages[0]
            words = documents[first.document].text[first.start : first.end]
            if words in seen:
                return f"has the same words as evidence twice: {shown_quote(Quote(words))}"
            seen.add(words)
            if bare(words) != words:
                return f"has evidence that begins as ragas marks its contexts: {shown_quote(Quote(words))}"
            if tuple(places(words, corpus)) != entry.passages:
                what = "has evidence whose alternatives are not all the places of its words, in order"
                return f"{what}, where ragas names words alone: {shown_quote(Quote(words))}"
        return ""


def _files(source: Path) -> Files:
    if source.is_dir():
        return read_files(source)
    if not source.is_file():
        remedy = "Name the folder or file of the documents: --set documents=FOLDER"
        raise refuse(brief(str(source)), "is not there", remedy)
    where = brief(source.name)
    document = describe(Names().new(source.name), text_of(source, where), where)[0]
    return Files({source.name: document}, {}, (), {source.name: source})


def _csv(path: Path, refused: list[Problem]) -> Iterator[Row]:
    """The rows of a table, its empty cells left out. Raises BadInput."""
    csv.field_size_limit(sys.maxsize)
    reader = csv.reader(io.StringIO(text_of(path, path.name), newline=""), strict=True)
    head: list[str] = []
    line = 1
    try:
        for cells in reader:
            begins, line = line, reader.line_num + 1
            if not head:
                head = cells
                if "user_input" not in head:
                    what = f"has no column user_input. It has {brief(', '.join(head)) or 'none'}"
                    raise refuse(f"{path.name}:1", what)
            elif cells:
                content: dict[str, Any] = {key: cell for key, cell in zip(head, cells, strict=False) if cell}
                row = Row(f"{path.name}:{begins}", content, refused)
                for key in (CONTEXTS, CONTEXT_IDS, "tags"):
                    if key in content:
                        content[key] = _list(row, key, content[key])
                yield row
    except csv.Error as error:
        raise refuse(f"{path.name}:{line}", f"is not CSV ({error})") from None
    if not head:
        raise refuse(path.name, "is empty", "Its first line names the columns")


def _list(row: Row, key: str, cell: str) -> Any:
    """The list in a cell, as JSON or as Python writes it."""
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(cell)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(found, list):
            return found
    row.problem(f"{key} is {shown(cell)}, not a list", 'Write ["the words of a context"]')
    return []


def _question(row: Row, default: str, corpus: Corpus, told: Told, ids: Ids) -> Question | None:
    """The question of a row; None where it is refused."""
    if isinstance(row.content.get("user_input"), list):
        row.problem("user_input is a conversation of several turns, which is no question")
        return None
    id, text = row.id("id", default), row.text("user_input")
    ids.check(id, row)
    contexts = row.texts(CONTEXTS)
    if not contexts and row.content.get(CONTEXT_IDS):
        what = f"names its contexts by {CONTEXT_IDS} alone"
        row.problem(what, f"Nobody knows them after another chunking: give their words, {CONTEXTS}")
    entries = [
        _entry(row, context, f"{CONTEXTS}[{number}]", corpus) for number, context in enumerate(contexts)
    ]
    more = told.question(row) | {"answer": answer(row, "reference"), "filter": {}}
    maker = row.content.get("synthesizer_name")
    if maker is not None and row.text("synthesizer_name", blank=True).strip():
        more["tags"] = more["tags"] if "tags" in row.content else (maker,)
        more["synthetic"] = more["synthetic"] if "synthetic" in row.content else "model"
    return Question(id, text, tuple(entry for entry in entries if entry), **more) if row.ok else None


def _entry(row: Row, context: str, called: str, corpus: Corpus) -> Evidence | None:
    """A context as evidence wherever it stands; None where that is doubtful, and the row is refused."""
    found = list(places(bare(context), corpus))
    read = {corpus.documents[one.document].text[one.start : one.end] for one in found}
    if len(read) == 1:
        return Evidence(tuple(found))
    quote = shown_quote(Quote(bare(context)))
    if not found:
        row.problem(f"{called} stands in no document: {quote}", "Name the documents that it was made of")
        return None
    where = listed([f"{brief(one.document)} at {one.start}" for one in found])
    row.problem(f"{called} stands nowhere as it is, and reads differently in {where}: {quote}")
    return None


def _row(question: Question, texts: Mapping[str, str]) -> dict[str, Any]:
    """A question as a row; `id`, `tags` and `synthetic` are passed over by ragas."""
    first = [entry.passages[0] for entry in question.evidence]
    row: dict[str, Any] = {
        "user_input": question.text,
        CONTEXTS: [texts[p.document][p.start : p.end] for p in first],
        "reference": question.answer or None,
        "synthesizer_name": question.tags[0] if question.synthetic == "model" and question.tags else None,
        "id": question.id,
        "tags": list(question.tags),
        "synthetic": question.synthetic,
    }
    return {key: value for key, value in row.items() if value is not None}
