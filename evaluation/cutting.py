"""What cutting documents cost: time, and what was paid for vectors and answers on the way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vectored:
    """Vectors that a strategy asked for, as if none had been in the cache."""

    texts: int
    tokens: int
    """That reached the embedder, special tokens included."""
    embed_ms: float
    same_machine: bool
    """Whether all of them were embedded on a machine like this, so that their times compare."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Answers of a language model that a strategy asked for, as if none had been in the cache."""

    calls: int
    input_tokens: int
    output_tokens: int
    ms: float
    """Time of all calls, one after the other."""
    cost: float | None
    """In the currency of the prices; None where no price was given."""


@dataclass(frozen=True, slots=True)
class Cutting:
    """What cutting all documents cost."""

    split_ms: float
    """The splitter's own time, without waiting for vectors and answers."""
    vectored: Vectored | None = None
    """None for strategies that do not cut by meaning."""
    answered: Answered | None = None
    """None for strategies that ask no language model."""

    @property
    def tokens_embedded(self) -> int:
        """Tokens that were embedded only to find out where to cut."""
        return 0 if self.vectored is None else self.vectored.tokens

    def metrics(self) -> tuple[dict[str, float], dict[str, str]]:
        """The measures that apply, and why one of them is missing."""
        metrics: dict[str, float] = {"split_ms": self.split_ms}
        reasons: dict[str, str] = {}
        if self.vectored is not None:
            metrics["split_tokens_embedded"] = self.vectored.tokens
            if self.vectored.same_machine:
                metrics["split_embed_ms"] = self.vectored.embed_ms
            else:
                reasons["split_embed_ms"] = ELSEWHERE
        if self.answered is not None:
            metrics |= {
                "llm_calls": self.answered.calls,
                "llm_input_tokens": self.answered.input_tokens,
                "llm_output_tokens": self.answered.output_tokens,
                "llm_ms": self.answered.ms,
            }
            if self.answered.cost is not None:
                metrics["llm_cost"] = self.answered.cost
            else:
                reasons["llm_cost"] = "no price was given for the model's tokens"
        return metrics, reasons


ELSEWHERE = "some texts were embedded on another machine or backend, whose times do not compare"
"""Why a time is missing."""
