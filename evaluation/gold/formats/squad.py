"""SQuAD 1.1 and 2.0: one JSON file of articles, their paragraphs, questions and answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from evaluation.gold.changing import replace_file
from evaluation.gold.describing import describe
from evaluation.gold.formats.format import Format, Imported, Kept, gold_set
from evaluation.gold.formats.names import Names
from evaluation.gold.formats.placing import Places
from evaluation.gold.formats.rows import Ids, Row, json_of, text_of
from evaluation.gold.formats.told import asked as told_by
from evaluation.gold.formats.told import told_of_question
from evaluation.gold.metadata import shown
from evaluation.gold.nouns import Evidence, GoldSet, Passage, Question
from evaluation.gold.quotes import Corpus
from evaluation.gold.unwritable import text_problem
from strategies.document import Document
from strategies.errors import Problem, brief, listed, refuse

BETWEEN = "\n\n"
"""What stands between two paragraphs of an article."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Squad(Format):
    """SQuAD 1.1 and 2.0. An article becomes one document: its title the name, its paragraphs joined by
    a blank line. The answers of a question are alternatives of each other; a question that is impossible has
    no evidence. Written as 2.0, each document as one paragraph.
    """

    name: ClassVar[str] = "squad"
    layout: ClassVar[str] = "one JSON file"
    evidence: ClassVar[str] = "one entry, all its alternatives in one document"
    keeps: ClassVar[frozenset[Kept]] = frozenset({"tags", "answer", "synthetic"})

    def read(self, path: Path) -> Imported:
        """See `Format.read`."""
        where = path.name
        content = json_of(text_of(path, where), where)
        if not isinstance(content, dict) or not isinstance(content.get("data"), list):
            raise refuse(where, "is no object with a list `data` of articles, as SQuAD files are")
        refused, notes = list[Problem](), list[Problem]()
        documents, questions = list[Document](), list[Question]()
        names, ids, counts = Names(), Ids(), _Counts()
        for at, raw in enumerate(content["data"]):
            article = Row(f"{where}: data[{at}]", raw, refused)
            paragraphs = list(_paragraphs(article))
            text = BETWEEN.join(context for _, context, _ in paragraphs)
            if what := text_problem(text):
                article.problem(f"its text {what}")
            title = article.id("title", f"article-{at:03d}", blank=True)
            if not article.ok:
                count = sum(len(row.items("qas")) for row, _, _ in paragraphs if row.content)
                refused.append(article.told(f"its {count} questions are left out with it"))
                continue
            document = describe(names.new(title), text, article.where)[0]
            if document.id != title:
                notes.append(
                    Problem(article.where, f"is called {document.id}: {title!r} names no file, or is taken")
                )
            documents.append(document)
            if not text.strip():
                counts.blank.append(document.id)
            for number, (row, context, start) in enumerate(paragraphs):
                part = Document(document.id, context)
                places = Places(Corpus({document.id: part}))
                for index, asked in enumerate(row.items("qas")):
                    one = Row(f"{article.where}.paragraphs[{number}].qas[{index}]", asked, refused)
                    if question := _question(one, document.id, start, places, ids, counts):
                        questions.append(question)
                notes += places.notes
        notes += counts.notes(where, len(documents), len(questions))
        return Imported(gold_set(path.stem, documents, questions), tuple(refused), tuple(notes), (path,))

    def write(self, gold: GoldSet, path: Path) -> None:
        """See `Format.write`."""
        asked: dict[str, list[dict[str, Any]]] = {document.id: [] for document in gold.documents}
        texts = {document.id: document.text for document in gold.documents}
        first = gold.documents[0].id if gold.documents else ""
        for question in gold.questions:
            passages = question.evidence[0].passages if question.evidence else ()
            answers = [
                {"text": texts[p.document][p.start : p.end], "answer_start": p.start} for p in passages
            ]
            row = {"id": question.id, "question": question.text, "answers": answers}
            home = passages[0].document if passages else first
            asked[home].append({**row, "is_impossible": not answers, **told_of_question(question)})
        data = [
            {"title": name, "paragraphs": [{"context": texts[name], "qas": qas}]}
            for name, qas in asked.items()
        ]
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps({"version": "v2.0", "data": data}, ensure_ascii=False, indent=1) + "\n")

    def unfit(self, question: Question, documents: Mapping[str, Document]) -> str:
        """See `Format.unfit`."""
        if len(question.evidence) > 1:
            return f"has {len(question.evidence)} pieces of evidence, where SQuAD holds one"
        homes = {passage.document for entry in question.evidence for passage in entry.passages}
        return (
            "has alternatives in several documents, where SQuAD holds those of one" if len(homes) > 1 else ""
        )


