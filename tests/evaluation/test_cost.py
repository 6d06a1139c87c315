"""Money, against sums worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.cost import COSTS, FREE, Prices, costs
from strategies.errors import BadInput

COUNTED = {
    "tokens_embedded": 250_000,
    "stored_bytes": 3_000_000_000,
    "query_tokens_mean": 12.5,
    "prompt_tokens_at_5": 900.0,
    "prompt_tokens_at_1024_tokens": 1_000.0,
}
ALL = Prices(per_million_embedding_tokens=0.5, per_million_prompt_tokens=2, per_gb_month=0.25, currency="EUR")


def test_every_sum_by_hand() -> None:
    assert costs(ALL, COUNTED, "context_recall_at_1024_tokens") == {
        "embedding_cost": 0.125,  # a quarter of a million, at 0.5
        "storage_cost_per_month": 0.75,  # 3 GB at 0.25
        "prompt_cost_per_1000_questions": 2.0,  # 1,000 x 1,000 tokens: a million, at 2
        "query_embedding_cost_per_1000_questions": 0.00625,  # 12,500 tokens, at 0.5 a million
    }


@pytest.mark.parametrize(
    ("headline", "prompts"),
    [
        ("mrr_at_5", 1.8),  # what five hits hold
        ("answerable_at_1024_tokens", 2.0),
        ("mrr_at_3", None),  # was not counted
        ("precision_omega", None),  # hands nothing over
        ("judged_faithfulness", None),
    ],
)
def test_the_prompt_is_what_the_headline_speaks_of(headline: str, prompts: float | None) -> None:
    assert costs(ALL, COUNTED, headline).get("prompt_cost_per_1000_questions") == prompts


def test_no_price_no_sum_and_a_price_of_0_is_one() -> None:
    assert costs(FREE, COUNTED, "mrr_at_5") == {}
    assert costs(Prices(per_gb_month=0), COUNTED, "mrr_at_5") == {"storage_cost_per_month": 0.0}
    assert costs(ALL, {}, "mrr_at_5") == {}


def test_all_that_is_wrong_with_prices_is_said_at_once() -> None:
    with pytest.raises(BadInput) as error:
        Prices(per_million_prompt_tokens=-1, per_gb_month=-0.5, currency="\x1b[31m")
    where = [problem.where for problem in error.value.problems]
    assert where == ["per_million_prompt_tokens", "per_gb_month", "currency"]


@given(st.floats(0, 1e6), st.floats(0, 1e3))
def test_twice_the_price_is_twice_the_sum(price: float, factor: float) -> None:
    prices = {
        f"per_{name}": price for name in ("million_embedding_tokens", "million_prompt_tokens", "gb_month")
    }
    once = costs(Prices(**prices), COUNTED, "mrr_at_5")  # type: ignore[arg-type]
    more = costs(Prices(**dict.fromkeys(prices, factor * price)), COUNTED, "mrr_at_5")  # type: ignore[arg-type]
    assert tuple(once) == COSTS
    assert more == pytest.approx({name: factor * sum_ for name, sum_ in once.items()})
