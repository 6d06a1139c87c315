"""What making questions by a language model will take, and what came of it, in lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from evaluation.gold.making.candidates import REASONS
from evaluation.gold.making.estimating import Amount, Estimate
from evaluation.gold.making.span_exact import Made
from strategies.errors import brief, counted
from strategies.language_model.chat import Spent
from strategies.language_model.chat_model import ChatModel

MOST_FAILURES = 10
"""Failures that are printed; --json has all."""


def estimate_lines(estimate: Estimate, name: str, model: ChatModel, wanted: int) -> Iterator[str]:
    """What would be asked, and what that would take."""
    yield f"{brief(name)}: {counted(wanted, 'question')} of {brief(model.model)} at {model.base_url}"
    if not estimate.most.requests:
        yield "  Everything that is needed was answered before: nothing is asked."
        return
    yield f"  {'':<8}  requests  input tokens  output tokens  cost"
    yield _amount("expected", estimate.expected)
    yield _amount("at most", estimate.most)
    yield "  Beside what is cached. Expected: every passage gives a question at once. At most: every passage"
    yield "  that may be asked about, and every check. Input tokens are cl100k tokens of the prompts, bounded"
    yield "  where a prompt follows from an answer. Output tokens are the most that may come."
    if estimate.expected.cost is None:
        yield "  No cost without prices: --set price_per_million_input_tokens=... and ..._output_tokens=..."


def _amount(name: str, amount: Amount) -> str:
    output = "no limit" if amount.output_tokens is None else f"<={amount.output_tokens:,}"
    cost = "" if amount.cost is None else f"<={amount.cost:.4g}"
    return f"  {name:<8}  {amount.requests:>8,}  {amount.input_tokens:>12,}  {output:>13}  {cost}".rstrip()


def report_lines(made: Made, spent: Spent, name: str) -> Iterator[str]:
    """What was made, what was dropped and why, what failed, and what it took."""
    earlier = len(made.kept) - len(made.new)
    there = f", {earlier:,} of them by an earlier run" if earlier else ""
    yield f"{brief(name)}: {len(made.kept):,} of {counted(made.wanted, 'question')}{there}"
    yield f"  {made.samples:>6,}  asked for, each on a passage or on two"
    yield f"  {len(made.kept):>6,}  kept"
    for tag, number in sorted(Counter(tag for question in made.kept for tag in question.tags).items()):
        yield f"  {number:>6,}    {tag}"
    for reason, number in sorted(made.dropped.items(), key=lambda row: (-row[1], row[0])):
        yield f"  {number:>6,}  dropped: {REASONS[reason]}"
    for step, number in sorted(made.formless.items()):
        yield f"  {number:>6,}  replies had not the form: {step}, which are no questions"
    if made.failures:
        yield f"  {len(made.failures):>6,}  failed"
    for where, what in made.failures[:MOST_FAILURES]:
        yield f"          {brief(where, 120)}: {brief(what, 200)}"
    if len(made.failures) > MOST_FAILURES:
        yield f"          and {len(made.failures) - MOST_FAILURES} more; --json lists all"
    if made.end:
        yield f"  Ended early: {made.end}. Another --seed, or more documents, give more."
    if made.failures:
        yield "  The same command asks again for what failed, and for nothing else."
    cost = "" if spent.cost is None or not spent.calls else f", cost {spent.cost:.4g}"
    yield (
        f"  {counted(spent.calls, 'answer')} used, {spent.paid_calls:,} paid now, "
        f"{spent.input_tokens:,} input and {spent.output_tokens:,} output tokens in all{cost}"
    )
    if made.new:
        yield "  Read them before you trust them: `synthetic` says that no person wrote them."


def as_dict(made: Made, spent: Spent, estimate: Estimate) -> dict[str, Any]:
    """The same for a script."""
    return {
        "wanted": made.wanted,
        "kept": [question.id for question in made.kept],
        "added": [question.id for question in made.new],
        "asked": made.samples,
        "dropped": dict(made.dropped),
        "refused": [{"reason": one.reason, "question": one.question} for one in made.refused],
        "formless": dict(made.formless),
        "failures": [{"where": where, "what": what} for where, what in made.failures],
        "end": made.end,
        "estimate": asdict(estimate),
        "spent": asdict(spent),
    }