def _paragraphs(article: Row) -> Iterator[tuple[Row, str, int]]:
    """Each paragraph, its text, and where it starts in the document; what is wrong refuses the article."""
    start = 0
    for number, raw in enumerate(article.items("paragraphs")):
        row = article.inside(f"paragraphs[{number}]", raw)
        context = row.text("context", blank=True) if row.ok else ""
        yield row, context, start
        start += len(context) + len(BETWEEN)


@dataclass(frozen=True, slots=True)
class _Counts:
    """What is told once for all of a file: ids of questions, and of documents."""

    plausible: list[str] = field(default_factory=list)
    listed: list[str] = field(default_factory=list)
    """With an explicit empty list, as SQuAD 1.1 may have them: it has no `is_impossible`."""
    blank: list[str] = field(default_factory=list)

    def notes(self, where: str, articles: int, questions: int) -> Iterator[Problem]:
        """A note for each kind of which there is one."""
        for some, what in (
            (self.plausible, f"of {questions} questions have plausible_answers, which are left out"),
            (self.listed, f"of {questions} questions have an empty list of answers: nothing answers them"),
            (self.blank, f"of {articles} articles hold no text"),
        ):
            if some:
                yield Problem(where, f"{len(some)} {what}: {listed([brief(id) for id in some])}")


def _question(
    row: Row, document: str, shift: int, places: Places, ids: Ids, counts: _Counts
) -> Question | None:
    """The question of a row in a paragraph that starts at `shift`; None where it is refused."""
    if not row.ok:
        return None
    id, text = row.id("id"), row.text("question")
    ids.check(id, row)
    told = told_by(row)
    answers = row.items("answers") if row.ok else []
    if row.ok:
        _check_answered(row)
    passages: list[Passage] = []
    for number, raw in enumerate(answers):
        answer = row.inside(f"answers[{number}]", raw)
        words, start = (answer.text("text"), answer.whole("answer_start")) if answer.ok else ("", 0)
        if answer.ok and (found := places.find(answer, "text", document, (start, start + len(words)), words)):
            passages.append(Passage(document, found[0] + shift, found[1] + shift))
    evidence = (Evidence(tuple(dict.fromkeys(passages))),) if passages else ()
    if not row.ok:
        return None
    if row.content.get("plausible_answers"):
        counts.plausible.append(id)
    if not answers and row.content.get("is_impossible") is None:
        counts.listed.append(id)
    return Question(id, text, evidence, **told)


def _check_answered(row: Row) -> None:
    """Refuse a row that neither has answers nor says that there are none, or that does both."""
    answers, impossible = row.content.get("answers"), row.content.get("is_impossible")
    if impossible is not None and not isinstance(impossible, bool):
        row.problem(f"is_impossible is {shown(impossible)}, not true or false")
    elif answers and impossible:
        row.problem("is_impossible is true, but there are answers")
    elif not answers and impossible is not True and (answers is None or impossible is False):
        said = "missing" if impossible is None else "false"
        remedy = "Write true if nothing in the text answers it"
        row.problem(f"has no answers, and is_impossible is {said}", remedy)
