"""Proxies by inverse cloze: a sentence is the question, the sentences around it are the evidence.

The task of Lee, Chang and Toutanova, "Latent Retrieval for Weakly Supervised Open Domain Question Answering"
(ACL 2019). There the sentence is taken out of its passage for nine of ten examples; here documents stay as
they are, so that the sentence is found wherever it stands. It is therefore no evidence itself: credit is for
what a cut keeps beside it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from evaluation.gold.making.draft import LONGEST_CHARACTERS, Draft, asked, words
from evaluation.gold.making.sections import Sections, narrowed
from strategies.segmenting import sentences
from strategies.spans import Range

LEAST_WORDS, MOST_WORDS = 8, 40
"""Of the sentence that asks."""
AROUND = 2
"""Sentences before it, and as many after it, that are evidence, as far as its section goes."""
LEAST_EVIDENCE_WORDS = 5
"""Of all sentences around it."""
LEAST_RARE_WORDS = 2
"""Words of the sentence that say what it is about."""
LEAST_LETTERS = 0.75
"""Share of letters in what is not white space: less is a table, code, or a line of a log."""

_RARE_SHARE, _RARE_COUNT = 0.02, 3
"""A word is rare that stands in no more of the sentences than this share, or this number."""
_LEAST_LETTERS_OF_RARE = 4
_LONGEST_SENTENCE = 500
"""Characters; what is longer is no sentence."""
_ENDS = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f\u0964][\"'\u201d\u2019\u00bb)\]*_]*$")
_MARKS = re.compile(r"https?:|www\.|[|{}<>=\\]|\t")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*\)|\[[^\[\]]*\])")
_BULLET = re.compile(r"^(?:[-*+\u2022\u2013]|\(?\d{1,3}[.)])\s+")
_FOOTNOTE = re.compile(r"^\[\^[^\[\]\s]+\]:\s*|\[\^[^\[\]\s]+\]")
_EMPHASIS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")


class _Sentence(NamedTuple):
    place: Range
    text: str
    """As a reader sees it."""


class _Candidate(NamedTuple):
    document: str
    text: str
    words: frozenset[str]
    evidence: tuple[Range, ...]


def drafts(read: Sequence[Sections], language: str, left_out: Counter[str]) -> list[Draft]:
    """One draft a sentence of prose that names something and stands among others.

    `language` is the documents' code, for the ends of sentences. `left_out` is told how many sentences
    cannot be used, by reason. Time is linear in the documents.
    """
    found: list[_Candidate] = []
    standing: Counter[str] = Counter()
    with_word: Counter[str] = Counter()
    for one in read:
        for run in _runs(one, language):
            for sentence in run:
                standing[asked(sentence.text)] += 1
                with_word.update(set(words(sentence.text)))
            found += _candidates(one.document.id, run, left_out)
    rare = max(_RARE_COUNT, _RARE_SHARE * standing.total())
    made = []
    for candidate in found:
        if standing[asked(candidate.text)] > 1:
            left_out["the sentence stands there more than once"] += 1
        elif sum(_says_much(word) and with_word[word] <= rare for word in candidate.words) < LEAST_RARE_WORDS:
            left_out["it has too few rare words to say what it is about"] += 1
        else:
            made.append(Draft(candidate.document, candidate.text, candidate.evidence))
    return made


def _runs(read: Sections, language: str) -> Iterator[list[_Sentence]]:
    """Sentences that follow each other in one section, runs of prose alone."""
    for section in read.found:
        for ranges in section.prose:
            run: list[_Sentence] = []
            for start, end in ranges:
                for sentence in _sentences(read, start, end, language):
                    if is_prose(sentence.text):
                        run.append(sentence)
                    elif run:
                        yield run
                        run = []
            if run:
                yield run


def _sentences(read: Sections, start: int, end: int, language: str) -> Iterator[_Sentence]:
    text = read.readable
    for place in pairwise((start, *sentences(text, start, end, language), end)):
        if (found := narrowed(text, *place)) is not None:
            yield _Sentence(found, plain(read.words(*found)))


def plain(text: str) -> str:
    """A sentence without the mark of a list before it, of footnotes and emphasis, and targets of links.

    >>> plain("See **the** [rules](a.md#b) of `snake_case`[^2] and _that_."), plain("[^2]: Or so.")
    ('See the rules of snake_case and that.', 'Or so.')
    """
    bare = _FOOTNOTE.sub("", _BULLET.sub("", text))
    return _EMPHASIS.sub("", _LINK.sub(r"\1", bare)).strip()


def is_prose(text: str) -> bool:
    """Whether a text reads like a sentence: letters, few signs, of a length that people write.

    >>> is_prose("The north gate opens at nine."), is_prose("GET /v1 200 12ms"), is_prose("| a | b |")
    (True, False, False)
    """
    if len(text) > _LONGEST_SENTENCE or len(words(text)) < 3 or _MARKS.search(text):
        return False
    seen = [character for character in text if not character.isspace()]
    return sum(map(str.isalpha, seen)) >= LEAST_LETTERS * len(seen)


def _candidates(document: str, run: Sequence[_Sentence], left_out: Counter[str]) -> Iterator[_Candidate]:
    for place, sentence in enumerate(run):
        said = words(sentence.text)
        sides = (run[max(0, place - AROUND) : place], run[place + 1 : place + 1 + AROUND])
        if not LEAST_WORDS <= len(said) <= MOST_WORDS:
            left_out[f"it has fewer than {LEAST_WORDS} or more than {MOST_WORDS} words"] += 1
        elif not _ENDS.search(sentence.text) or sentence.text[0].islower():
            left_out["it is no whole sentence"] += 1
        elif sum(len(words(other.text)) for side in sides for other in side) < LEAST_EVIDENCE_WORDS:
            left_out["no other sentence stands beside it"] += 1
        else:
            evidence = tuple((side[0].place[0], side[-1].place[1]) for side in sides if side)
            if max(end - start for start, end in evidence) > LONGEST_CHARACTERS:
                left_out["the text around it is too long"] += 1
            else:
                yield _Candidate(document, sentence.text, frozenset(said), evidence)


def _says_much(word: str) -> bool:
    """Whether a word is long enough to name something; a character of a script without spaces is."""
    return len(word) >= _LEAST_LETTERS_OF_RARE or not word.isascii()
