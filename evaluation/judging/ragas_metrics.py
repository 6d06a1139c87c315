"""The door to ragas: its measures, with our own language model and embedder in place of its clients.

ragas is imported when one of its measures is taken, and never before: that takes seconds, and its own
dependencies are at times newer than it can bear.
"""

from __future__ import annotations

import asyncio
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

from evaluation.judging.case import Case
from evaluation.judging.measures import JUDGED, Embeds
from evaluation.judging.verdict import fault_of, json_object
from strategies.errors import BadInput, ChatError, Problem, brief, listed
from strategies.strategy import AnswerCheck, Vectors
from strategies.telemetry import telemetry_off

INSTALL = 'pip install "ragas==0.4.3" rapidfuzz "langchain-community<0.4.2"'

_DIGITS = 9
"""ragas adds 1e-10 to a divisor, so that a perfect precision comes out as 0.99999999995."""

Ask = Callable[[str, AnswerCheck], str]
"""The answer to a prompt; raises ChatError where there is none, or the check faults it."""
Embed = Callable[[Sequence[str], Embeds], Vectors]
"""Vectors of texts, shape (n, dim)."""


class NoVerdict(Exception):
    """A measure that could not be had, and why."""


def check_library(names: Iterable[str]) -> None:
    """Import ragas for these measures; raises BadInput with what to install where that fails."""
    names = list(names)
    if not names:
        return
    try:
        library = _library()
        for name in names:
            getattr(library, JUDGED[name].library_class)
            if name.startswith("ragas_nonllm_"):
                library.StringSimilarity()
    except Exception as error:  # of its dependencies, whatever they raise
        what = f"ragas cannot be used: {type(error).__name__}: {brief(str(error), 200)}"
        remedy = f"Install it ({INSTALL}), or leave {listed(names)} out"
        raise BadInput([Problem("judge.metrics", what, remedy)]) from error


def score(name: str, case: Case, answer: str, ask: Ask, embed: Embed) -> float:
    """One measure of one case, in [0, 1], in an event loop of this call alone.

    `answer` is empty where the measure judges none. Raises NoVerdict.
    """
    measure, library = JUDGED[name], _library()
    given: dict[str, Any] = {what: case.reads(what, answer) for what in measure.reads}
    judge = library.Judging(ask)
    try:
        if not measure.asks:
            metric = _computed(library, name, case, given)
            found = asyncio.run(metric._single_turn_ascore(library.Sample(**given), None))
        else:
            more: dict[str, Any] = {}
            if measure.embeds is not None:
                more["embeddings"] = library.Embedding(embed, measure.embeds)
            if name == "ragas_answer_relevancy":
                more["strictness"] = 1  # the same prompt thrice: the same answer thrice
            elif name == "ragas_context_relevance":
                more["max_retries"] = 1  # a request is repeated below, where it is worth it
            metric = getattr(library, measure.library_class)(llm=judge, **more)
            found = asyncio.run(metric.ascore(**given)).value
    except Exception as error:
        raise NoVerdict(judge.failure or f"{type(error).__name__}: {error}") from error
    if judge.failure:  # ragas may go on without an answer, from what is left
        raise NoVerdict(judge.failure)
    value = float(found)
    if not math.isfinite(value):
        raise NoVerdict(f"ragas gives {value}")
    return min(max(round(value, _DIGITS), 0.0), 1.0)  # a cosine may be negative


def _computed(library: Any, name: str, case: Case, given: dict[str, Any]) -> Any:
    """A measure that asks nobody, made ready for a case."""
    metric_class = getattr(library, JUDGED[name].library_class)
    if name == "ragas_nonllm_context_precision":
        given["reference_contexts"] = list(case.passages)  # any alternative will do
        return metric_class(distance_measure=library.StringSimilarity())
    if name == "ragas_nonllm_context_recall":
        return metric_class(_distance_measure=library.StringSimilarity())
    return metric_class()


@cache
def _library() -> SimpleNamespace:
    """The classes of ragas that are used, and ours that stand in for its clients."""
    telemetry_off()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is not used here
        from ragas.dataset_schema import SingleTurnSample
        from ragas.embeddings.base import BaseRagasEmbedding
        from ragas.llms.base import InstructorBaseRagasLLM
        from ragas.metrics import collections
        from ragas.metrics._context_precision import (
            IDBasedContextPrecision,
            NonLLMContextPrecisionWithReference,
        )
        from ragas.metrics._context_recall import IDBasedContextRecall, NonLLMContextRecall
        from ragas.metrics._string import NonLLMStringSimilarity

    class StringSimilarity(NonLLMStringSimilarity):  # type: ignore[misc]
        """Reports no use, and writes no file for that into the user's home."""

        async def single_turn_ascore(self, sample: Any, callbacks: Any = None, timeout: Any = None) -> float:
            return float(await self._single_turn_ascore(sample, callbacks))

    class Judging(InstructorBaseRagasLLM):  # type: ignore[misc]
        """Our chat, as ragas asks a model."""

        def __init__(self, ask: Ask) -> None:
            self.failure = ""
            """Why an answer could not be had, or not be used; empty where all was well."""
            self._ask = ask
            self._n_statements: int | None = None

        def generate(self, prompt: str, response_model: Any) -> Any:
            def read(answer: str) -> Any:
                found = json_object(answer)
                return None if found is None else response_model.model_validate(found)

            def check(answer: str) -> str:
                try:
                    verdict = read(answer)
                except ValueError as error:  # pydantic's
                    return f"the verdict has not the form that was asked for: {brief(str(error), 160)}"
                if verdict is None:
                    return f"the verdict is no JSON object: {brief(answer)}"
                judged = response_model.__name__ == "NLIStatementOutput"
                fault = fault_of(verdict.model_dump(), self._n_statements if judged else None)
                return f"the verdict cannot be used: {fault}" if fault else ""

            try:
                verdict = read(self._ask(prompt, check))
            except ChatError as error:
                self.failure = next(iter(error.failures.values()))
                raise
            if response_model.__name__ == "StatementGeneratorOutput":
                self._n_statements = len(verdict.statements)
            return verdict

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            # The loop is this call's alone: nothing else waits in it.
            return self.generate(prompt, response_model)

    class Embedding(BaseRagasEmbedding):  # type: ignore[misc]
        """The sweep's embedder, as ragas asks for vectors."""

        def __init__(self, embed: Embed, kind: Embeds) -> None:
            super().__init__()
            self._embed, self._kind = embed, kind

        def embed_text(self, text: str, **kwargs: Any) -> list[float]:
            return self.embed_texts([text])[0]

        async def aembed_text(self, text: str, **kwargs: Any) -> list[float]:
            return self.embed_text(text)

        def embed_texts(self, texts: list[str], **kwargs: Any) -> list[list[float]]:
            vectors: list[list[float]] = self._embed(texts, self._kind).tolist()
            return vectors

        async def aembed_texts(self, texts: list[str], **kwargs: Any) -> list[list[float]]:
            return self.embed_texts(texts)

    asked = {
        measure.library_class: getattr(collections, measure.library_class)
        for measure in JUDGED.values()
        if measure.asks
    }
    return SimpleNamespace(
        **asked,
        IDBasedContextPrecision=IDBasedContextPrecision,
        IDBasedContextRecall=IDBasedContextRecall,
        NonLLMContextPrecisionWithReference=NonLLMContextPrecisionWithReference,
        NonLLMContextRecall=NonLLMContextRecall,
        Sample=SingleTurnSample,
        StringSimilarity=StringSimilarity,
        Judging=Judging,
        Embedding=Embedding,
    )
