"""Who made the questions, and what that means for whatever is measured with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from evaluation.gold.nouns import SYNTHETIC, Synthetic

WARNINGS: Mapping[Synthetic, str] = {
    "proxy": "proxies, made of the documents' own words: they rank cuts only roughly. "
    "Write real questions before you decide",
    "model": "by a language model: users may ask in other ways. Read them, and add questions of your own",
}
"""What to say of questions that no person wrote, after how many of how many they are."""


def provenance_warnings(made: Iterable[str | None]) -> Iterator[str]:
    """A sentence for each way in which questions were made that no person wrote.

    `made` is the `synthetic` of every question; None, as in older records, counts as a person's.

    >>> list(provenance_warnings(["proxy", "", "proxy"]))[0].partition(":")[0]
    "2 of 3 questions are proxies, made of the documents' own words"
    """
    yield from warnings_by_way(made).values()


def warnings_by_way(made: Iterable[str | None]) -> dict[Synthetic, str]:
    """The sentences of `provenance_warnings`, each by its way."""
    counts = Counter(way or "" for way in made)
    return {
        way: f"{counts[way]:,} of {counts.total():,} questions are {said}"
        for way, said in WARNINGS.items()
        if counts[way]
    }


def provenance(made: Iterable[str | None]) -> tuple[str, float]:
    """The ways in which questions were made that no person wrote, and the share of these questions.

    >>> provenance(["model", None, "proxy", ""]), provenance([""])
    (('proxy, model', 0.5), ('', 0.0))
    """
    counts = Counter(way or "" for way in made)
    ways = [way for way in SYNTHETIC if way and counts[way]]
    share = 1 - counts[""] / counts.total() if counts else 0.0
    return ", ".join(ways), share


def proxies_alone(made: Iterable[str | None]) -> bool:
    """Whether there are questions, and all of them are proxies."""
    return set(made) == {"proxy"}
