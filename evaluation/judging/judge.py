"""What a sweep says about judging: `judge:`, read and checked before any work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from evaluation.judging.measures import JUDGED
from strategies.errors import BadInput, Problem, nearest, refuse
from strategies.language_model.chat_model import ChatModel
from strategies.parameters import attempt, parameters, settle
from strategies.sizes import positive
from strategies.strategy import parameter

PROMPT = """\
Answer the question from the context alone, in one or two sentences. If the context does not hold the \
answer, say that you do not know.

Context:
{context}

Question: {question}
Answer:"""

_MODEL = tuple(item.name for item in parameters(ChatModel))
_PRICES = tuple(name for name in _MODEL if name.startswith("price_"))
_LIBRARIES = ("ragas", "rapidfuzz")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """How the answers are written that are judged."""

    model: ChatModel
    prompt: str = parameter("what the model is asked, with {question} and {context}", default=PROMPT)

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self, self._between)

    def _between(self, known: set[str]) -> Iterator[Problem]:
        missing = [field for field in ("{question}", "{context}") if field not in str(self.prompt)]
        if missing and "prompt" not in known:
            yield Problem("prompt", f"lacks {' and '.join(missing)}", "Say where the text goes")

    def filled(self, question: str, context: str) -> str:
        """The prompt of a question; braces inside the texts stay as they are."""
        texts = {"question": question, "context": context}
        return re.sub(r"\{(question|context)\}", lambda field: texts[field[1]], self.prompt)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Which measures of ragas are taken, on how much of what is retrieved, and who is asked."""

    metrics: tuple[str, ...] = parameter("measures of ragas: `chunksweep list metrics` shows them")
    k: int | None = parameter("hits that are judged, each whole", default=None, check=positive)
    tokens: int | None = parameter(
        "or the text that is judged: what a prompt of so many cl100k tokens holds of the ranked list",
        default=None,
        check=positive,
    )
    model: ChatModel | None = None
    """Who judges; None where nothing is asked."""
    answer: Answering | None = None
    """How answers are written; None where none is judged."""

    def __post_init__(self) -> None:
        """Raise BadInput with every problem. What no measure needs is left out."""
        settle(self, self._between)

    def _between(self, known: set[str]) -> Iterator[Problem]:
        if "metrics" in known:
            return
        for place, name in enumerate(self.metrics):
            where = f"metrics[{place}]"
            if name not in JUDGED:
                yield Problem(where, f"{name!r} is no measure of ragas", nearest(name, JUDGED))
            elif name in self.metrics[:place]:
                yield Problem(where, f"holds {name} twice", "Keep one of them")
        if not self.metrics:
            yield Problem("metrics", "is an empty list", f"Write some of {', '.join(JUDGED)}")
        if self.k is not None and self.tokens is not None:
            yield Problem("tokens", "stands beside k", "Say how much is judged by one of them")
        asking = [name for name in JUDGED if name in self.metrics and JUDGED[name].asks]
        if asking and self.model is None:
            yield Problem("base_url", f"is missing: {asking[0]} asks a language model", "Say which one")
        for name in ("metrics", "model", "answer"):
            value = getattr(self, name)
            if name == "metrics":
                value = tuple(known for known in JUDGED if known in self.metrics) or self.metrics
            elif not asking or (name == "answer" and not any(JUDGED[one].answers for one in asking)):
                value = None
            object.__setattr__(self, name, value)

    @property
    def asking(self) -> tuple[str, ...]:
        """The measures that ask a language model."""
        return tuple(name for name in self.metrics if JUDGED[name].asks)

    def versions(self) -> dict[str, str]:
        """Libraries that decide the values; without those that are not installed."""
        found = {}
        for name in _LIBRARIES:
            try:
                found[name] = version(name)
            except PackageNotFoundError:
                continue
        return found


def read_judge(written: Mapping[str, Any]) -> Judge:
    """The judge that a file describes: parameters of `Judge` and `ChatModel` side by side.

    `answer` holds a prompt and, where another model writes the answers than judges them, its parameters.
    Those that it does not say are the judge's; but with an address of its own, which a key must not follow,
    it says them all. Raises BadInput with every problem.
    """
    problems: list[Problem] = []
    own = ("metrics", "k", "tokens")
    known = (*own, *_MODEL, "answer")
    said = {key: value for key, value in written.items() if value is not None}
    problems += [
        Problem(str(key), "is not a parameter of the judge", nearest(str(key), known))
        for key in said
        if key not in known
    ]
    of_model = {key: said[key] for key in _MODEL if key in said}
    model = attempt(problems, ChatModel, of_model, "the judge") if of_model else None
    answer = None
    if model is not None:
        try:
            answer = _answering(said.get("answer", {}), of_model)
        except BadInput as error:
            problems += error.problems
    values: dict[str, Any] = {key: said[key] for key in own if key in said}
    if isinstance(values.get("metrics"), str):
        values["metrics"] = [values["metrics"]]
    if of_model and model is None:  # what is wrong with it has been said
        return _refuse_all(problems, values)
    judge = attempt(problems, Judge, values | {"model": model, "answer": answer}, "the judge")
    if problems or judge is None:
        raise BadInput(problems)
    return judge


def _refuse_all(problems: list[Problem], values: Mapping[str, Any]) -> Judge:
    """Raise what is wrong with a judge whose model is wrong, and with the rest of it."""
    more: list[Problem] = []
    attempt(more, Judge, values, "the judge")
    raise BadInput([*problems, *(problem for problem in more if problem.where != "base_url")])


def _answering(written: object, judge: Mapping[str, Any]) -> Answering:
    if isinstance(written, str):
        written = {"prompt": written}
    if not isinstance(written, Mapping):
        raise refuse("answer", "is no map", "Write answer: {prompt: ...}")
    said = {key: value for key, value in written.items() if value is not None}
    problems = [
        Problem(f"answer.{key}", "is not a parameter of the answer", nearest(str(key), (*_MODEL, "prompt")))
        for key in said
        if key not in _MODEL and key != "prompt"
    ]
    inherited = {} if "base_url" in said else dict(judge)
    if "model" in said:
        inherited = {key: value for key, value in inherited.items() if key not in _PRICES}
    found: list[Problem] = []
    values = inherited | {key: said[key] for key in _MODEL if key in said}
    model = attempt(found, ChatModel, values, "the answer")
    answer = None
    if model is not None:
        prompt = {"prompt": said["prompt"]} if "prompt" in said else {}
        answer = attempt(found, Answering, {"model": model, **prompt}, "the answer")
    problems += [Problem(f"answer.{one.where}", one.what, one.remedy) for one in found]
    if problems or answer is None:
        raise BadInput(problems)
    return answer
