"""A judge's answer, read strictly: what is not the JSON that was asked for is a failure, never a number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_FENCED = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)

_CHOICES = {"verdict": (0, 1), "attributed": (0, 1), "noncommittal": (0, 1), "rating": (0, 1, 2)}
"""Numbers by which a judge decides. ragas checks their type alone, and would count a 7."""

_FILLED = ("classifications", "statements")
"""Lists that ragas divides by, or takes for full marks where they are empty."""


def json_object(answer: str) -> dict[str, Any] | None:
    """The JSON object that an answer is, or holds in its one fence or between words; else None.

    >>> json_object('{"verdict": 1}'), json_object('So: {"verdict": 0}.'), json_object("yes")
    ({'verdict': 1}, {'verdict': 0}, None)
    """
    fenced = _FENCED.findall(answer)
    begin, end = answer.find("{"), answer.rfind("}")
    for text in (
        answer,
        fenced[0] if len(fenced) == 1 else "",
        answer[begin : end + 1] if begin >= 0 else "",
    ):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) else None
    return None


def fault_of(verdict: Mapping[str, Any], n_statements: int | None = None) -> str:
    """What is wrong with a verdict that has the form asked for; empty where nothing is.

    `n_statements` is how many statements were to be judged, where that is known.

    >>> fault_of({"reason": "so", "verdict": 7}), fault_of({"statements": []}), fault_of({"verdict": 1})
    ('its verdict is 7, not 0 or 1', 'its statements are empty', '')
    """
    for name, value in _numbers(verdict):
        if value not in _CHOICES[name]:
            return f"its {name} is {value}, not {' or '.join(map(str, _CHOICES[name]))}"
    for name in _FILLED:
        if name in verdict and not verdict[name]:
            return f"its {name} are empty"
    if n_statements is not None and len(verdict.get("statements", ())) != n_statements:
        return f"it judges {len(verdict.get('statements', ()))} of {n_statements} statements"
    if verdict.keys() == {"TP", "FP", "FN"} and not any(verdict.values()):
        return "it judges no statement"
    if "question" in verdict and not str(verdict["question"]).strip():
        return "its question is empty"
    return ""


def _numbers(value: Any) -> Iterator[tuple[str, Any]]:
    """Every number by which a judge decides, with its name."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name in _CHOICES:
                yield name, inner
            else:
                yield from _numbers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _numbers(inner)
