"""What making questions will take, counted before anything is asked.

The maker is run on the answers that are kept already. Each request that it cannot do without is counted,
with the tokens of its real prompt, and those that are likely to follow or may follow from its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from heapq import nlargest
from threading import Lock
from typing import NamedTuple

from evaluation.gold.making import prompts
from evaluation.gold.making.prompts import tokens
from evaluation.gold.making.sampling import Excerpt, Sample
from evaluation.gold.making.span_exact import MOST_SAMPLES, UNKNOWN, Made, NotAsked
from evaluation.gold.nouns import Passage
from strategies.language_model.chat_model import ChatModel

_STEPS = ("question", "rephrase", "answer", "compare")
_EXPECTED = {"question": 2, "rephrase": 2, "answer": 1, "compare": 1}
"""What a request is for -> requests that it makes with what follows, if all is well."""

_SPARE = 64
"""cl100k tokens by which a prompt may exceed the sum of its parts: marks are of any digits, and a text may be
cut inside its tokens."""


_NOWHERE = Excerpt(Passage("", 0, 0), "")


class Pending(NamedTuple):
    """A request that would be made."""

    step: str
    prompt: str


class Weight(NamedTuple):
    """Requests, and the cl100k tokens of all their prompts."""

    expected: int
    expected_tokens: int
    most: int
    most_tokens: int


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
        size = tokens(prompt)
        unknown = prompts.MOST_BEFORE_TOKENS if UNKNOWN in prompt else 0
        most = [size + unknown, *_following(step, size - _bare()[step])]
        weights.append(Weight(_EXPECTED[step], _EXPECTED[step] * size, len(most), sum(most)))
    if weights:
        n_further = MOST_SAMPLES * made.wanted - made.samples
        longest = sum(nlargest(2, (one.tokens + tokens(prompts.whence(one)) for one in made.passages)))
        pair = tokens(prompts.question_prompt(Sample((_NOWHERE, _NOWHERE)), ["?"]))
        most = [pair + prompts.MOST_BEFORE_TOKENS + longest + _SPARE, *_following("question", longest)]
        weights.append(Weight(0, 0, n_further * len(most), n_further * sum(most)))
    return weights


def _following(step: str, evidence: int) -> list[int]:
    """Tokens, at most, of each prompt that may follow one, on texts of so many tokens."""
    answers = prompts.MOST_ANSWER + prompts.MOST_ALONE
    texts = {"rephrase": evidence, "answer": evidence, "compare": answers}
    later = _STEPS[_STEPS.index(step) + 1 :]
    return [_bare()[one] + prompts.MOST_QUESTION + texts[one] + _SPARE for one in later]


@cache
def _bare() -> dict[str, int]:
    """Tokens of each prompt without its texts."""
    bare = (
        prompts.question_prompt(Sample((_NOWHERE,)), ()),
        prompts.rephrase_prompt("", [""]),
        prompts.answer_prompt("", [""]),
        prompts.compare_prompt("", "", ""),
    )
    return dict(zip(_STEPS, map(tokens, bare), strict=True))


def estimate(weights: Iterable[Weight], model: ChatModel) -> Estimate:
    """What the requests take."""
    weights = list(weights)
    expected = sum(weight.expected for weight in weights), sum(w.expected_tokens for w in weights)
    most = sum(weight.most for weight in weights), sum(w.most_tokens for w in weights)
    return Estimate(_amount(*expected, model), _amount(*most, model))


def _amount(requests: int, input_tokens: int, model: ChatModel) -> Amount:
    limit = model.max_output_tokens
    output = None if limit is None else requests * limit
    return Amount(
        requests, input_tokens, output, None if output is None else model.cost(input_tokens, output)
    )
