"""The recommendation in words, as a user reads it in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.max_t import Simultaneous


class Row(NamedTuple):
    """A configuration: its name, its mean score and what it costs."""

    name: str
    mean: float
    tokens_embedded: float
    stored_bytes: float
    llm_tokens: float = 0.0
    rerank_pairs: float = 0.0

    @property
    def cost(self) -> tuple[float, float, float, float, str]:
        """The order of cheapness: a language model's tokens, which cost by far the most; pairs that are
        reranked, which every question pays for again; tokens embedded; stored bytes; name."""
        return self.llm_tokens, self.rerank_pairs, self.tokens_embedded, self.stored_bytes, self.name


def recommend_sentence(
    rows: Sequence[Row],
    result: Simultaneous,
    chosen: int,
    best: int,
    cheapest: int,
    tied: NDArray[np.bool_],
    loss_bound: NDArray[np.float64],
    margin: float,
) -> str:
    """Why `chosen` is recommended, and what it costs beside the best (or, if it is that, the cheapest)."""
    row, top = rows[chosen], rows[best]
    sure = _percent(result.level)
    at_most = f"loses at most {_up(loss_bound[chosen])} to whichever is really best (margin {margin:g})"
    if chosen != best:
        return (
            f"Recommended: {row.name} (mean {row.mean:.3f}). It is the cheapest that, with {sure} "
            f"confidence, {at_most}. The best measured, {top.name}, has {top.mean:.3f}. {_cost(row, top)}"
        )
    if tied.sum() == 1:
        reason = f"the best measured; all others are shown to be worse with {sure} confidence"
    else:
        reason = f"the best measured and the cheapest that, with {sure} confidence, {at_most}"
    text = f"Recommended: {row.name} (mean {row.mean:.3f}), {reason}."
    if cheapest != chosen:
        low, high = float(result.lower[cheapest, best]), result.upper[cheapest, best]
        other = rows[cheapest]
        loss = f"loses {low:.3f}" if low >= 0 else f"may be anything from {-low:.3f} better"
        text += f" The cheapest, {other.name}, {loss} to {_up(high)}{'' if low >= 0 else ' worse'}. "
        text += _cost(row, other)
    return text


def cannot_tell_sentence(
    rows: Sequence[Row],
    result: Simultaneous,
    best: int,
    rival: int,
    tied: NDArray[np.bool_],
    margin: float,
    needed: int | None,
    questions: int,
    side: str | None = None,
) -> str:
    """Why nothing is recommended, with the cheapest undecided configuration as the example.

    `side` is that of the questions, where they are a part of a split.
    """
    top, other = rows[best], rows[rival]
    others = int(tied.sum()) - 1
    better, worse = max(0.0, -result.lower[rival, best]), _up(result.upper[rival, best])
    which = f"{other.name} is" if others == 1 else f"{others} others are"
    example = "It" if others == 1 else f"The cheapest of them that is undecided, {other.name},"
    of = f"{side} " if side else ""
    asked = f"1 {of}question" if questions == 1 else f"{questions:,} {of}questions"
    settle = (
        f"About {needed:,} {of}questions like these would settle it."
        if needed is not None
        else "No practical number of questions like these would settle it; a larger margin might."
    )
    cheaper = other.cost < top.cost
    so = (
        f"So take {other.name} if a loss of {worse} would not matter, {top.name} if it would"
        if cheaper
        else f"So {top.name} is the one to take for now: nothing that is cheaper may be better"
    )
    return (
        f"Cannot tell from {asked}: {top.name} measured best (mean {top.mean:.3f}), but {which} not shown "
        f"to be worse with {_percent(result.level)} confidence. {example} may be anything from {better:.3f} "
        f"better to {worse} worse, and the margin is {margin:g}. "
        f"{_cost(other, top) if cheaper else f'None of them is cheaper than {top.name}.'} {settle} {so}."
    )


def _cost(row: Row, beside: Row) -> str:
    tokens = _share(row.tokens_embedded, beside.tokens_embedded, "tokens")
    stored = _share(row.stored_bytes, beside.stored_bytes, "bytes")
    asked = ""
    if row.llm_tokens or beside.llm_tokens:
        asked = f"costs {_share(row.llm_tokens, beside.llm_tokens, 'tokens')} of a language model, "
    if row.rerank_pairs or beside.rerank_pairs:
        asked += f"reranks {_share(row.rerank_pairs, beside.rerank_pairs, 'pairs')}, "
    return f"Beside {beside.name}, {row.name} {asked}embeds {tokens} and stores {stored}."


def _share(value: float, beside: float, unit: str) -> str:
    """How much more or less, in percent; in figures where the other is 0."""
    if value == beside:
        return f"as many {unit}"
    word = "fewer" if value < beside else "more"
    if beside <= 0:
        return f"{abs(value - beside):,.0f} {word} {unit}"
    percent = 100 * abs(value / beside - 1)
    return f"{percent:.0f} % {word} {unit}" if percent >= 1 else f"under 1 % {word} {unit}"


def _percent(level: float) -> str:
    return f"{100 * level:g} %"


def _up(bound: float) -> str:
    """A bound with three decimals, rounded up: what is printed must hold too."""
    return f"{np.ceil(bound * 1000 - 1e-9) / 1000:.3f}"
