"""Which language model is asked, how, and at what price: parameters that a sweep file may hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from strategies.errors import Problem
from strategies.parameters import settle
from strategies.sizes import not_negative, positive
from strategies.strategy import parameter

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


def _address_problem(address: str) -> str:
    """What is wrong with an endpoint's address; one that may hold a secret is not shown."""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return "is not an address such as http://localhost:11434/v1"
    if parts.username or parts.password or parts.query or parts.fragment:
        return "holds more than an address: a user, a password or a query has no place in a sweep"
    return "" if usable else f"is {address!r}, not an address such as http://localhost:11434/v1"


def _variable_problem(name: str) -> str:
    """What is wrong with a variable's name; it is not shown, for it may be the key itself.

    >>> _variable_problem("OPENAI_API_KEY"), _variable_problem("sk-123")[:23]
    ('', 'is no name of a variabl')
    """
    if _VARIABLE.fullmatch(name):
        return ""
    return "is no name of a variable in capitals such as OPENAI_API_KEY; a key has no place in a sweep"


def _blank_problem(text: str) -> str:
    return "" if text.strip() else "is blank"


def _not_positive(number: float) -> str:
    return "" if number > 0 else f"is {number:g}; use more than 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatModel:
    """A model behind an endpoint that speaks OpenAI's chat-completions protocol."""

    base_url: str = parameter(
        "address of an endpoint that speaks OpenAI's chat-completions protocol, such as "
        "http://localhost:11434/v1; the documents are sent there",
        check=_address_problem,
    )
    model: str = parameter("name of the model, as the endpoint knows it", check=_blank_problem)
    api_key_env: str | None = parameter(
        "environment variable that holds the key, such as OPENAI_API_KEY; null where none is needed",
        default=None,
        check=_variable_problem,
        decides=False,
        secret=True,
    )
    temperature: float | None = parameter(
        "sampling temperature; null leaves it to the model, as some demand", default=0.0, check=not_negative
    )
    max_output_tokens: int | None = parameter(
        "tokens that an answer, and the thinking before it, may take; null leaves it to the endpoint",
        default=2000,
        check=positive,
    )
    timeout_s: float = parameter(
        "seconds to wait for an answer, each time it is asked for",
        default=120.0,
        check=_not_positive,
        decides=False,
    )
    retries: int = parameter(
        "times that a request is made again, with growing pauses, where the endpoint is busy, fails or "
        "does not answer in time",
        default=5,
        check=not_negative,
        decides=False,
    )
    concurrency: int = parameter("requests under way at a time", default=4, check=positive, decides=False)
    price_per_million_input_tokens: float | None = parameter(
        "price of a million input tokens, in any currency; null where it is not known",
        default=None,
        check=not_negative,
        decides=False,
    )
    price_per_million_output_tokens: float | None = parameter(
        "price of a million output tokens, in the same currency",
        default=None,
        check=not_negative,
        decides=False,
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self, self.between_parameters)
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))

    def between_parameters(self, known: set[str]) -> Iterator[Problem]:
        """What is wrong between parameters, of those that are not `known` to be wrong in themselves."""
        names = ("price_per_million_input_tokens", "price_per_million_output_tokens")
        missing = [name for name in names if getattr(self, name) is None]
        if len(missing) == 1:
            yield Problem(missing[0], "is missing beside the other price", "Give both, or none")

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """The price of a call, in the currency of the prices; None where they are not known."""
        if self.price_per_million_input_tokens is None or self.price_per_million_output_tokens is None:
            return None
        return (
            input_tokens * self.price_per_million_input_tokens
            + output_tokens * self.price_per_million_output_tokens
        ) / 1e6
