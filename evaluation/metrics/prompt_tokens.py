"""What retrieved text costs in the prompt: the first K hits, or what a budget holds."""

from __future__ import annotations

from evaluation.coverage import Coverage
from evaluation.metrics.metric import Metric


def prompt_tokens(text: Coverage) -> float:
    """cl100k tokens of the documents that start in U; shared text costs once, nothing retrieved costs 0.

    >>> prompt_tokens(Coverage(46, 46, 55, 54, text_characters=90, text_tokens=22))
    22.0
    """
    return float(text.text_tokens)


AT_K = Metric(
    name="prompt_tokens_at_k",
    label="Prompt tokens@K",
    unit="tokens",
    direction="lower",
    comparable="yes",
    needs="k",
    may_be_missing=True,
    source="chunksweep",
    function=lambda findings, k: prompt_tokens(findings.at_k[k]),
)
AT_BUDGET = Metric(
    name="prompt_tokens_at_B_tokens",
    label="Tokens used of B",
    unit="tokens",
    direction="none",
    comparable="yes",
    needs="budget",
    may_be_missing=True,
    source="chunksweep",
    function=lambda findings, budget: prompt_tokens(findings.at_budget[budget]),
)
