"""The further door to ragas: the parts of its TestsetGenerator, with our own language model and embedder."""

from __future__ import annotations

import asyncio
import json
import random
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from threading import Lock, Thread
from types import SimpleNamespace
from typing import Any

from evaluation.gold.making.candidates import Ask, Dropped
from evaluation.gold.making.sampling import Excerpt
from evaluation.gold.making.span_exact import Made, NotAsked
from evaluation.judging.ragas_metrics import INSTALL
from evaluation.judging.verdict import json_object
from strategies.errors import BadInput, ChatError, Problem, brief
from strategies.telemetry import telemetry_off

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


@contextmanager
def unreported() -> Iterator[None]:
    """Inside, ragas reports no prompt: even what it does not send writes a file into the user's home."""
    module = library().pydantic_prompt
    before = module.PromptUsageEvent, module.track
    module.PromptUsageEvent, module.track = (lambda **told: None), (lambda event: None)
    try:
        yield
    finally:
        module.PromptUsageEvent, module.track = before


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
    from ragas.prompt import pydantic_prompt
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
                if form == "GeneratedQueryAnswer":
                    self._made.refused.append(Dropped("form"))
                else:
                    self._made.formless[_STEPS[form]] += 1
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
        pydantic_prompt=pydantic_prompt,
    )
