"""What a configuration costs in money, from what was counted and the prices of a user.

Prices decide nothing that is measured: the same counts, at other prices, are other sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.metrics import column
from strategies.parameters import settle
from strategies.sizes import not_negative
from strategies.strategy import parameter

GB = 1_000_000_000
"""Bytes of a gigabyte, as stores bill them: decimal."""


def _unnamed(currency: str) -> str:
    return "" if currency.strip() and currency.isprintable() else "is no name of a currency"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What tokens and bytes cost; each price may be missing, and with it what follows from it."""

    per_million_embedding_tokens: float | None = parameter(
        "price of a million tokens that the embedder reads", default=None, check=not_negative
    )
    per_million_prompt_tokens: float | None = parameter(
        "price of a million tokens of a prompt, for the model that answers", default=None, check=not_negative
    )
    per_gb_month: float | None = parameter(
        "price of storing a gigabyte (10^9 bytes) for a month", default=None, check=not_negative
    )
    currency: str | None = parameter("what all prices are in, such as EUR", default=None, check=_unnamed)

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)


FREE = Prices()
"""No price is known."""

COSTS = (
    "embedding_cost",
    "storage_cost_per_month",
    "prompt_cost_per_1000_questions",
    "query_embedding_cost_per_1000_questions",
)
"""What prices make of the measures of a configuration."""


def costs(prices: Prices, metrics: Mapping[str, float], headline: str) -> dict[str, float]:
    """Name of `COSTS` -> money, of those whose price and count are there.

    The prompt is the text that the headline speaks of: what stands in its budget, or in its first K hits.

    >>> counted = {"tokens_embedded": 2_000_000, "prompt_tokens_at_5": 800.0}
    >>> costs(Prices(per_million_embedding_tokens=0.02, per_million_prompt_tokens=3), counted, "mrr_at_5")
    {'embedding_cost': 0.04, 'prompt_cost_per_1000_questions': 2.4}
    """
    embedding, prompt = prices.per_million_embedding_tokens, prices.per_million_prompt_tokens
    each: tuple[tuple[str, float | None, float], ...] = (
        ("tokens_embedded", embedding, 1e6),
        ("stored_bytes", prices.per_gb_month, GB),
        (prompt_tokens_column(headline), prompt, 1e6 / 1000),
        ("query_tokens_mean", embedding, 1e6 / 1000),
    )
    return {
        name: metrics[count] * price / units
        for name, (count, price, units) in zip(COSTS, each, strict=True)
        if price is not None and count in metrics
    }


def prompt_tokens_column(headline: str) -> str:
    """The column of the tokens that a headline's text has; none for one without K and budget."""
    found = column(headline)
    if found is None or found.metric.needs is None:
        return ""
    return f"prompt_tokens_at_{found.parameter}" + ("_tokens" if found.metric.needs == "budget" else "")
