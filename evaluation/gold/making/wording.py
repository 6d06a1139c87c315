"""Words of questions, answers and evidence: what stands on its own, gives itself away, or was asked before.

Everything here compares words as they are written. Two lists are of English words: a question in another
language that speaks of its passage, or an answer that denies another, is left to the model and to the reader.
"""

from __future__ import annotations

import re
import unicodedata

from evaluation.gold.quotes import fold

LEAKING = 0.8
"""Share of a question's content words that may stand in its evidence."""
LEAKING_WORDS = 3
"""Content words from which on a share of them says something."""
COPIED_WORDS = 6
"""Words in a row that no question may copy from its evidence."""
ALIKE = 0.8
"""Share of the words of two questions, of all that either has, from which on they ask the same."""

_WORD = re.compile(r"[^\W_]+(?:['.,-][^\W_]+)*")
_CONTENT = 4
"""Letters from which on a word is likely to be about something."""

_POINTING = re.compile(
    r"""\b(?:
        (?:this|these|the|that|given|above|provided|following|preceding|first|second|each|both|two)\s+
        (?:\w+\s+)?(?:passages?|excerpts?|snippets?|paragraphs?|contexts?|extracts?)(?!\s+of\b)
      | (?:this|the\ above|the\ given|the\ provided|the\ following|the\ preceding)\s+
        (?:text|documents?|sections?|articles?|chapters?|pages?|table|list|author)
      | (?:according\ to|in|from|based\ on|mentioned\ in|described\ in|stated\ in|given\ in)\s+the\s+
        (?:text|documents?|sections?|articles?|chapters?)(?=\s*[?,.;]|$)
      | (?:mentioned|described|listed|shown|stated)\s+(?:above|below|here)
      | passage\s+[12]
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)

_DENYING = frozenset({"no", "not", "never", "none", "neither", "nor", "without", "cannot", "n't"})


def words(text: str) -> list[str]:
    """The words of a text, folded, in order; a number with its point or comma is one.

    >>> words("It\u2019s 1,200 EUR, twice.")
    ["it's", '1,200', 'eur', 'twice']
    """
    return _WORD.findall(unicodedata.normalize("NFC", fold(text).text))


def content_words(text: str) -> set[str]:
    """The words that are likely to be about something: numbers, and words of four letters and more."""
    return {word for word in words(text) if len(word) >= _CONTENT or word[0].isdigit()}


def points(question: str) -> bool:
    """Whether a question speaks of the passage that its reader does not see.

    >>> points("What does this section say?"), points("According to the text, who may park?")
    (True, True)
    >>> points("Which section of the policy covers parking?")
    False
    """
    return _POINTING.search(question) is not None


def leaks(question: str, evidence: str) -> bool:
    """Whether a question repeats its evidence, so that whatever searches by words finds it.

    More than four fifths of its content words, of three or more, stand there; or six words in a row do.

    >>> leaks("When do quiet hours run in the morning?", "Quiet hours run from ten to seven in the morning.")
    False
    >>> leaks("Do quiet hours run from ten to seven?", "Quiet hours run from ten to seven in the morning.")
    True
    """
    asked, there = content_words(question), content_words(evidence)
    if len(asked) >= LEAKING_WORDS and len(asked & there) > LEAKING * len(asked):
        return True
    theirs = f" {' '.join(words(evidence))} "
    ours = words(question)
    return any(
        f" {' '.join(ours[at : at + COPIED_WORDS])} " in theirs for at in range(len(ours) - COPIED_WORDS + 1)
    )


def agree(one: str, other: str) -> bool:
    """Whether all words of the shorter answer stand in the longer, which denies and counts nothing else.

    >>> agree("At six.", "The gate opens at six"), agree("It is allowed", "It is not allowed")
    (True, False)
    >>> agree("30 days", "30 days, or 14 in a sale"), agree("At six", "At seven")
    (False, False)
    """
    fewer, more = sorted((set(words(one)), set(words(other))), key=len)
    rest = more - fewer
    if not fewer or fewer - more:
        return False
    return not any(word in _DENYING or word.endswith("n't") or word[0].isdigit() for word in rest)


class Asked:
    """Questions that were asked, to tell one that asks the same."""

    def __init__(self) -> None:
        self._texts = set[str]()
        self._words: list[tuple[frozenset[str], frozenset[str]]] = []

    def add(self, question: str) -> None:
        """One more."""
        found = words(question)
        self._texts.add(" ".join(found))
        self._words.append((frozenset(found), _numbers(found)))

    def holds(self, question: str) -> bool:
        """Whether one of them is equal but for its form, or has nearly the same words and the same numbers.

        >>> asked = Asked()
        >>> asked.add("What does a permit for the lower court cost in 2024?")
        >>> asked.holds("In 2024, what does a permit for the lower court cost?")
        True
        >>> asked.holds("What does a permit for the lower court cost in 2023?")
        False
        """
        found = words(question)
        if " ".join(found) in self._texts:
            return True
        mine, numbers = frozenset(found), _numbers(found)
        return any(
            numbers == theirs and len(mine & other) >= ALIKE * len(mine | other)
            for other, theirs in self._words
        )


def _numbers(found: list[str]) -> frozenset[str]:
    return frozenset(word for word in found if any(mark.isdigit() for mark in word))
