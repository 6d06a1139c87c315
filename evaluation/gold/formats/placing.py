"""Evidence that comes with its words: where it stands, though the offsets be wrong."""

from __future__ import annotations

from itertools import islice

from evaluation.gold.formats.rows import Row
from evaluation.gold.quotes import Corpus, Quote, Range
from strategies.errors import Problem, brief, counted, listed

_SHOWN = 5


class Places:
    """Finds evidence in texts, and remembers where it was not quite where it was said to be."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.notes: list[Problem] = []
        self._trimmed = 0

    def told(self, where: str) -> tuple[Problem, ...]:
        """What is to be said of all that was found, `where` being the file of the questions."""
        if not self._trimmed:
            return tuple(self.notes)
        what = f"{counted(self._trimmed, 'span')} had white space at an end, which was trimmed"
        return (*self.notes, Problem(where, what))

    def find(self, row: Row, called: str, document: str, said: Range, words: str) -> Range | None:
        """The trimmed range of evidence: as said, if its words stand there, else where alone they stand.

        None, and the row refused, where they stand nowhere or in several places.
        """
        text = self.corpus.documents[document].text
        start, end = said
        if not words.strip():
            row.problem(f"{called} holds no words")
            return None
        if 0 <= start < end <= len(text) and text[start:end] == words:  # a slice would count from the end
            found_here = trimmed(text, said)
            self._trimmed += found_here != said
            return found_here
        quote = Quote(words)
        places = islice(self.corpus.places(quote, [document]), _SHOWN + 1)
        found = [(place.start, place.end) for place in places]
        what = f"{called} is not what stands at [{start}, {end})"
        if len(found) == 1:
            self.notes.append(row.told(f"{what}: taken at {found[0][0]}, where alone it stands"))
            return found[0]
        starts = listed([str(first) for first, _ in found])
        row.problem(f"{what}, and stands {f'at {starts}' if found else 'nowhere in it'}: {_words(words)}")
        return None


def trimmed(text: str, said: Range) -> Range:
    """A range without the white space at its ends; it holds more than that."""
    start, end = said
    words = text[start:end]
    return end - len(words.lstrip()), start + len(words.rstrip())


def _words(text: str) -> str:
    return brief(repr(" ".join(text.split())), 60)
