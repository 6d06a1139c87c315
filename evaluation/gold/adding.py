"""A question on its way to `questions.jsonl`: where its quotes stand, its id, its place in the file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.gold import card_claims
from evaluation.gold.changing import (
    appended,
    bundled_set,
    ids_in,
    locked,
    questions_text,
)
from evaluation.gold.documents import nearest_document
from evaluation.gold.loading import QUESTIONS, Reading, locate, read
from evaluation.gold.near import NearMatches, reading
from evaluation.gold.nouns import Evidence, Passage, Question
from evaluation.gold.quotes import Corpus, Quote, fold, shown
from evaluation.gold.resolving import SHOWN_PLACES
from evaluation.gold.warnings.common_words import ENGLISH, SPEAKING_OF_TEXT, common_words
from evaluation.gold.warnings.copied_words import overlap
from evaluation.gold.warnings.cut_words import cut_word
from evaluation.gold.warnings.material import Material
from evaluation.gold.writing import question_line
from evaluation.ranking.bm25 import words
from evaluation.scalars import HALF_PAIR, is_unicode
from strategies.document import Document
from strategies.errors import BadInput, Problem, brief, listed, refuse

LONGEST_ID = 40
ASKING = frozenset(("how", "what", "when", "where", "which", "who", "whom", "whose", "why"))


@dataclass(frozen=True, slots=True)
class Draft:
    """A set that questions are added to."""

    folder: Path
    reading: Reading
    documents: Mapping[str, Document]
    corpus: Corpus
    near: NearMatches
    material: Material

    def places(self, quote: Quote, document: str | None = None) -> list[Passage]:
        """Where a quote stands, in one document or in all: exactly or, if nowhere, folded."""
        return list(self.corpus.places(quote, None if document is None else [document]))

    def every(self, quote: Quote, document: str | None = None) -> Evidence:
        """Any of the places of a quote, as `any` of a file means it."""
        names = self.documents if document is None else [document]
        return Evidence(
            tuple(Passage(name, *place) for name in names for place in self.corpus.every(name, quote))
        )

    def copies(self, question: Question) -> bool:
        """Whether a question is in the words of its evidence, as `gold check` will say when it is added."""
        if not question.evidence:
            return False
        asked = words(question.text)
        common = common_words([*self.material.words_of(""), asked], self.material.frequency)
        return overlap(question, asked, self.documents, common).copied

    def cut(self, evidence: Iterable[Evidence]) -> list[str]:
        """A sentence for each place that begins or ends inside a word, as `gold check` will say."""
        places = dict.fromkeys(place for entry in evidence for place in entry.passages)
        read = {place: cut_word(self.documents[place.document].text, place) for place in places}
        return [
            f"Evidence in {brief(place.document)} at {place.start} begins or ends inside a word: {words}"
            for place, words in read.items()
            if words
        ]


def begin(path: str) -> Draft:
    """Read the set in a folder, whatever is wrong with its questions. Raises BadInput if it can have none."""
    folder = locate(path)
    if problems := bundled_set(folder):
        raise BadInput(problems)
    found = read(folder)
    documents = {document.id: document for document in found.gold.documents}
    if not documents:
        raise BadInput(found.problems)
    questions_text(folder)
    corpus = Corpus(documents)
    return Draft(folder, found, documents, corpus, NearMatches(corpus), Material(found.gold))


def evidence(
    draft: Draft, quotes: Sequence[str], document: str | None = None, *, every: bool = False
) -> tuple[Evidence, ...]:
    """One entry for each quote, which must stand in one place, or in any with `every`. Raises BadInput.

    The error of a quote that stands nowhere names the places most like it.
    """
    if document is not None:
        given, document = document, unicodedata.normalize("NFC", document)
        if document not in draft.documents:
            what = f"there is no document {brief(repr(given))}"
            raise refuse("--document", what, nearest_document(document, draft.documents))
    entries: list[Evidence] = []
    problems: list[Problem] = []
    for text in quotes:
        quote = Quote(text)
        places = draft.places(quote, document)
        if not quote.text:
            problems.append(Problem("--quote", "is empty", "Copy the words from the document"))
        elif not places:
            where = document or "any document"
            problems.append(
                Problem(
                    "--quote",
                    f"{shown(quote)} does not stand in {where}",
                    suggestions(draft, quote, document),
                )
            )
        elif len(places) > 1 and not every:
            found = listed([f"{place.document} at {place.start}" for place in places], most=SHOWN_PLACES)
            remedy = "Give a longer quote, its --document, or --any if each of them will do"
            problems.append(Problem("--quote", f"{shown(quote)} stands in {found}", remedy))
        else:
            entries.append(draft.every(quote, document) if every else Evidence((places[0],)))
    if problems:
        raise BadInput(problems)
    return tuple(dict.fromkeys(entries))


def suggestions(draft: Draft, quote: Quote, document: str | None) -> str:
    """What reads most like a quote that stands nowhere, in sentences."""
    found = draft.near.find(quote, document) or draft.near.find(quote)
    said = [reading(near, quote, draft.documents[near.document].text) for near in found]
    return ". Or: ".join(said) or "Copy the words from the document"


def suggested_id(question: str, taken: Collection[str]) -> str:
    """An id of the question's words that none has yet.

    >>> suggested_id("When may I put out the bins?", {"when-bins"})
    'when-bins-2'
    >>> suggested_id("What does the lease say about bicycles in the cellar?", ())
    'lease-bicycles-cellar'
    """
    plain = "".join(sign for sign in fold(question).text if not unicodedata.combining(sign))
    found = list(dict.fromkeys(re.findall(r"[^\W_]+", plain)))
    content = [word for word in found if word not in ENGLISH and word not in SPEAKING_OF_TEXT]
    asking = [word for word in found if word in content or word in ASKING]
    naming = [word for word in found if word not in ENGLISH or word in ASKING]
    # One word is soon that of the next question, too.
    telling = next((words for words in (content, asking, naming) if len(words) > 1), found)
    slug = ""
    for word in telling:
        longer = f"{slug}-{word}" if slug else word[:LONGEST_ID]
        if len(longer) > LONGEST_ID:
            break
        slug = longer
    slug, number = slug or "question", 1
    name = slug
    while name in taken:
        number += 1
        name = f"{slug}-{number}"
    return name


def tags_of(text: str) -> tuple[str, ...]:
    """Tags with commas between.

    >>> tags_of("table, multi,"), tags_of(" ")
    (('table', 'multi'), ())
    """
    return tuple(tag for tag in map(str.strip, text.split(",")) if tag)


def checked(question: Question) -> Question:
    """A question in the form in which it will be read again. Raises BadInput with all that is wrong."""
    question = replace(
        question,
        id=question.id.strip(),
        text=question.text.strip(),
        answer=question.answer.strip(),
        tags=tuple(dict.fromkeys(tag.strip() for tag in question.tags)),
    )
    problems = []
    if not question.id:
        problems.append(Problem("id", "is empty", "Give the question an id of its own"))
    if not question.text:
        problems.append(Problem("question", "is empty", "Write the question as text"))
    if not all(question.tags):
        problems.append(Problem("tag", "is empty", "Write a word, or leave it out"))
    if not all(map(is_unicode, (question.id, question.text, question.answer, *question.tags))):
        problems.append(Problem("question", *HALF_PAIR))
    if problems:
        raise BadInput(problems)
    return question


def save(draft: Draft, question: Question) -> list[Problem]:
    """Add a question to the file and keep the card's claims true; says what of them could not be kept.

    Raises BadInput where its id is taken, and OSError where nothing could be written. Whoever adds to the
    same set meanwhile waits. Both files are on disk before the first is put in its place.
    """
    question = checked(question)
    with locked(draft.folder):
        old = questions_text(draft.folder)
        if question.id in ids_in(old):
            raise refuse("id", f"{brief(repr(question.id))} is taken", "Give the question an id of its own")
        new = appended(old, [question_line(question, draft.documents)])
        spans = len(question.evidence)
        return card_claims.replace_questions(draft.folder, old, new, questions=1, evidence_spans=spans)


def ids(folder: Path) -> set[str]:
    """The ids in a questions' file as it is now. Raises BadInput."""
    return ids_in(questions_text(folder))


def wrong(reading: Reading) -> Iterable[Problem]:
    """Problems of a set that adding a question does not solve."""
    missing = (f"{QUESTIONS}", "is missing"), (f"{QUESTIONS}", "holds no question")
    return [problem for problem in reading.problems if (problem.where, problem.what) not in missing]
