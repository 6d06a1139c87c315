"""The further door to ragas: its TestsetGenerator on passages of a set.

Its nodes are our passages, so that what it calls the contexts of a question are ranges of documents. Of its
transforms only those run that its specific synthesizers need: named entities, by the language model, and
their overlap. Personas are made of the passages themselves, grouped by the embedder, instead of summaries
that would be asked for one by one. What it draws by chance is drawn by the seed, and what it leaves to the
order of sets is sorted: the same requests come again and are answered by the cache.
"""

from __future__ import annotations

import asyncio
import io
import json
import random
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, suppress
from functools import cache
from threading import Lock, Thread
from types import SimpleNamespace
from typing import Any

import numpy as np

from evaluation.gold.making.candidates import Ask, Dropped
from evaluation.gold.making.sampling import Excerpt
from evaluation.gold.making.span_exact import UNKNOWN, Made, NotAsked
from evaluation.judging.ragas_metrics import INSTALL
from evaluation.judging.verdict import json_object
from strategies.errors import BadInput, ChatError, Problem, brief
from strategies.strategy import Vectors
from strategies.telemetry import telemetry_off

_PERSONAS = 3
_MULTI = 4
"""One question of so many needs two passages."""
_PAIRS = 2
"""Pairs of passages with an entity in common that are tried for each question on two."""

_STEPS = {
    "NEROutput": "entities",
    "Persona": "persona",
    "PersonaThemesMapping": "themes",
    "GeneratedQueryAnswer": "question",
}
"""ragas' form of an answer -> what is asked for."""

_NOTHING: dict[str, dict[str, Any]] = {
    "NEROutput": {"entities": []},
    "Persona": {"name": "Reader", "role_description": "Looks something up in these documents."},
    "PersonaThemesMapping": {"mapping": {}},
    "GeneratedQueryAnswer": {},
}
"""What ragas goes on with where an answer is missing."""


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
    with _drawn_by(seed), redirect_stderr(io.StringIO()):  # its own bars would break ours
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
    pairs = [one for one in graph.relationships if one.properties["overlapped_items"]]
    graph.relationships = pairs[: most_pairs(n_wanted)]
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


@cache
def library() -> SimpleNamespace:
    """The classes of ragas that are used, and ours that stand in for its clients. Raises BadInput."""
    telemetry_off()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is not used here
            return _classes()
    except Exception as error:  # of its dependencies, whatever they raise
        what = f"ragas cannot be used: {type(error).__name__}: {brief(str(error), 200)}"
        raise BadInput(
            [Problem("--generator", what, f"Install it ({INSTALL}), or use span-exact")]
        ) from error


