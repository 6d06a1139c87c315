"""Which runs are alike: in their chunks, and in what they were measured with."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence

from evaluation.metrics import column
from evaluation.search import SEARCH
from experiments.records import RunRecord

NOT_CUTTING = ("dataset", "embedder", "headings", *SEARCH)
"""Parameters that make another experiment of the same chunks."""

NOT_OF_CUT = ("index", "tokens", "text")
"""Entries of a chunk's row that follow from the rest, or from what was asked."""


def same_chunks(groups: Sequence[Sequence[RunRecord]]) -> dict[str, str]:
    """Id -> name of the earlier configuration whose chunks, and all that is done with them, are the same."""
    first: dict[object, str] = {}
    same = {}
    for group in groups:
        record = next((record for record in group if record.status == "finished" and record.chunks), None)
        if record is None:
            continue
        content = [[row.get(key) for key in sorted(row) if key not in NOT_OF_CUT] for row in record.chunks]
        digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
        key = (digest, *(record.params.get(name) for name in NOT_CUTTING))
        if key in first:
            same[record.config_id] = first[key]
        first.setdefault(key, record.name)
    return same


def differing_scores(repeats: Sequence[RunRecord]) -> list[str]:
    """Our own scores that repeats of one configuration do not give alike, question by question.

    The same chunks, vectors and questions have one ranking, so that none may differ; a judge's verdicts may.
    """
    finished = [record for record in repeats if record.status == "finished"]
    names = dict.fromkeys(name for record in finished for row in record.questions for name in row)
    return [
        name
        for name in names
        if column(name) is not None
        and len({tuple(row.get(name) for row in record.questions) for record in finished}) > 1
    ]


def differing_versions(groups: Sequence[Sequence[RunRecord]]) -> dict[str, list[str]]:
    """Id -> what it was measured with that most other rows were not (libraries, model, data)."""
    seen: dict[tuple[object, object, str], Counter[str]] = {}
    for group in groups:
        for record in group:
            for key, value in record.versions.items():
                place = (record.params.get("dataset"), record.params.get("embedder"), key)
                seen.setdefault(place, Counter())[value] += 1
    notes: dict[str, list[str]] = {}
    for group in groups:
        for record in group:
            for key, value in record.versions.items():
                counts = seen[record.params.get("dataset"), record.params.get("embedder"), key]
                usual = counts.most_common(1)[0][0]
                if value != usual:
                    note = f"{key.replace('_', ' ')} differs: {value[:16]}, elsewhere {usual[:16]}"
                    notes.setdefault(record.config_id, []).append(note)
    return {config_id: list(dict.fromkeys(lines)) for config_id, lines in notes.items()}
