"""Where the quote of a range stands in a document that was edited: in one place, or it is not said."""

from __future__ import annotations

from itertools import islice

from evaluation.gold.quotes import Corpus, Quote, Range
from evaluation.gold.warnings.cut_words import inside_word
from strategies.errors import listed

MOST_PLACES = 5
"""Places of a repeated quote that are named."""


def standing(corpus: Corpus, document: str, quote: Quote) -> tuple[Range | None, str]:
    """The one place of a quote in a document; or None, and why there is none: "" where it stands nowhere.

    A place inside a word is none: "30" does not stand in "130".
    """
    found = list(islice(corpus.places(quote, [document]), MOST_PLACES + 1))
    if not found:
        return None, ""
    if len(found) > 1:
        return None, f"stands at {listed([str(place.start) for place in found], most=MOST_PLACES)}"
    start, end = found[0].start, found[0].end
    text = corpus.documents[document].text
    if inside_word(text, start) or inside_word(text, end):
        return None, f"begins or ends inside a word where it stands, at {start}"
    return (start, end), ""
