"""An endpoint that judges as ragas asks, and asserts that it is never asked about nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...strategies.chat_server import ChatServer, Reply, fails, says  # noqa: TID252  (a neighbour's)

KEY = "sk-very-secret-0815"

Verdict = Callable[[dict[str, Any]], object]


def statements(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=\.)\s+", text) if part.strip()]


def _classified(given: dict[str, Any]) -> dict[str, Any]:
    right, truth = given["answer"], given["ground_truth"]

    def rows(some: list[str]) -> list[dict[str, str]]:
        return [{"statement": one, "reason": "so"} for one in some]

    return {
        "TP": rows([one for one in right if one in truth]),
        "FP": rows([one for one in right if one not in truth]),
        "FN": rows([one for one in truth if one not in right]),
    }


VERDICTS: dict[str, Verdict] = {
    "ContextPrecisionOutput": lambda given: {
        "reason": "so",
        "verdict": int(statements(given["answer"])[0] in given["context"]),
    },
    "ContextRecallOutput": lambda given: {
        "classifications": [
            {"statement": one, "reason": "so", "attributed": int(one in given["context"])}
            for one in statements(given["answer"])
        ]
    },
    "ContextRelevanceOutput": lambda given: {"rating": 2 if "six" in given["context"] else 0},
    "StatementGeneratorOutput": lambda given: {"statements": statements(given["answer"])},
    "NLIStatementOutput": lambda given: {
        "statements": [
            {"statement": one, "reason": "so", "verdict": int(one in given["context"])}
            for one in given["statements"]
        ]
    },
    "AnswerRelevanceOutput": lambda given: {"question": "When does the gate open?", "noncommittal": 0},
    "ClassificationWithReason": _classified,
}


def schema(prompt: str) -> str:
    """What form of verdict a prompt asks for; empty where it asks for an answer."""
    found = re.search(r"JSON Schema:\n(.*?)Do not use single quotes", prompt, re.DOTALL)
    return json.loads(found[1])["title"] if found else ""


def given(prompt: str) -> dict[str, Any]:
    """What ragas put last into its prompt."""
    value = json.loads(prompt.rpartition("\ninput: ")[2].rpartition("\nOutput: ")[0])
    assert isinstance(value, dict)
    return value


def judges(prompt: str, answer: str = "The gate opens at six.") -> Reply:
    """A verdict by the letter of the texts, or an answer."""
    form = schema(prompt)
    if not form:
        assert "Context:\n\n" not in prompt, "asked to answer from nothing"
        return says(answer, usage=(50, 5))
    values = given(prompt)
    for name in ("context", "answer", "question", "user_input"):
        if name in values:
            assert values[name], f"asked about an empty {name}"
            assert "".join(values[name]).strip(), f"asked about a blank {name}"
    return says(json.dumps(VERDICTS[form](values)), usage=(100, 10))


@contextmanager
def judge_server() -> Iterator[ChatServer]:
    """Listens, and fails the test if it was ever asked about nothing."""
    faults: list[str] = []

    def answer(prompt: str) -> Reply:
        try:
            return judges(prompt)
        except AssertionError as error:
            faults.append(str(error))
            return fails(400)

    with ChatServer() as server:
        server.answer = answer
        yield server
    assert faults == []