def _classes() -> SimpleNamespace:
    from ragas.dataset_schema import SingleTurnSample
    from ragas.embeddings.base import BaseRagasEmbedding
    from ragas.llms.base import InstructorBaseRagasLLM
    from ragas.run_config import RunConfig
    from ragas.testset.graph import KnowledgeGraph, Node, NodeType
    from ragas.testset.persona import Persona, generate_personas_from_kg
    from ragas.testset.synthesizers.generate import TestsetGenerator
    from ragas.testset.synthesizers.multi_hop.specific import MultiHopSpecificQuerySynthesizer
    from ragas.testset.synthesizers.prompts import ThemesPersonasInput, ThemesPersonasMatchingPrompt
    from ragas.testset.synthesizers.single_hop.specific import SingleHopSpecificQuerySynthesizer
    from ragas.testset.transforms import EmbeddingExtractor, OverlapScoreBuilder, apply_transforms
    from ragas.testset.transforms.extractors import NERExtractor

    class Answering(InstructorBaseRagasLLM):  # type: ignore[misc]
        """Our chat, as ragas asks a model. Only a question that fails is an error to ragas."""

        is_async = True

        def __init__(self, ask: Ask, made: Made, asked_about: Sequence[Excerpt]) -> None:
            self.known: set[str] = set()
            """Names of the personas."""
            self._ask, self._made = ask, made
            self._turns: defaultdict[str, Lock] = defaultdict(Lock)
            """Of each prompt: the same one, asked at the same time, is paid for once."""
            self._shown = [(json.dumps(one.text, ensure_ascii=False)[1:-1], one.place) for one in asked_about]

        def generate(self, prompt: str, response_model: Any) -> Any:
            form = response_model.__name__
            try:
                with self._turns[prompt]:
                    found = json_object(self._ask(_STEPS[form], prompt))
                answer = response_model.model_validate(found)
            except ChatError as error:
                if not isinstance(error, NotAsked):
                    what = next(iter(error.failures.values()))
                    self._made.failures.append((self._where(form, prompt), what))
                answer = None
            except ValueError:  # pydantic's, of an answer without the form
                self._made.refused.append(Dropped("form"))
                answer = None
            if answer is None:
                return response_model(**_NOTHING[form])  # a question has nothing: pydantic raises
            if form == "PersonaThemesMapping":
                answer.mapping = {name: answer.mapping[name] for name in answer.mapping if name in self.known}
            return answer

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            """The answer, waited for in a thread that a signal need not wait for."""
            loop = asyncio.get_running_loop()
            future = loop.create_future()

            def settle(answer: Any, error: BaseException | None) -> None:
                if not future.done():
                    future.set_exception(error) if error else future.set_result(answer)

            def work() -> None:
                answer, error = None, None
                try:
                    answer = self.generate(prompt, response_model)
                except BaseException as raised:  # is raised where it is waited for
                    error = raised
                with suppress(RuntimeError):  # the loop was closed meanwhile
                    loop.call_soon_threadsafe(settle, answer, error)

            Thread(target=work, daemon=True).start()
            return await future

        def _where(self, form: str, prompt: str) -> str:
            places = [f"{p.document} at {p.start}" for text, p in self._shown if text in prompt]
            return " and ".join(places[:2]) or f"ragas, {_STEPS[form]}"

    class Embedding(BaseRagasEmbedding):  # type: ignore[misc]
        """Vectors that are there already, as ragas asks for them."""

        is_async = True

        def __init__(self, vector: Callable[[str], list[float]]) -> None:
            super().__init__()
            self._vector = vector

        def embed_text(self, text: str, **kwargs: Any) -> list[float]:
            return self._vector(text)

        async def aembed_text(self, text: str, **kwargs: Any) -> list[float]:
            return self._vector(text)

    class Entities(NERExtractor):  # type: ignore[misc]
        """The same without counting tokens, for which it would fetch an encoding: passages are short."""

        def split_text_by_token_limit(self, text: str, max_token_limit: int) -> list[str]:
            return [text]

    class SingleHop(SingleHopSpecificQuerySynthesizer):  # type: ignore[misc]
        """The same, whatever the order of a set, and whoever answers first."""

        def _extract_themes_from_items(self, items: Any) -> list[str]:
            return sorted(super()._extract_themes_from_items(items))

        def sample_combinations(self, data: Any, num_samples: int) -> Any:
            random.seed(f"{data[0]['terms']} {data[0]['node'].properties['page_content']}")
            return super().sample_combinations(data, num_samples)

    class MultiHop(MultiHopSpecificQuerySynthesizer):  # type: ignore[misc]
        """The same for two passages."""

        def get_node_clusters(self, knowledge_graph: Any) -> list[Any]:
            return [(one.source, one, one.target) for one in knowledge_graph.relationships]

        def _extract_themes_from_overlaps(self, overlapped_items: Any) -> list[str]:
            return sorted(super()._extract_themes_from_overlaps(overlapped_items))

        def sample_diverse_combinations(self, data: Any, num_samples: int) -> Any:
            random.seed(repr([entry["combination"] for entry in data]))
            return super().sample_diverse_combinations(data, num_samples)

    return SimpleNamespace(
        Answering=Answering,
        Embedding=Embedding,
        EmbeddingExtractor=EmbeddingExtractor,
        Entities=Entities,
        KnowledgeGraph=KnowledgeGraph,
        MultiHop=MultiHop,
        Node=Node,
        NodeType=NodeType,
        OverlapScoreBuilder=OverlapScoreBuilder,
        Persona=Persona,
        RunConfig=RunConfig,
        Sample=SingleTurnSample,
        SingleHop=SingleHop,
        TestsetGenerator=TestsetGenerator,
        Themes=ThemesPersonasInput,
        ThemesPrompt=ThemesPersonasMatchingPrompt,
        apply_transforms=apply_transforms,
        personas=generate_personas_from_kg,
    )
