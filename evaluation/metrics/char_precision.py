"""Share of the retrieved text that is evidence."""

from __future__ import annotations

from evaluation.coverage import Coverage
from evaluation.metrics.metric import Metric


def char_precision(text: Coverage) -> float:
    """length(U ∩ E) / length(U), in characters; 0 if nothing was retrieved.

    Evidence [12, 18), retrieved [0, 20) and [10, 30): 6 of the 30 characters, shared text counted once.

    >>> char_precision(Coverage(6, 6, 6, 6, text_characters=30, text_tokens=8))
    0.2
    """
    return text.shared_characters / text.text_characters if text.text_characters else 0.0


METRIC = Metric(
    name="char_precision_at_k",
    label="Character precision@K",
    unit="share",
    direction="higher",
    comparable="at equal tokens",
    needs="k",
    source="Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma, 2024)",
    function=lambda findings, k: char_precision(findings.at_k[k]),
)
