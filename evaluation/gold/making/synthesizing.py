"""ragas' TestsetGenerator on passages of a set, at the least cost at which it works.

Its nodes are our passages, so that what it calls the contexts of a question are ranges of documents. Of its
transforms only those run that its specific synthesizers need: named entities, by the language model, and
their overlap. Personas are made of the passages themselves, grouped by the embedder, instead of summaries
that would be asked for one by one. What it draws by chance is drawn by the seed, and what it leaves to the
order of sets is sorted: the same requests come again and are answered by the cache.
"""

from __future__ import annotations

import io
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from typing import Any

import numpy as np

from evaluation.gold.making.candidates import Ask
from evaluation.gold.making.ragas_testset import library, unreported
from evaluation.gold.making.sampling import Excerpt
from evaluation.gold.making.span_exact import UNKNOWN, Made
from strategies.strategy import Vectors

_PERSONAS = 3
_MULTI = 4
"""One question of so many needs two passages."""
_PAIRS = 2
"""Pairs of passages with an entity in common that are tried for each question on two."""


def most_pairs(wanted: int) -> int:
    """Pairs of passages that are tried at most."""
    return _PAIRS * (wanted // _MULTI)


def samples(
    excerpts: Sequence[Excerpt],
    vectors: Vectors,
    ask: Ask,
    made: Made,
    *,
    seed: int,
    concurrency: int,
) -> list[tuple[str, Any]]:
    """The synthesizer's name, and its sample or None, for each question that was asked for.

    `vectors` are those of the passages, of unit length. What fails is added to `made`, as are answers that
    have not the form.
    """
    llm = library().Answering(ask, made, excerpts)
    with _drawn_by(seed), unreported(), redirect_stderr(io.StringIO()):  # its bars would break ours
        return _samples(excerpts, vectors, llm, made.wanted, concurrency)


def _samples(
    excerpts: Sequence[Excerpt], vectors: Vectors, llm: Any, n_wanted: int, concurrency: int
) -> list[tuple[str, Any]]:
    ragas = library()
    run_config = ragas.RunConfig(max_workers=concurrency)
    known = {one.text: vector for one, vector in zip(excerpts, vectors.tolist(), strict=True)}
    embedder = ragas.Embedding(known.__getitem__)
    graph = ragas.KnowledgeGraph(nodes=[_node(one.text) for one in excerpts])
    summaries = ragas.EmbeddingExtractor(
        property_name="summary_embedding", embed_property_name="summary", embedding_model=embedder
    )
    steps = [summaries, ragas.Entities(llm=llm), ragas.OverlapScoreBuilder(threshold=0.01)]
    ragas.apply_transforms(graph, steps, run_config)
    graph.relationships = _spread(graph.relationships)[: most_pairs(n_wanted)]
    multi = n_wanted // _MULTI if graph.relationships else 0
    left = {ragas.SingleHop.name: n_wanted - multi, ragas.MultiHop.name: multi}
    makers = [one(llm=llm) for one in (ragas.SingleHop, ragas.MultiHop) if left[one.name]]
    executor = ragas.TestsetGenerator(llm, embedder, graph, _personas(graph, llm)).generate(
        n_wanted,
        query_distribution=[(one, left[one.name] / n_wanted) for one in makers],
        run_config=run_config,
        raise_exceptions=False,
        return_executor=True,
    )
    # Its numbers are rounded up: no more questions are asked for than are wanted.
    kinds, jobs = [], []
    for job in executor.jobs:
        several = hasattr(job[2]["scenario"], "combinations")
        name = ragas.MultiHop.name if several else ragas.SingleHop.name
        if left[name]:
            left[name] -= 1
            kinds.append(name)
            jobs.append(job)
    executor.jobs = jobs
    return [
        (kind, sample if isinstance(sample, ragas.Sample) else None)
        for kind, sample in zip(kinds, executor.results(), strict=True)
    ]


def _spread(pairs: Sequence[Any]) -> list[Any]:
    """Pairs with an entity in common: first those of passages that stand in none before, then the others."""
    used, first, others = set[Any](), list[Any](), list[Any]()
    for pair in pairs:
        if pair.properties["overlapped_items"]:
            ids = {pair.source.id, pair.target.id}
            (others if ids & used else first).append(pair)
            used |= ids
    return [*first, *others]


def _node(text: str) -> Any:
    """A passage as ragas keeps it; it is its own summary."""
    ragas = library()
    return ragas.Node(type=ragas.NodeType.CHUNK, properties={"page_content": text, "summary": text})


def _personas(graph: Any, llm: Any) -> list[Any]:
    """Who asks, each of a name of its own."""
    made = library().personas(graph, llm, num_personas=min(_PERSONAS, len(graph.nodes)))
    personas = list({persona.name: persona for persona in made}.values())
    llm.known = {persona.name for persona in personas}
    return personas


def longest_prompts() -> tuple[str, str]:
    """The prompts that match themes and personas, and that ask for a question, without its passages."""
    ragas = library()
    persona = ragas.Persona(name="x" * 40, role_description=UNKNOWN)
    themes = ragas.Themes(themes=[UNKNOWN] * 10, personas=[persona] * _PERSONAS)
    question = ragas.MultiHop(llm=None).generate_query_reference_prompt.to_string()
    return ragas.ThemesPrompt().to_string(themes), question + persona.model_dump_json(indent=4) + UNKNOWN


@contextmanager
def _drawn_by(seed: int) -> Iterator[None]:
    """What is drawn inside follows the seed; what is drawn after is as if nothing had been."""
    ours, theirs = random.getstate(), np.random.get_state()  # ragas draws from both
    random.seed(seed)
    np.random.seed(seed % 2**32)
    try:
        yield
    finally:
        random.setstate(ours)
        np.random.set_state(theirs)
