"""Questions that ask nearly the same.

Two questions are compared by the share of their distinct words that they have in common (Jaccard). Not every
pair is: two sets that share 80 % share one of their rarest words, so that only questions which do are
compared, and of one such word with the last few (prefix filtering: Chaudhuri, Ganti and Kaushik, "A primitive
operator for similarity joins in data cleaning", ICDE 2006).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence

from evaluation.gold.warnings.asked_twice import text_key
from evaluation.gold.warnings.finding import QUESTIONS, Finding, first_lines
from evaluation.gold.warnings.material import Material, filter_key

SIMILAR_FROM = 0.8
"""Share of words in common from which two questions are one in other words: one of ten may be exchanged."""
FEWEST_WORDS = 5
"""Of shorter questions one word is more than the share allows."""
MOST_COMPARED = 50
"""Questions with a rare word in common that one is compared with, so that time stays linear where all are
of one pattern. Where more have the word, a pair can be missed."""

Pair = tuple[int, int, float]
"""Two positions and their similarity."""


def find(material: Material) -> Iterator[Finding]:
    """Pairs of questions: each question with the one before it that is most like it."""
    questions = material.gold.questions
    first_of: dict[tuple[str, str], int] = {}
    for number, question in enumerate(questions):
        first_of.setdefault(text_key(question), number)
    kept = list(first_of.values())
    sets = [frozenset(material.words[n]) for n in kept]
    # What differs in a number or a filter asks something else: the year, the version, the tariff.
    kinds = [
        (filter_key(questions[n]), tuple(sorted(word for word in words if not word.isalpha())))
        for n, words in zip(kept, sets, strict=True)
    ]
    pairs = [
        ([questions[kept[n]].id for n in sorted((one, other))], similarity)
        for one, other, similarity in sorted(similar(sets, kinds), key=lambda pair: -pair[2])
    ]
    if pairs:
        touched = {name for ids, _ in pairs for name in ids}
        yield Finding(
            QUESTIONS,
            f"{len(touched):,} of {len(questions):,} questions are nearly the same as another",
            "Keep one of each, unless they have different answers",
            tuple({"questions": ids, "similarity": round(similarity, 3)} for ids, similarity in pairs),
            first_lines([f"{' and '.join(ids)} ({similarity:.0%})" for ids, similarity in pairs]),
        )


def similar(sets: Sequence[frozenset[str]], kinds: Sequence[Hashable]) -> Iterator[Pair]:
    """Each set's nearest among those before it, the smaller first, of its kind and with enough in common."""
    holders = Counter(word for words in sets for word in words)
    before: defaultdict[tuple[Hashable, str], list[int]] = defaultdict(list)
    order = sorted(range(len(sets)), key=lambda n: len(sets[n]))
    for this in order:
        words, kind = sets[this], kinds[this]
        size = len(words)
        if size < FEWEST_WORDS:
            continue
        rarest = sorted(words, key=lambda word: (holders[word], word))
        rarest = rarest[: size - math.ceil(SIMILAR_FROM * size) + 1]
        others = {n for word in rarest for n in before[kind, word][-MOST_COMPARED:]}
        best = max(((_jaccard(words, sets[n]), -n) for n in others), default=(0.0, 0))
        if best[0] >= SIMILAR_FROM:
            yield -best[1], this, best[0]
        for word in rarest:
            before[kind, word].append(this)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    common = len(one & other)
    return common / (len(one) + len(other) - common)
