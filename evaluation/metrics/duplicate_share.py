"""How much of the list repeats what stands above it: places that overlap wastes."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.metric import Metric


def duplicate_share(duplicates: Sequence[bool], k: int) -> float | None:
    """Share of the first K hits that repeat an earlier one, of those that there are; missing without hits.

    >>> duplicate_share([False, True, False, True], 3), duplicate_share([], 3)
    (0.3333333333333333, None)
    """
    first = duplicates[:k]
    return sum(first) / len(first) if first else None


METRIC = Metric(
    name="duplicate_share_at_k",
    label="Duplicate share@K",
    unit="share",
    direction="lower",
    comparable="no",
    needs="k",
    may_be_missing=True,
    source="chunksweep",
    function=lambda findings, k: duplicate_share(findings.duplicates, k),
)
