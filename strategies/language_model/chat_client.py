"""The one door to the `openai` package: one call to an endpoint that speaks its chat protocol.

What comes back is judged here, from the plain JSON: endpoints differ in what they leave out.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from strategies.errors import brief
from strategies.language_model.chat_model import ChatModel
from strategies.language_model.retrying import pause_s
from strategies.units.counting import counter_of
from strategies.units.encodings import replace_surrogates

if TYPE_CHECKING:
    from openai import OpenAI

_LONGEST_BODY = 2**25
"""Bytes of a response; an endpoint that sends more does not speak the protocol."""

_CONNECT_S = 10.0
"""Seconds in which a connection must stand, whatever the time for an answer."""

_BUSY_OR_LOST = frozenset({401, 404, 408, 409, 429})
"""States of an endpoint, beside those from 500 on, that are not about the request."""

_SECRET = 12
"""Characters from which on a key is no word such as `ollama`, which an answer may hold by chance."""

_NEW_LIMIT = "max_completion_tokens"

_THOUGHTS = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
"""What some open models write before their answer, where the endpoint leaves it in."""


class Answer(NamedTuple):
    """What is kept of a call."""

    text: str
    input_tokens: int
    output_tokens: int
    ms: float
    """What it took, pauses and repetitions included."""


class Failure(NamedTuple):
    """Why a call brought no answer."""

    what: str
    of_endpoint: bool = False
    """Other prompts would fare alike."""


class _BrokenOff(Exception):
    """A response that began did not come to its end."""


class ChatClient:
    """Calls to one model, from any number of threads."""

    def __init__(self, model: ChatModel, key: str) -> None:
        """`key` may be empty, where none is needed."""
        from openai import OpenAI, Timeout

        self._model = model
        self._key = key
        self._limit = "max_tokens"
        """What the endpoint calls the limit of an answer: OpenAI's newer models know another name."""
        self._client: OpenAI = OpenAI(
            base_url=model.base_url,
            api_key=key or "none",  # an empty one would be looked for in OPENAI_API_KEY
            timeout=Timeout(model.timeout_s, connect=min(_CONNECT_S, model.timeout_s)),
            max_retries=0,  # it would know nothing of a response that breaks off
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def answer(self, prompt: str, wait: Callable[[float], bool]) -> Answer | Failure:
        """The answer to a prompt, or what stood against it. Raises nothing.

        `wait` waits for some seconds, and is true where the answer is no longer wanted: `Event.wait`.
        """
        begin = time.perf_counter()
        limit, requests, failed = self._limit, 0, 0
        while True:
            requests += 1
            try:
                body = self._request(prompt, limit)
                ms = 1000 * (time.perf_counter() - begin)
                return self._without_key(read(body, prompt, ms, self._model, self._key))
            except Exception as error:  # whatever it is, other prompts go on
                if limit != _NEW_LIMIT and _wants_new_limit(error):
                    limit = self._limit = _NEW_LIMIT
                    continue
                failed += 1
                pause = _pause_s(error, failed) if failed <= self._model.retries else None
                if pause is None or wait(pause):
                    return _failure(error, self._model, requests, self._key)

    def _without_key(self, outcome: Answer | Failure) -> Answer | Failure:
        """An endpoint for tests may even answer with the key."""
        if isinstance(outcome, Answer) and len(self._key) >= _SECRET:
            return outcome._replace(text=outcome.text.replace(self._key, "***"))
        return outcome

    def _request(self, prompt: str, limit: str) -> bytes:
        """The body of the response, which must come within the time, however slowly it drips."""
        from openai import OpenAIError

        asked: dict[str, Any] = {
            "model": self._model.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": self._model.temperature,
            limit: self._model.max_output_tokens,
        }
        asked = {name: value for name, value in asked.items() if value is not None}
        body = bytearray()
        try:
            with self._client.chat.completions.with_streaming_response.create(**asked) as response:
                end = time.perf_counter() + self._model.timeout_s
                for part in response.iter_bytes():
                    body += part
                    if len(body) > _LONGEST_BODY:
                        raise _BrokenOff(f"more than {_LONGEST_BODY} bytes")
                    if time.perf_counter() > end:
                        raise _BrokenOff(f"not complete within {self._model.timeout_s:g} s")
        except (OpenAIError, _BrokenOff):
            raise
        except Exception as error:  # of the connection, while something was read
            raise _BrokenOff(str(error) or type(error).__name__) from None
        return bytes(body)


def key_of_environment(model: ChatModel) -> str | Failure:
    """The key that a model is asked with; empty where it needs none."""
    if model.api_key_env is None:
        return ""
    key = os.environ.get(model.api_key_env, "").strip()
    return key or Failure(f"the environment variable {model.api_key_env}, which holds the key, is not set")


def read(body: bytes, prompt: str, ms: float, model: ChatModel, key: str = "") -> Answer | Failure:
    """What a response says; `key` is shown of nothing."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    choice = _at(said, "choices", 0)
    if choice is None:
        return Failure(f"the endpoint sent no answer: {_shown(body.decode('utf-8', 'replace'), key)}", True)
    refusal, finish = _at(choice, "message", "refusal"), _at(choice, "finish_reason")
    if refusal:
        return Failure(f"the model refused: {_shown(str(refusal), key)}")
    if finish == "content_filter":
        return Failure("the endpoint's content filter stopped the answer")
    if finish == "length":
        return Failure(f"the answer was cut at {_limit(model)}: raise max_output_tokens")
    content = _at(choice, "message", "content")
    text = _THOUGHTS.sub("", content, count=1) if isinstance(content, str) else ""
    if not text.strip():
        return Failure("the answer is empty")
    text = replace_surrogates(text)
    return Answer(
        text,
        _tokens(_at(said, "usage", "prompt_tokens"), prompt),
        _tokens(_at(said, "usage", "completion_tokens"), text),
        ms,
    )


def _at(value: Any, *path: str | int) -> Any:
    """What stands at a place of a JSON value; None where there is no such place."""
    for step in path:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    return value


def _tokens(told: object, text: str) -> int:
    """What the endpoint counted, or else, where it does not tell, the text's cl100k tokens."""
    if isinstance(told, int) and not isinstance(told, bool) and 0 <= told < 2**62:
        return told
    return counter_of("cl100k_base").count(text)


def _wants_new_limit(error: Exception) -> bool:
    from openai import BadRequestError

    return isinstance(error, BadRequestError) and _NEW_LIMIT in str(error)


def _pause_s(error: Exception, failed: int) -> float | None:
    """Seconds before a request that failed so often is made again; None where that would not help."""
    from openai import APIConnectionError, APIStatusError

    if isinstance(error, APIStatusError):
        return pause_s(failed, error.status_code, error.response.headers)
    return pause_s(failed, None, {}) if isinstance(error, APIConnectionError | _BrokenOff) else None


def _failure(error: Exception, model: ChatModel, requests: int, key: str) -> Failure:
    """What an exception, the last one after so many requests, means to who reads the report."""
    from openai import APIConnectionError, APIStatusError, APITimeoutError

    times = f"asked {requests} times" if requests > 1 else "asked once"
    if isinstance(error, APITimeoutError):
        return Failure(f"no answer within {model.timeout_s:g} s, {times}", True)
    if isinstance(error, APIConnectionError):
        reason = str(error.__cause__ or error) or "no reason given"
        return Failure(f"{model.base_url} cannot be reached ({_shown(reason, key)}), {times}", True)
    if isinstance(error, APIStatusError):
        told = _at(error.body, "message")
        status = error.status_code
        reason = _shown(told if isinstance(told, str) and told else error.response.text, key)
        said = f"HTTP {status}: {reason}" + (f", {times}" if requests > 1 else "")
        return Failure(said, status in _BUSY_OR_LOST or status >= 500)
    if isinstance(error, _BrokenOff):
        return Failure(f"the response broke off ({_shown(str(error), key)}), {times}", True)
    return Failure(_shown(f"{type(error).__name__}: {error}", key), True)


def _limit(model: ChatModel) -> str:
    return "the endpoint's limit" if model.max_output_tokens is None else f"{model.max_output_tokens} tokens"


def _shown(text: str, key: str) -> str:
    """The beginning of what another side said, on one line.

    Endpoints may show the key in it, which must go before anything is cut: the rest of a key is one, too.
    """
    text = text.replace(key, "***") if key else text
    return brief(" ".join(text[:1000].split()), longest=200)
