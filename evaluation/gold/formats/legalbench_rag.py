"""LegalBench-RAG: a folder of texts, and benchmarks whose tests name ranges of them."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from evaluation.gold.documents import nearest_document
from evaluation.gold.formats.folders import Files, read_files, write_file
from evaluation.gold.formats.format import Format, Imported, Kept, gold_set
from evaluation.gold.formats.placing import Places, trimmed
from evaluation.gold.formats.rows import Ids, Row, json_of, text_of
from evaluation.gold.formats.told import asked, told_of_question
from evaluation.gold.nouns import Evidence, GoldSet, Passage, Question
from evaluation.gold.quotes import Corpus
from evaluation.gold.writing import new_folder
from strategies.document import Document
from strategies.errors import BadInput, Problem, brief, refuse

CORPUS, BENCHMARKS = "corpus", "benchmarks"


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalBenchRag(Format):
    """LegalBench-RAG. All snippets of a test are needed. A test without an `id` is called by its benchmark
    and its number, `cuad-000`.
    """

    name: ClassVar[str] = "legalbench-rag"
    layout: ClassVar[str] = "a folder: corpus/**, benchmarks/*.json"
    evidence: ClassVar[str] = "any number of entries, without alternatives"
    keeps: ClassVar[frozenset[Kept]] = frozenset({"tags", "answer", "synthetic"})

    def read(self, path: Path) -> Imported:
        """See `Format.read`."""
        benchmarks = sorted((path / BENCHMARKS).glob("*.json"))
        if not benchmarks:
            raise refuse(f"{BENCHMARKS}/", "holds no *.json file", f"Name {self.layout}")
        files = read_files(path / CORPUS)
        places = Places(Corpus({document.id: document for document in files.documents.values()}))
        refused, wrong = list(files.unread.values()), list[Problem]()
        questions, ids = list[Question](), Ids()
        for benchmark in benchmarks:
            where = f"{BENCHMARKS}/{benchmark.name}"
            try:
                tests = _tests(benchmark, where)
            except BadInput as error:
                wrong += error.problems
                continue
            for number, raw in enumerate(tests):
                row = Row(f"{where}: tests[{number}]", raw, refused)
                if question := _question(row, f"{benchmark.stem}-{number:03d}", files, places, ids):
                    questions.append(question)
        if wrong:
            raise BadInput([*wrong, *refused])
        gold = gold_set(path.name, files.documents.values(), questions)
        read = (*benchmarks, *files.paths.values())
        return Imported(gold, tuple(refused), (*files.notes, *places.told("benchmarks/")), read)

    def write(self, gold: GoldSet, path: Path) -> None:
        """See `Format.write`."""
        texts = {document.id: document.text for document in gold.documents}
        tests = [_test(question, texts) for question in gold.questions]
        with new_folder(path) as place:
            for name, text in texts.items():
                write_file(place / CORPUS, name, text)
            (place / BENCHMARKS).mkdir()
            content = json.dumps({"tests": tests}, ensure_ascii=False, indent=1) + "\n"
            (place / BENCHMARKS / "questions.json").write_text(content, "utf-8", newline="\n")

    def unfit(self, question: Question, documents: Mapping[str, Document]) -> str:
        """See `Format.unfit`."""
        if any(len(entry.passages) > 1 for entry in question.evidence):
            return "has alternatives, which LegalBench-RAG does not know"
        return ""


def _tests(path: Path, where: str) -> list[Any]:
    content = json_of(text_of(path, where), where)
    if not isinstance(content, dict) or not isinstance(content.get("tests"), list):
        raise refuse(where, "is no object with a list `tests`, as the benchmarks of LegalBench-RAG are")
    tests: list[Any] = content["tests"]
    return tests


def _question(row: Row, default: str, files: Files, places: Places, ids: Ids) -> Question | None:
    """The question of a test; None where it is refused."""
    if not row.ok:
        return None
    id, text, told = row.id("id", default), row.text("query"), asked(row)
    ids.check(id, row)
    if row.content.get("snippets") is None:
        row.problem("snippets are missing", "Write [] if nothing in the documents answers the question")
    evidence = []
    for number, raw in enumerate(row.items("snippets")):
        snippet = row.inside(f"snippets[{number}]", raw)
        if passage := _passage(snippet, files, places) if snippet.ok else None:
            evidence.append(Evidence((passage,)))
    return Question(id, text, tuple(evidence), **told) if row.ok else None


def _passage(row: Row, files: Files, places: Places) -> Passage | None:
    path, span = unicodedata.normalize("NFC", row.text("file_path")), row.items("span")
    if not row.ok:
        return None
    if path not in files.documents:
        what = "cannot be read" if path in files.unread else f"is not in {CORPUS}/"
        row.problem(f"file_path {brief(path)} {what}", nearest_document(path, files.documents))
        return None
    document = files.documents[path]
    if len(span) != 2 or not all(type(end) is int for end in span):
        row.problem("span is no pair of offsets", "Write [start, end], half-open, in characters")
        return None
    start, end = span
    has_words = row.content.get("answer") is not None
    inside = end <= len(document.text) and document.text[max(start, 0) : end].strip()
    if not 0 <= start < end or not (has_words or inside):
        what = f"span [{start}, {end}) is no range of words in {brief(path)}"
        row.problem(f"{what}, which has {len(document.text)} characters")
        return None
    if not has_words:
        return Passage(document.id, *trimmed(document.text, (start, end)))
    words = row.text("answer")
    found = places.find(row, "answer", document.id, (start, end), words) if row.ok else None
    return Passage(document.id, *found) if found else None


def _test(question: Question, texts: Mapping[str, str]) -> dict[str, Any]:
    passages = [entry.passages[0] for entry in question.evidence]
    snippets = [
        {"file_path": p.document, "span": [p.start, p.end], "answer": texts[p.document][p.start : p.end]}
        for p in passages
    ]
    return {"id": question.id, "query": question.text, "snippets": snippets, **told_of_question(question)}
