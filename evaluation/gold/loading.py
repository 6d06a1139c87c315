"""Gold sets: a folder of documents and questions, read, checked and resolved.

    card.yaml         what the set is; only `name` is required
    documents/        any depth, any UTF-8 text file; NAME.meta.yaml says what is known about NAME
    questions.jsonl   one question a line, with the places that answer it

`load` gives a `GoldSet` or all problems at once; `read` gives both, for a report.
"""

from __future__ import annotations

import os
import sysconfig
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.gold.card import (
    DOCUMENT_COUNTS,
    QUESTION_COUNTS,
    Card,
    check_counts,
    checksum,
    read_card,
)
from evaluation.gold.describing import describe
from evaluation.gold.documents import TextFile, decode, nearest_document, read_folder
from evaluation.gold.nouns import GoldSet, digest
from evaluation.gold.questions import Row, read_rows
from evaluation.gold.resolving import Resolver
from evaluation.gold.sidecars import is_sidecar, read_sidecars
from strategies.document import Document
from strategies.errors import BadInput, Problem, brief, nearest, refuse
from strategies.units.counting import counter_of

CARD = "card.yaml"
DOCUMENTS = "documents"
QUESTIONS = "questions.jsonl"


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading a gold set: all that could be used, and all that is wrong."""

    gold: GoldSet
    problems: tuple[Problem, ...]


def load(path: Path | str, *, skip_bad: bool = False) -> GoldSet:
    """Read a gold set by path, or a bundled one by name; BadInput with every problem found.

    `skip_bad` leaves out files that are not readable UTF-8 text (and records them in
    `GoldSet.skipped`); evidence in them is not scored. All other problems remain problems.
    """
    reading = read(locate(path), skip_bad=skip_bad)
    if reading.problems:
        raise BadInput(reading.problems)
    return reading.gold


def bundled() -> dict[str, Path]:
    """The sets that come with chunksweep, by name: of the source checkout, or else as installed."""
    shared = Path("share", "chunksweep", "datasets")
    user = sysconfig.get_path("data", sysconfig.get_preferred_scheme("user"))
    homes = [Path(sysconfig.get_path("data")) / shared, Path(user) / shared]
    for home in [Path(__file__).resolve().parents[2] / "datasets", *homes]:
        if found := {card.parent.name: card.parent for card in sorted(home.glob(f"*/{CARD}"))}:
            return found
    return {}


def locate(path: Path | str) -> Path:
    """The folder of a gold set: a path that holds a card, or else a bundled name. Raises BadInput."""
    remedy = f"Give a folder that holds {CARD}, or a bundled name"
    if path == "":
        raise refuse("data set", "its path is empty", remedy)
    # `os.path` says False where `Path` raises: for names that are too long, and folders that are closed.
    folder = Path(os.path.expanduser(path))
    if os.path.isfile(folder / CARD):
        return folder
    known = bundled()
    if isinstance(path, str) and path in known:
        return known[path]
    where = brief(str(path))
    if os.path.isdir(folder):
        name = brief(folder.resolve().name)
        if os.path.isdir(folder / DOCUMENTS) or os.path.isfile(folder / QUESTIONS):
            remedy = f"A data set needs one: write at least `name: {name}` into it"
        else:  # a folder of files, most likely
            remedy = (
                f"Make a data set of its files, in another folder: chunksweep gold new SET --from {where}"
            )
        raise refuse(where, f"the folder holds no {CARD}", remedy)
    remedy = f"{remedy}. {nearest(str(path), known)}".removesuffix(". ")
    raise refuse(where, "is neither a folder nor a bundled data set", remedy)


def read(folder: Path, *, skip_bad: bool = False) -> Reading:
    """Read the gold set in a folder that holds a card; nothing is raised for what is in it."""
    card, of_card = _read_card(folder / CARD)
    files, bad = read_folder(folder / DOCUMENTS, f"{DOCUMENTS}/")
    unread = [problem.where.removeprefix(f"{DOCUMENTS}/") for problem in bad]
    texts = [file for file in files if not is_sidecar(file.id)]
    sidecars = [file for file in files if is_sidecar(file.id)]
    documents, of_documents, warnings = _documents(texts, sidecars, card, unread)
    of_questions: list[Problem] = []
    data, rows = _read_questions(folder / QUESTIONS, of_questions)
    # Evidence in a file that could not be read fails because of that file, which is reported already.
    resolver = Resolver({document.id: document for document in documents}, QUESTIONS, frozenset(unread))
    questions = tuple(resolver.question(row) for row in rows)
    of_questions = sorted([*of_questions, *resolver.problems], key=_line)

    gold = GoldSet(
        name=card.name,
        documents=documents,
        questions=questions,
        digest=digest(documents, questions),
        card=card.raw,
        skipped=tuple(unread) if skip_bad else (),
        byte_order_marks=tuple(file.id for file in texts if file.byte_order_mark),
        warnings=(*warnings, *resolver.warnings),
        trimmed=tuple(resolver.trimmed),
    )
    if not documents and (skip_bad or not bad):
        of_documents.append(
            Problem(f"{DOCUMENTS}/", "holds no document", "Put the texts there, as UTF-8 files")
        )
    if not unread:
        of_card += _false_claims(card, gold, files, data, questions_are_whole=not of_questions)
    if not skip_bad:
        of_documents = [*bad, *of_documents]
    return Reading(gold, (*of_card, *of_documents, *of_questions))


def _read_card(path: Path) -> tuple[Card, list[Problem]]:
    _, text = _read_text(path)
    return (Card(""), [text]) if isinstance(text, Problem) else read_card(text, CARD)


def _read_questions(path: Path, problems: list[Problem]) -> tuple[bytes, Iterator[Row]]:
    """The file's bytes, and its rows, to be read once; what is wrong with its form is added."""
    data, text = _read_text(path)
    if isinstance(text, Problem):
        problems.append(text)
        return data, iter(())
    return data, read_rows(text, QUESTIONS, problems)


