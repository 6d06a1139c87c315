"""Gold sets: a folder of documents and questions, read, checked and resolved.

    card.yaml         what the set is; only `name` is required
    documents/        any depth, any UTF-8 text file; NAME.meta.yaml says what is known about NAME
    questions.jsonl   one question a line, with the places that answer it

`load` gives a `GoldSet` or all problems at once; `read` gives both, for a report.
"""

from evaluation.gold.loading import bundled, count, load, locate, read
from evaluation.gold.nouns import Evidence, GoldSet, Passage, Question, admits, digest

__all__ = [
    "Evidence",
    "GoldSet",
    "Passage",
    "Question",
    "admits",
    "bundled",
    "count",
    "digest",
    "load",
    "locate",
    "read",
]
