"""Words of questions, answers and evidence: what stands on its own, gives itself away, or was asked before.

Everything here compares words as they are written. The patterns of questions that speak of their passage are
English: such a question in another language is left to the model and to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from evaluation.gold.copies import fold_quote
from evaluation.words import spaced
from evaluation.words import words as words_of

LEAKING = 0.8
"""Share of a question's content words that may stand in its evidence."""
LEAKING_WORDS = 3
"""Content words from which on a share of them says something."""
COPIED_WORDS = 6
"""Words in a row that no question may copy from its evidence; twice as many where words are pairs of
characters, as of scripts without spaces."""

_CONTENT = 4
"""Letters from which on a word is likely to be about something."""

HARMLESS = frozenset(
    {"a", "an", "the", "is", "are", "be", "do", "does", "it", "its", "s", "of", "that", "there", "they"}
)
"""Words that may be more or fewer, and a question asks the same, an answer says the same."""

_SOURCE = r"(?:texts?|documents?|sections?|articles?|chapters?|pages?|paragraphs?|passages?|excerpts?)"
_POINTING = re.compile(
    rf"""\b(?:
        (?:this|these|the|that|given|above|provided|following|preceding|first|second|each|both|two)\s+
        (?:\w+\s+)?(?:passages?|excerpts?|snippets?|paragraphs?|contexts?|extracts?)(?!\s+of\b)
      | (?:this|the\ above|the\ given|the\ provided|the\ following|the\ preceding)\s+
        (?:text|documents?|sections?|articles?|chapters?|pages?|table|list|author)
      | this\s+(?:agreement|contract|policy|handbook|guide|manual|report|paper|study|letter|clause)
      | (?:according\ to|in|from|by|based\ on)\s+the\s+{_SOURCE}
        (?=\s*[?,.;:]|$|\s+(?:about|regarding|concerning)\b)
      | (?:mentioned|described|discussed|stated|given|listed|named|explained|outlined|covered|said)\s+
        (?:in|by)\s+the\s+{_SOURCE}
      | the\s+(?:{_SOURCE}|authors?|writers?|speakers?|narrators?)\s+
        (?:says?|states?|mentions?|describes?|discuss(?:es)?|explains?|recommends?|suggests?|argues?|claims?
          |specif(?:y|ies)|tells?|defines?|indicates?|reports?|outlines?|mainly|primarily|focus(?:es)?|lists?
          |advises?|concludes?|emphasi[sz]es?)\b
      | (?:topics?|ideas?|themes?|subjects?|purpose|message|gist|summary|focus|tone|point)\s+of\s+
        (?:the|this)\s+{_SOURCE}(?!\s+of\b)
      | (?:provided|given|above|following|preceding|supplied)\s+
        (?:information|data|details|facts|contents?|material)
      | (?:according\ to|based\ on|from)\s+the\s+information\b
      | (?:mentioned|described|listed|shown|stated|discussed)\s+(?:above|below|here)
      | passage\s+[12]
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)


def words(text: str) -> list[str]:
    """The words of a text as a search by words has them, folded, and parted at underscores.

    >>> words("It\u2019s 1,200 EUR for open_gate"), words("犬は鎖")
    (['it', 's', '1', '200', 'eur', 'for', 'open', 'gate'], ['犬は', 'は鎖'])
    """
    return words_of(fold_quote(text).replace("_", " "))


def content_words(text: str) -> set[str]:
    """The words that are likely to be about something.

    Numbers, words of four letters and more, and those of scripts without spaces.
    """
    return {word for word in words(text) if len(word) >= _CONTENT or word[0].isdigit() or not spaced(word)}


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
    return any(f" {' '.join(run)} " in theirs for run in _runs(ours))


def _runs(found: list[str]) -> Iterator[list[str]]:
    """Every run of so many words that it is no chance where it stands elsewhere."""
    for at, word in enumerate(found):
        size = COPIED_WORDS if spaced(word) else 2 * COPIED_WORDS
        if at + size <= len(found):
            yield found[at : at + size]


def agree(one: str, other: str) -> bool:
    """Whether two answers say the same beyond doubt: where this is False, somebody must judge.

    They are the same words in the same order, or one is, in one piece, in the other, which has beside it
    only words that change nothing.

    >>> agree("40 EUR.", "It is 40 EUR"), agree("At six", "Six o'clock")
    (True, False)
    >>> agree("It rose from 5 to 7", "It rose from 7 to 5"), agree("Yes", "Yes, unless it rains")
    (False, False)
    """
    fewer, more = sorted((_said(one), _said(other)), key=len)
    return bool(fewer) and any(
        more[at : at + len(fewer)] == fewer and HARMLESS.issuperset(more[:at] + more[at + len(fewer) :])
        for at in range(len(more) - len(fewer) + 1)
    )


def _said(answer: str) -> list[str]:
    """What is between white space in an answer, folded: with signs, as of `-5 %`, without punctuation."""
    found = (word.lstrip("\"'([").rstrip("\"').,;:!?]") for word in fold_quote(answer).split())
    return [word for word in found if word]


class Asked:
    """Questions that were asked, to tell one that asks the same."""

    def __init__(self) -> None:
        self._known = set[frozenset[str]]()

    def add(self, question: str) -> None:
        """One more."""
        self._known.add(_key(question))

    def holds(self, question: str) -> bool:
        """Whether one of them has the same words, but for their order and form and those that change nothing.

        >>> asked = Asked()
        >>> asked.add("What does a permit for the lower court cost in 2024?")
        >>> asked.holds("In 2024, what does the permit for a lower court cost?")
        True
        >>> asked.holds("What does a permit for the upper court cost in 2024?")
        False
        """
        return _key(question) in self._known


def _key(question: str) -> frozenset[str]:
    found = frozenset(words(question))
    return found - HARMLESS or found
