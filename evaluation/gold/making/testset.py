"""Questions of ragas' TestsetGenerator, whose contexts are brought back to ranges of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from evaluation.gold.formats.contexts import bare, places
from evaluation.gold.making import ragas_testset, synthesizing, wording
from evaluation.gold.making.candidates import Ask, Dropped, evidence_at, made_question
from evaluation.gold.making.estimating import Pending, Weight
from evaluation.gold.making.opening import language_of
from evaluation.gold.making.prompts import one_line, tokens
from evaluation.gold.making.sampling import MOST_PASSAGE_TOKENS, excerpts
from evaluation.gold.making.span_exact import Made, Shelf
from evaluation.gold.nouns import Evidence, GoldSet, Passage, Question
from evaluation.gold.quotes import Corpus
from strategies.strategy import Vectors

_LONGEST_QUESTION, _LONGEST_ANSWER = 400, 2000
"""Characters."""

Embed = Callable[[Sequence[str]], Vectors]
"""Vectors of passages, of unit length, shape (n, dim)."""


class Testset:
    """ragas' generator, ready to make questions of one set. Raises BadInput where ragas cannot be used."""

    def __init__(
        self,
        gold: GoldSet,
        wanted: int,
        seed: int,
        concurrency: int,
        cache_dir: Path | None,
        embed: Embed | None = None,
    ) -> None:
        """`embed` stands in for the packaged embedder, whose vectors are cached in the folder."""
        ragas_testset.library()
        self._gold, self._wanted, self._seed, self._concurrency = gold, wanted, seed, concurrency
        self._excerpts = excerpts(gold.documents, seed, language_of(gold.card))[:wanted]
        self._embed = embed or _packaged(cache_dir)

    def make(
        self,
        ask: Ask,
        save: Callable[[Sequence[Question]], None] = lambda questions: None,
        tell: Callable[[Made], None] = lambda made: None,
    ) -> Made:
        """Make the questions, all in one go; what fails is left out and named."""
        made = Made(self._wanted)
        if not self._excerpts:
            made.end = "no passage is left to ask about"
            return made
        vectors = self._embed([one.text for one in self._excerpts])
        found = synthesizing.samples(
            self._excerpts, vectors, ask, made, seed=self._seed, concurrency=self._concurrency
        )
        made.samples = len(found)
        shelf, corpus = Shelf(self._gold, made), Corpus({one.id: one for one in self._gold.documents})
        for kind, sample in found:
            if sample is not None:  # else it failed, which was told when it did
                shelf.take(placed(kind, sample, corpus))
        tell(made)
        save(made.new)
        if made.missing > 0:
            made.end = f"ragas asked {len(found):,} questions on {len(self._excerpts):,} passages"
        return made

    def weights(self, pending: Iterable[Pending], made: Made) -> list[Weight]:
        """The requests of a run that only counted; those that follow are bounded by the longest passages."""
        waiting = list(pending)
        if not waiting:
            return []
        steps = Counter(step for step, _ in waiting)
        themes, question = map(tokens, synthesizing.longest_prompts())
        pairs, future = synthesizing.most_pairs(self._wanted), max(0, self._wanted - made.samples)
        n_entities = steps["entities"]
        counted = sum(tokens(prompt) for _, prompt in waiting)
        longest = question + 2 * MOST_PASSAGE_TOKENS
        return [
            Weight(len(waiting), counted, len(waiting), counted),
            Weight(n_entities, n_entities * themes, n_entities + pairs, (n_entities + pairs) * themes),
            Weight(future, future * longest, future, future * longest),
        ]


def placed(kind: str, sample: Any, corpus: Corpus) -> Question | Dropped:
    """A sample of ragas as a question whose contexts are ranges of documents, found exactly or folded."""
    question = one_line(sample.user_input, _LONGEST_QUESTION)
    answer = one_line(sample.reference, _LONGEST_ANSWER)
    if question is None or answer is None:
        return Dropped("form")
    entries: dict[Passage, Evidence] = {}
    for context in sample.reference_contexts or ():
        place = next(places(bare(context), corpus), None)
        if place is None:
            return Dropped("places", question)
        entry = evidence_at(place, corpus)
        if entry is None:
            return Dropped("repeats", question)
        entries[place] = entry
    if not entries:
        return Dropped("places", question)
    if wording.points(question):
        return Dropped("points", question)
    return made_question(question, tuple(entries.values()), answer, kind)


def _packaged(cache_dir: Path | None) -> Embed:
    """The packaged embedder, opened when it is needed."""

    def embed(texts: Sequence[str]) -> Vectors:
        from evaluation.embedding import EmbedderSpec, open_embedder
        from evaluation.embedding_desk import EmbeddingDesk

        desk = EmbeddingDesk(open_embedder(EmbedderSpec()), cache_dir)
        try:
            return desk.vectors(texts, "passage").unit().vectors
        finally:
            desk.close()

    return embed
