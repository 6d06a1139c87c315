"""An endpoint that writes questions as a model would, by the letter of what it is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...strategies.chat_server import ChatServer, Reply, fails, says  # noqa: TID252  (a neighbour's)

KEY = "sk-very-secret-4711"

_MARKED = re.compile(r"\[(\w{12}): ([^\]]*)\]\n(.*?)\n\[\1: end\]", re.DOTALL)


def marked(prompt: str) -> list[tuple[str, str]]:
    """The name and the text of everything that a prompt shows between marks."""
    return [(name, text) for _, name, text in _MARKED.findall(prompt)]


def step(prompt: str) -> str:
    """What one of our prompts is for."""
    if "passage" in prompt and prompt.startswith("You write questions"):
        return "question"
    for start, name in (
        ("The question below", "rephrase"),
        ("Answer the", "answer"),
        ("Two answers", "compare"),
    ):
        if prompt.startswith(start):
            return name
    raise AssertionError(prompt[:80])


def fact(text: str) -> tuple[str, str, str]:
    """The last fact of a passage, `NAME keeps N things in the PLACE.`: its sentence, name and number."""
    *_, found = re.finditer(r"(\w+) keeps (\d+) \w+ in the \w+ \w+\.", text)
    return found[0], found[1], found[2]


def draft(passages: list[str]) -> dict[str, Any]:
    """A question that stands on its own, in other words than its evidence."""
    facts = [fact(text) for text in passages]
    names = " and ".join(sorted(name for _, name, _ in facts))
    return {
        "question": f"What quantity does {names} own altogether?",
        "evidence": [
            {"passage": number, "quote": sentence} for number, (sentence, _, _) in enumerate(facts, start=1)
        ],
        "answer": " and ".join(sorted(number for _, _, number in facts)),
    }


Answers = dict[str, Callable[[str], object]]


def model(**special: Callable[[str], object]) -> Callable[[str], Reply]:
    """Replies to prompts; `special` stands in for what is answered at a step."""

    def question(prompt: str) -> object:
        return draft([text for name, text in marked(prompt) if name.startswith("passage")])

    def answer(prompt: str) -> object:
        (evidence,) = (text for name, text in marked(prompt) if name == "text")
        return {"answer": " and ".join(sorted(re.findall(r"keeps (\d+)", evidence))) or None}

    plain: Answers = {
        "question": question,
        "answer": answer,
        "rephrase": lambda prompt: {"question": "Which quantity is owned there?"},
        "compare": lambda prompt: {"same": True},
    }
    answers = plain | special

    def reply(prompt: str) -> Reply:
        made = answers[step(prompt)](prompt)
        if isinstance(made, Reply):
            return made
        return says(made if isinstance(made, str) else json.dumps(made), usage=(100, 10))

    return reply


@contextmanager
def question_server(answer: Callable[[str], Reply]) -> Iterator[ChatServer]:
    """Listens, and fails the test where a prompt was none that it knows."""
    faults: list[str] = []

    def careful(prompt: str) -> Reply:
        try:
            return answer(prompt)
        except Exception as error:
            faults.append(f"{type(error).__name__}: {error}")
            return fails(400)

    with ChatServer() as server:
        server.answer = careful
        yield server
    assert faults == []


def village(n_documents: int = 4, n_facts: int = 24) -> dict[str, str]:
    """Documents of one fact a paragraph, each of its own name and number, several passages long."""
    things = ("goats", "lamps", "boats", "bells", "carts")
    documents = {}
    for at in range(n_documents):
        rows = []
        for row in range(n_facts):
            number = 1000 + 100 * at + row
            rows.append(
                f"Owner{number} keeps {number} {things[row % 5]} in the barn north{row % 12}.\n"
                + f"Nothing else is known about that household, {'quiet and small and old, ' * 4}they say."
            )
        documents[f"rolls/part{at}.md"] = f"# Roll {at}\n\n" + "\n\n".join(rows) + "\n"
    return documents