def _read_text(path: Path) -> tuple[bytes, str | Problem]:
    if not os.path.isfile(path):
        return b"", Problem(
            path.name, "is missing", "A data set holds card.yaml, documents/ and questions.jsonl"
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        return b"", Problem(path.name, f"cannot be read ({error.strerror or error})")
    return data, decode(data, path.name)


def _documents(
    texts: Sequence[TextFile], sidecars: Sequence[TextFile], card: Card, unread: Collection[str]
) -> tuple[tuple[Document, ...], list[Problem], list[Problem]]:
    """Documents with what is known about each, the problems of card and sidecars, and warnings.

    Of what several say, a sidecar goes before the card, and the card before front matter.
    """
    known = {file.id: file.text for file in texts}
    on_card = {unicodedata.normalize("NFC", path): entry for path, entry in card.documents.items()}
    problems = [
        Problem(
            CARD,
            f"documents.{brief(path)}: there is no such file in {DOCUMENTS}/",
            nearest_document(path, known),
        )
        for path in sorted(on_card.keys() - known.keys() - set(unread))
        if known
    ]
    beside, of_sidecars = read_sidecars(sidecars, known, unread, f"{DOCUMENTS}/")
    documents, warnings = [], list[Problem]()
    for file in texts:
        said = [source[file.id] for source in (beside, on_card) if file.id in source]
        document, found = describe(file.id, file.text, f"{DOCUMENTS}/{file.id}", *said)
        documents.append(document)
        warnings += found
    return tuple(documents), [*problems, *of_sidecars], warnings


def _false_claims(
    card: Card, gold: GoldSet, files: list[TextFile], questions: bytes, *, questions_are_whole: bool
) -> list[Problem]:
    """Counts and checksum of the card that the files belie."""
    problems = []
    if card.counts:
        counted = count(gold)
        names = DOCUMENT_COUNTS + (QUESTION_COUNTS if questions_are_whole else ())
        problems = check_counts(card, {name: counted[name] for name in names}, CARD)
    if card.checksum:
        found = checksum([(QUESTIONS, questions), *((f"{DOCUMENTS}/{file.id}", file.data) for file in files)])
        if found != card.checksum:
            remedy = "Fetch the files again or, if the change is your own, correct the card"
            problems.append(
                Problem(CARD, f"checksum is {brief(card.checksum)}, but the files give {found}", remedy)
            )
    return problems


def _line(problem: Problem) -> int:
    """Line in a problem's `where`, 0 where there is none."""
    line = problem.where.rpartition(":")[2]
    return int(line) if line.isdecimal() else 0


def count(gold: GoldSet) -> dict[str, int]:
    """What a card may count: documents, characters, cl100k_tokens, questions, evidence_spans.

    Tokens are summed over the documents, each tokenised whole; an evidence span is one entry of a
    question's evidence, whatever alternatives it has.
    """
    counter = counter_of("cl100k_base")
    return {
        "documents": len(gold.documents),
        "characters": sum(len(document.text) for document in gold.documents),
        "cl100k_tokens": sum(counter.count(document.text) for document in gold.documents),
        "questions": len(gold.questions),
        "evidence_spans": sum(len(question.evidence) for question in gold.questions),
    }
