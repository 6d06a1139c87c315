"""The table of generators that ask a language model: each makes questions of a set, and counts beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.gold.making.candidates import Ask
from evaluation.gold.making.estimating import Pending, Weight, span_exact_weights
from evaluation.gold.making.span_exact import Made, span_exact
from evaluation.gold.nouns import GoldSet, Question

Save = Callable[[Sequence[Question]], None]
Tell = Callable[[Made], None]


@dataclass(frozen=True, slots=True)
class Maker:
    """One generator, ready to make questions of one set."""

    wanted: int
    run: Callable[[Ask, Save, Tell], Made]
    weights: Callable[[Iterable[Pending], Made], list[Weight]]
    """Of the requests that a run only counted, and what it made of the answers that are kept."""

    def make(
        self,
        ask: Ask,
        save: Save = lambda questions: None,
        tell: Tell = lambda made: None,
    ) -> Made:
        """Make questions: `save` is given what is new, some at a time, `tell` hears how it goes."""
        return self.run(ask, save, tell)


Ready = Callable[[GoldSet, int, int, int, Path | None], Maker]
"""(set, questions wanted, seed, requests at a time, folder of the cache) -> maker. Raises BadInput."""


def _span_exact(gold: GoldSet, wanted: int, seed: int, concurrency: int, cache_dir: Path | None) -> Maker:
    def run(ask: Ask, save: Save, tell: Tell) -> Made:
        return span_exact(gold, ask, wanted=wanted, seed=seed, concurrency=concurrency, save=save, tell=tell)

    return Maker(wanted, run, span_exact_weights)


def _ragas(gold: GoldSet, wanted: int, seed: int, concurrency: int, cache_dir: Path | None) -> Maker:
    from evaluation.gold.making.testset import Testset

    testset = Testset(gold, wanted, seed, concurrency, cache_dir)
    return Maker(wanted, testset.make, testset.weights)


MAKERS: Mapping[str, Ready] = {"span-exact": _span_exact, "ragas": _ragas}
"""By the name that the command knows them by."""
