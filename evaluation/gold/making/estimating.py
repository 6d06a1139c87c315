"""What making questions will take, counted before anything is asked.

The maker is run on the answers that are kept already. Each request that it cannot do without is counted,
with the tokens of its real prompt, and those that are likely to follow or may follow from its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

from evaluation.gold.making.span_exact import MOST_SAMPLES, Made, NotAsked
from strategies.language_model.chat_model import ChatModel
from strategies.units.counting import counter_of

_FOLLOWING = {"question": (2, 4), "rephrase": (2, 3), "answer": (1, 2), "compare": (1, 1)}
"""What a request is for -> requests that it makes with what follows: if all is well, and at most.

No prompt that follows a question's is longer than it, which holds the same passages and more rules.
"""


class Pending(NamedTuple):
    """A request that would be made."""

    step: str
    prompt: str


class Weight(NamedTuple):
    """Requests of one size."""

    expected: int
    most: int
    input_tokens: int
    """cl100k tokens of the prompt, or of the longest among them."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Requests, and what they take."""

    requests: int
    input_tokens: int
    """cl100k tokens of the prompts."""
    output_tokens: int | None
    """An upper bound, by the limit of an answer; None where the endpoint sets it."""
    cost: float | None
    """Of these tokens; None where no price, or no bound, is known."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would ask, beside what is cached."""

    expected: Amount
    """If every passage gives a question at once."""
    most: Amount
    """If none does before the last that may be asked about, and every check is made."""


class Counting:
    """Answers from what is kept, and counts what is not."""

    def __init__(self, kept: Callable[[str], str | None]) -> None:
        self.pending: list[Pending] = []
        self._counted = set[Pending]()
        self._kept = kept
        self._lock = Lock()

    def ask(self, step: str, prompt: str) -> str:
        """The answer that is kept; raises NotAsked where there is none."""
        answer = self._kept(prompt)
        if answer is None:
            with self._lock:
                if (request := Pending(step, prompt)) not in self._counted:
                    self._counted.add(request)
                    self.pending.append(request)
            raise NotAsked
        return answer


def span_exact_weights(pending: Iterable[Pending], made: Made) -> list[Weight]:
    """The requests of a run of `span_exact` that only counted."""
    weights = []
    for step, prompt in pending:
        expected, most = _FOLLOWING[step]
        weights.append(Weight(expected, most, tokens(prompt)))
    if weights:
        further = MOST_SAMPLES * made.wanted - made.samples
        weights.append(Weight(0, 4 * further, max(weight.input_tokens for weight in weights)))
    return weights


def estimate(weights: Iterable[Weight], model: ChatModel) -> Estimate:
    """What the requests take."""
    weights = list(weights)
    expected = sum(weight.expected for weight in weights), sum(w.expected * w.input_tokens for w in weights)
    most = sum(weight.most for weight in weights), sum(w.most * w.input_tokens for w in weights)
    return Estimate(_amount(*expected, model), _amount(*most, model))


def _amount(requests: int, input_tokens: int, model: ChatModel) -> Amount:
    limit = model.max_output_tokens
    output = None if limit is None else requests * limit
    return Amount(
        requests, input_tokens, output, None if output is None else model.cost(input_tokens, output)
    )


def tokens(text: str) -> int:
    """cl100k tokens of a prompt."""
    return counter_of("cl100k_base").count(text)
