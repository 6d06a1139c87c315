"""The one door to language models: any endpoint that speaks OpenAI's chat-completions protocol.

An answer is asked for once and kept on disk by the content of its request, so that a rerun costs nothing
and a run that was broken off pays only for what is missing. Keys are read from the environment when they
are needed, and are never kept, logged or shown.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread

from strategies.cache_file import CacheFile
from strategies.errors import ChatError
from strategies.language_model.chat_client import Answer, ChatClient, Failure, key_of_environment
from strategies.language_model.chat_model import ChatModel
from strategies.strategy import AnswerCheck
from strategies.units.encodings import replace_surrogates

ANSWERS = "answers.sqlite"
"""Name of the cache in its folder."""

_BATCH = 256
"""Prompts held at a time: each may hold a whole document."""

_PATIENCE = 5
"""Requests in a row that an endpoint may fail, each after all its retries, before others are spared."""

_COLUMNS = {"text": "text", "input_tokens": "integer", "output_tokens": "integer", "ms": "real"}


@dataclass(frozen=True, slots=True)
class Spent:
    """What answers cost. One from the cache is charged what it cost when it was made."""

    calls: int = 0
    """Distinct requests that were answered."""
    input_tokens: int = 0
    output_tokens: int = 0
    ms: float = 0.0
    """Time of all calls, one after the other."""
    cost: float | None = 0.0
    """In the currency of the prices; None where a price is not known."""
    paid_calls: int = 0
    """Calls that were made and answered now, the others being from the cache."""
    waited_ms: float = 0.0
    """Time spent waiting for calls that were made now; those under way together count once."""

    def with_call(self, answer: Answer, cost: float | None) -> Spent:
        """And one call more."""
        return replace(
            self,
            calls=self.calls + 1,
            input_tokens=self.input_tokens + answer.input_tokens,
            output_tokens=self.output_tokens + answer.output_tokens,
            ms=self.ms + answer.ms,
            cost=None if self.cost is None or cost is None else self.cost + cost,
        )


@dataclass(slots=True)
class _Ledger:
    """What was spent since it was opened, and how endpoints behaved."""

    spent: Spent = field(default_factory=Spent)
    charged: set[bytes] = field(default_factory=set)
    failed_in_a_row: dict[str, int] = field(default_factory=dict)
    """By address of the endpoint."""


class Chat:
    """Asks models and keeps what they answered. Safe to share between threads."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` of the cache; None keeps answers in memory. Raises BadInput where it cannot be used."""
        self._cache = CacheFile(None if folder is None else folder / ANSWERS, "answers", _COLUMNS)
        self._ledger = _Ledger()
        self._clients: dict[tuple[ChatModel, str], ChatClient] = {}
        self._lock = Lock()

    def answers(self, model: ChatModel, prompts: Iterable[str], check: AnswerCheck) -> list[str]:
        """The answers to prompts, in their order.

        Every prompt is asked even where others fail, unless the endpoint is beyond hope; what succeeds
        is kept. Then ChatError is raised with what happened to which: no answer in time, a refusal, one
        cut at `max_output_tokens`, an empty one, an error of the endpoint, or one in which `check` finds
        a fault. None of these is kept.
        """
        answers: list[str] = []
        failures: dict[int, str] = {}
        rest = iter(prompts)
        while batch := [replace_surrogates(prompt) for prompt in islice(rest, _BATCH)]:
            keys = [key_of(model, prompt) for prompt in batch]
            found = self._found(keys, check)
            missing = {key: prompt for key, prompt in zip(keys, batch, strict=True) if key not in found}
            failed = self._ask(model, missing, check, found)
            for key in keys:
                if key in failed:
                    failures[len(answers)] = failed[key].what
                answers.append(found[key].text if key in found else "")
            self._charge(model, found)
        if failures:
            raise ChatError(failures)
        return answers

    def kept(self, model: ChatModel, prompt: str) -> str | None:
        """What was answered to a prompt before; None where nothing is kept. Nothing is asked or charged."""
        key = key_of(model, replace_surrogates(prompt))
        answer = self._found([key], lambda answer: "").get(key)
        return None if answer is None else answer.text

    def spent(self) -> Spent:
        """What was spent since this was last asked, each distinct request charged once.

        Endpoints that failed get a new chance.
        """
        with self._lock:
            spent, self._ledger = self._ledger.spent, _Ledger()
        return spent

    def close(self) -> None:
        """Close the connections and the cache; answers stay."""
        for client in self._clients.values():
            client.close()
        self._cache.close()

    def _found(self, keys: Iterable[bytes], check: AnswerCheck) -> dict[bytes, Answer]:
        kept = {key: Answer(*values) for key, values in self._cache.get(keys).items()}
        return {key: answer for key, answer in kept.items() if not check(answer.text)}

    def _kept(self, key: bytes, answer: Answer, check: AnswerCheck) -> Answer:
        """The answer that is kept from now on: the first, if another process was given one meanwhile."""
        self._cache.put({key: answer}, replace=False)
        kept = self._found([key], check).get(key)
        if kept is None:  # what stood there cannot be used
            self._cache.put({key: answer})
        return kept or answer

    def _charge(self, model: ChatModel, answers: Mapping[bytes, Answer]) -> None:
        with self._lock:
            ledger = self._ledger
            for key in answers.keys() - ledger.charged:
                cost = model.cost(answers[key].input_tokens, answers[key].output_tokens)
                ledger.spent = ledger.spent.with_call(answers[key], cost)
            ledger.charged |= answers.keys()

    def _ask(
        self, model: ChatModel, prompts: Mapping[bytes, str], check: AnswerCheck, found: dict[bytes, Answer]
    ) -> dict[bytes, Failure]:
        """Ask, put good answers into `found` and into the cache as they come, and return what failed."""
        failed: dict[bytes, Failure] = {}
        if not prompts:
            return failed
        begin = time.perf_counter()
        paid = 0
        for key, outcome in self._outcomes(model, prompts):
            if isinstance(outcome, Answer):
                paid += 1
                fault = check(outcome.text)
                if not fault:
                    found[key] = self._kept(key, outcome, check)
                    continue
                outcome = Failure(fault)
            failed[key] = outcome
        with self._lock:
            spent = self._ledger.spent
            self._ledger.spent = replace(
                spent,
                paid_calls=spent.paid_calls + paid,
                waited_ms=spent.waited_ms + 1000 * (time.perf_counter() - begin),
            )
        return failed

    def _outcomes(
        self, model: ChatModel, prompts: Mapping[bytes, str]
    ) -> Iterator[tuple[bytes, Answer | Failure]]:
        """What came of each prompt, as it comes.

        The threads are daemons, so that a signal need not wait for the slowest call under way.
        """
        key = key_of_environment(model)
        if isinstance(key, Failure):
            yield from ((place, key) for place in prompts)
            return
        todo: SimpleQueue[tuple[bytes, str]] = SimpleQueue()
        done: SimpleQueue[tuple[bytes, Answer | Failure]] = SimpleQueue()
        stop = Event()
        client = self._client(model, key)

        def work() -> None:
            while not stop.is_set():
                try:
                    place, prompt = todo.get_nowait()
                except Empty:
                    return
                done.put((place, self._outcome(client, model.base_url, prompt, stop)))

        try:
            for item in prompts.items():
                todo.put(item)
            for _ in range(min(model.concurrency, len(prompts))):
                Thread(target=work, daemon=True).start()
            left = len(prompts)
            while left:
                with suppress(Empty):  # a signal that came just before the wait is seen after it
                    yield done.get(timeout=1)
                    left -= 1
        finally:
            stop.set()

    def _client(self, model: ChatModel, key: str) -> ChatClient:
        with self._lock:
            if (model, key) not in self._clients:
                self._clients[model, key] = ChatClient(model, key)
            return self._clients[model, key]

    def _outcome(self, client: ChatClient, endpoint: str, prompt: str, stop: Event) -> Answer | Failure:
        """One call, or none where the endpoint failed too often."""
        with self._lock:
            failed = self._ledger.failed_in_a_row.get(endpoint, 0)
        if failed >= _PATIENCE:
            return Failure(f"not asked, since {endpoint} failed {failed} times in a row")
        outcome = client.answer(prompt, stop.wait)
        with self._lock:
            in_a_row = self._ledger.failed_in_a_row
            fails = isinstance(outcome, Failure) and outcome.of_endpoint
            in_a_row[endpoint] = in_a_row.get(endpoint, 0) + 1 if fails else 0
        return outcome


def key_of(model: ChatModel, prompt: str) -> bytes:
    """The content address of a request: all that decides the answer."""
    request = [model.base_url, model.model, prompt, model.temperature, model.max_output_tokens]
    return hashlib.sha256(json.dumps(request).encode("ascii")).digest()
