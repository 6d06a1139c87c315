"""Judges all questions of a configuration, and tells what that cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

from evaluation.coverage import RankedText
from evaluation.judging.case import Case, case_of
from evaluation.judging.judge import Judge
from evaluation.judging.measures import JUDGED, Embeds
from evaluation.judging.ragas_metrics import Embed, NoVerdict, check_library, score
from evaluation.judging.threads import in_threads
from evaluation.layout import Layout
from strategies.errors import BadInput, ChatError, Problem
from strategies.language_model.chat import Chat
from strategies.language_model.chat_client import Failure, key_of_environment
from strategies.language_model.chat_model import ChatModel
from strategies.strategy import AnswerCheck, Vectors


class Verdict(NamedTuple):
    """What was judged of one question."""

    values: Mapping[str, float | None]
    """By measure; None where it could not be had, or nothing is there to judge it by."""
    complaints: tuple[str, ...]
    """Why not."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What was judged of a configuration."""

    questions: tuple[Verdict, ...] = ()
    """In the order of the cases."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """What it cost; nothing where nobody is asked."""
    reasons: Mapping[str, str] = field(default_factory=dict)


class Jury:
    """The judge of a sweep at work: one for all configurations, safe to use from any thread."""

    def __init__(self, judge: Judge, chat: Chat, embed: Embed) -> None:
        """`chat` is the jury's alone: what it spends is what judging costs."""
        self.judge = judge
        self._chat = chat
        self._embed = embed
        self._lock = Lock()
        self._used = self._paid = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The measures that are taken."""
        return self.judge.metrics

    def check(self) -> None:
        """Import what is needed, and look for keys; raises BadInput where something is not there."""
        keys = [key_of_environment(model) for model in self._models]
        if failures := [Problem("judge.api_key_env", key.what) for key in keys if isinstance(key, Failure)]:
            raise BadInput(failures)
        check_library(self.names)

    def case(self, text: RankedText, texts: Mapping[str, str], layout: Layout, rule: str) -> Case:
        """What is judged of a ranked list; `texts` are those of the documents, by id."""
        return case_of(text, texts, layout, rule, k=self.judge.k, tokens=self.judge.tokens)

    def verdicts(self, cases: Sequence[Case]) -> Verdicts:
        """Judge the questions of one configuration, some at a time.

        A measure that fails leaves its value missing, with a complaint, and the others go on. Costs are those
        of every answer that was used, cached or not, each once.
        """
        self._chat.spent()  # from here on
        found = dict(in_threads(self._judge, cases, self._concurrency))
        questions = tuple(found[place] for place in range(len(cases)))
        if not self.judge.asking:
            return Verdicts(questions, {})
        spent = self._chat.spent()
        self._used += spent.calls
        self._paid += spent.paid_calls
        metrics: dict[str, float] = {
            "judge_calls": spent.calls,
            "judge_input_tokens": spent.input_tokens,
            "judge_output_tokens": spent.output_tokens,
            "judge_ms": spent.ms,
        }
        # Asked of the models: where every answer failed, nothing is charged that could lack a price.
        if spent.cost is None or any(model.cost(0, 0) is None for model in self._models):
            return Verdicts(questions, metrics, {"judge_cost": "no price was given for the models' tokens"})
        return Verdicts(questions, metrics | {"judge_cost": spent.cost})

    @property
    def traffic(self) -> str:
        """One line for a log; empty where nothing was asked."""
        if not self._used and not self._paid:
            return ""
        return f"judge's answers: {self._used:,} used, {self._paid:,} paid now"

    def close(self) -> None:
        """Close connections and cache."""
        self._chat.close()

    @property
    def _models(self) -> tuple[ChatModel, ...]:
        """Each model that is asked, once."""
        answering = self.judge.answer
        asked = (self.judge.model, answering.model if answering else None)
        return tuple(model for model in dict.fromkeys(asked) if model)

    @property
    def _concurrency(self) -> int:
        return self.judge.model.concurrency if self.judge.model else 1

    def _judge(self, case: Case) -> Verdict:
        """Every measure of one question. Nothing retrieved is 0, whoever would be asked."""
        values: dict[str, float | None] = dict.fromkeys(self.names)
        complaints = []
        answer: str | NoVerdict = ""
        if case.contexts and any(JUDGED[name].answers for name in self.names):
            answer = self._answer(case)
        for name in self.names:
            reads = JUDGED[name].reads
            by_evidence = "reference" in reads or "reference_contexts" in reads
            if by_evidence and not case.reference.strip():
                continue
            if not case.contexts or ("reference_context_ids" in reads and not case.relevant_ids):
                values[name] = 0.0
                continue
            try:
                if JUDGED[name].answers and isinstance(answer, NoVerdict):
                    raise answer
                text = answer if isinstance(answer, str) else ""
                values[name] = score(name, case, text, self._ask, self._vectors)
            except NoVerdict as failure:
                complaints.append(f"{name}: {failure}")
        return Verdict(values, tuple(complaints))

    def _answer(self, case: Case) -> str | NoVerdict:
        answering = self.judge.answer
        assert answering is not None, "Judge gives one where an answer is judged"
        prompt = answering.filled(case.question, "\n\n".join(case.contexts))
        try:
            return self._asked(answering.model, prompt, lambda answer: "")
        except ChatError as error:
            return NoVerdict(f"no answer to judge: {next(iter(error.failures.values()))}")

    def _ask(self, prompt: str, check: AnswerCheck) -> str:
        assert self.judge.model is not None, "Judge has one where a measure asks"
        return self._asked(self.judge.model, prompt, check)

    def _asked(self, model: ChatModel, prompt: str, check: AnswerCheck) -> str:
        (answer,) = self._chat.answers(model, [prompt], check)
        return answer

    def _vectors(self, texts: Sequence[str], kind: Embeds) -> Vectors:
        with self._lock:
            return self._embed(texts, kind)
