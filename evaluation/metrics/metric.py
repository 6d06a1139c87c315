"""What a metric is: a name, how to read it, and a function of `Findings`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from evaluation.findings import Findings

Direction = Literal["higher", "lower", "none"]
Comparable = Literal["yes", "no", "at equal tokens"]
Needs = Literal["k", "budget"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One measure of one question; a configuration's figure is its mean over the questions."""

    name: str
    """Key in `METRICS`; `_at_k` and `_at_B_tokens` stand for the parameter."""
    label: str
    """How a table's head or a plot's axis calls it."""
    unit: Literal["share", "score", "tokens", "similarity"]
    """`share` and `score` lie in [0, 1]; a score is not a share of anything."""
    direction: Direction
    """Which way is better."""
    comparable: Comparable
    """Whether configurations that cut differently may be compared by it."""
    source: str
    """Where the formula comes from."""
    function: Callable[[Findings, int], float | None]
    """The value, from findings and the parameter (0 where none is needed); None: not defined here."""
    needs: Needs | None = None
    """Whether it has a depth K or a budget of tokens as its parameter."""
    needs_hits: bool = True
    """False: known from the chunks alone, without any search."""
    may_be_missing: bool = False
    """True: the mean is over the questions that have a value. False: a missing value counts 0."""

    def column(self, parameter: int) -> str:
        """The name of one column: `mrr_at_k` and 10 give `mrr_at_10`."""
        return self.name.replace("_at_k", f"_at_{parameter}").replace("_at_B_", f"_at_{parameter}_")
