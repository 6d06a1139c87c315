"""Share of the evidence that the reader was handed, at a depth and at a budget of tokens."""

from __future__ import annotations

from evaluation.coverage import Coverage
from evaluation.metrics.metric import Metric


def context_recall(text: Coverage) -> float:
    """length(U ∩ E) / length(E), in characters that are not white space; 0 if nothing was retrieved.

    Evidence [12, 18) of a text without blanks, found in [0, 20), and once more in [10, 30):

    >>> context_recall(Coverage(evidence_non_white=6, shared_non_white=6, evidence_characters=6,
    ...                         shared_characters=6, text_characters=30, text_tokens=8))
    1.0
    """
    return text.recall


AT_K = Metric(
    name="context_recall_at_k",
    label="Context recall@K",
    unit="share",
    direction="higher",
    comparable="at equal tokens",
    needs="k",
    source="Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma, 2024); "
    "the idea of ragas' context recall, on spans",
    function=lambda findings, k: context_recall(findings.at_k[k]),
)
AT_BUDGET = Metric(
    name="context_recall_at_B_tokens",
    label="Context recall in B tokens",
    unit="share",
    direction="higher",
    comparable="yes",
    needs="budget",
    source="chunksweep: the recall of Smith and Troynikov (Chroma, 2024) at an equal token budget",
    function=lambda findings, budget: context_recall(findings.at_budget[budget]),
)
