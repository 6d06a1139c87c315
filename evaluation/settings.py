"""What to search and score: a filter, depths, budgets, the rule of relevance, the metric to decide by."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.judging.judge import Judge
from evaluation.relevance import RULES, Rule
from strategies.document import Scalar
from strategies.errors import BadInput, Problem, nearest


@dataclass(frozen=True, slots=True)
class Settings:
    """One choice for a whole sweep, so that its configurations can be compared."""

    ks: tuple[int, ...] = (1, 3, 5, 10)
    """Depths K of the ranked list, in hits."""
    budgets: tuple[int, ...] = (512, 1024, 2048, 4096)
    """Budgets B of a prompt, in cl100k tokens."""
    rule: Rule = "half"
    """When a hit counts as relevant; a key of `relevance.RULES`."""
    headline: str = "context_recall_at_1024_tokens"
    """The column that decides."""
    filter: tuple[tuple[str, Scalar], ...] = ()
    """Metadata that a document must have to be searched at all, in the order of their names."""
    judge: Judge | None = None
    """Which measures of ragas are taken beside our own, and who is asked."""

    def __post_init__(self) -> None:
        """Refuse what cannot be scored, all of it at once."""
        problems = [
            problem
            for where, values in (("retrieval.k", self.ks), ("retrieval.token_budgets", self.budgets))
            for problem in _problems(where, values)
        ]
        if self.rule not in RULES:
            remedy = nearest(str(self.rule), RULES)
            problems.append(Problem("relevance", f"no rule is called {self.rule!r}", remedy))
        if problems:
            raise BadInput(problems)

    @property
    def largest_k(self) -> int:
        """How many hits are needed."""
        return max(self.ks)

    @property
    def largest_budget(self) -> int:
        """How many tokens of text the hits must fill."""
        return max(self.budgets)


def _problems(where: str, values: tuple[int, ...]) -> list[Problem]:
    if not values:
        return [Problem(where, "is empty", "Give at least one whole number")]
    problems = [
        Problem(where, f"{value!r} is not a whole number of 1 or more")
        for value in values
        if type(value) is not int or value < 1
    ]
    repeated = sorted({value for value in values if values.count(value) > 1})
    return problems + [Problem(where, f"{value!r} stands more than once") for value in repeated]
