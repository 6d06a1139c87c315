"""Evidence that is words alone, as the contexts of ragas are: where they stand in the documents."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evaluation.gold.nouns import Passage
from evaluation.gold.quotes import Corpus, Quote

_HOP = re.compile(r"\A<\d{1,4}-hop>\n\n")


def bare(context: str) -> str:
    r"""A context without the mark that ragas puts before each of several.

    >>> bare("<1-hop>\n\nBins go out."), bare("Bins go out.")
    ('Bins go out.', 'Bins go out.')
    """
    return _HOP.sub("", context)


def places(words: str, corpus: Corpus) -> Iterator[Passage]:
    """Where words stand, in order of the documents: exactly, or folded where it does nowhere."""
    return corpus.places(Quote(words))
