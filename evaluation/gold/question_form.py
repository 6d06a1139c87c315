"""The form of one line of `questions.jsonl`: every slip a person makes, named with its remedy.

Whatever spelling is allowed ends in one shape; what cannot be read is reported, and the rest goes on.
A key whose value is null counts as left out, as tools write it that give all objects the same keys.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from evaluation.gold.nouns import SYNTHETIC, Synthetic
from evaluation.scalars import HALF_PAIR, LARGEST, is_scalar, is_unicode
from strategies.document import Scalar
from strategies.errors import Problem, brief, nearest

QUESTION_KEYS = ("id", "question", "evidence", "tags", "filter", "answer", "synthetic")
ANCHOR_KEYS = ("document", "start", "end", "quote", "any")
ENTRY_KEYS = (*ANCHOR_KEYS, "alternatives")

_CHUNK_WORDS = ("chunk", "chunks", "node", "nodes", "ids", "context_ids", "reference_context_ids", "qrels")
_CHUNK_PARTS = ("chunk_", "chunkid", "node_", "nodeid", "passage_id", "relevant_", "positive_", "_ids")
_OTHER_WORDS = {
    "text": "Call it quote",
    "passage": "Call it quote",
    "context": "Call it quote",
    "doc": "Call it document",
    "file": "Call it document",
    "source": "Call it document",
    "path": "Call it document",
}
_FORMS = 'Give {"document", "start", "end"} or {"document", "quote"}'


class Form:
    """Checks the form of one line; what is wrong is added to `problems`, what can be read goes on."""

    def __init__(self, where: str, problems: list[Problem]) -> None:
        self.where = where
        self.problems = problems
        self.prefix = ""

    def problem(self, what: str, remedy: str = "") -> None:
        """Add a problem with this line."""
        self.problems.append(Problem(self.where, self.prefix + what, remedy))

    def row(self, line: str, number: int) -> dict[str, Any] | None:
        """One line in the shape of the schema, or None where it is no object at all."""
        row = self._parse(line)
        if row is None:
            return None
        name = self._id(row.get("id"))
        self.prefix = f"question {name}: " if name else ""
        for key in row:
            if key not in QUESTION_KEYS:
                self._unknown(key, QUESTION_KEYS, "")
        question = row.get("question")
        if not isinstance(question, str) or not question.strip():
            self.problem(f"question is {_shown(question)}", "Write the question as text")
            question = ""
        return {
            "line": number,
            "id": name,
            "question": question,
            "evidence": self._evidence(row),
            "tags": self._tags(row.get("tags")),
            "filter": json.dumps(self._filter(row.get("filter"))),
            "answer": self._answer(row.get("answer")),
            "synthetic": self._synthetic(row.get("synthetic")),
        }

    def _parse(self, line: str) -> dict[str, Any] | None:
        twice: list[str] = []

        def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
            found = dict(items)
            if len(found) < len(items):
                times = Counter(name for name, _ in items)
                twice.extend(name for name in found if times[name] > 1)
            return found

        try:
            row = json.loads(line, object_pairs_hook=pairs, parse_constant=_refuse_constant)
        except json.JSONDecodeError as error:
            self.problem(f"column {error.colno}: is not JSON ({error.msg})", "Write one JSON object a line")
            return None
        except (ValueError, RecursionError) as error:
            self.problem(f"is not JSON ({error})", "Write one JSON object a line")
            return None
        if not isinstance(row, dict):
            self.problem(f"is {_shown(row)}, not an object", 'Write {"id", "question", "evidence"}')
            return None
        # A \ud800 in JSON passes Python's parser, but is no text that a file could hold.
        if not is_unicode(json.dumps(row, ensure_ascii=False)):
            self.problem(*HALF_PAIR)
            return None
        for name in twice:
            self.problem(f"{brief(repr(name))} stands twice in one object", "Keep one of the two")
        return row

    def _id(self, value: object) -> str:
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value.strip():
            return value
        self.problem(f"id is {_shown(value)}", "Give each question an id: text, or a whole number")
        return ""

    def _evidence(self, row: dict[str, Any]) -> list[list[dict[str, Any]]]:
        value = row.get("evidence")
        if value is None:
            self.problem("evidence is missing", "Write [] if nothing in the documents answers the question")
            return []
        if isinstance(value, str | dict):
            return [entry] if (entry := self._entry(value, "evidence")) else []
        if not isinstance(value, list):
            self.problem(f"evidence is {_shown(value)}", f"Write a list. {_FORMS} for each entry")
            return []
        entries = [self._entry(item, f"evidence[{index}]") for index, item in enumerate(value)]
        return [entry for entry in entries if entry]

    def _entry(self, value: object, where: str) -> list[dict[str, Any]]:
        anchors = [self._anchor(value, where, ENTRY_KEYS)]
        others = value.get("alternatives") if isinstance(value, dict) else None
        if others is not None and not isinstance(others, list):
            self.problem(f"{where}.alternatives is {_shown(others)}", f"Write a list. {_FORMS} for each")
        elif others is not None:
            anchors += [
                self._anchor(other, f"{where}.alternatives[{index}]", ANCHOR_KEYS)
                for index, other in enumerate(others)
            ]
        return [anchor for anchor in anchors if anchor]

    def _anchor(self, value: object, where: str, known: tuple[str, ...]) -> dict[str, Any] | None:
        before = len(self.problems)
        if isinstance(value, str):
            value = {"quote": value}
        if isinstance(value, int | float) and not isinstance(value, bool):
            remedy = f"Chunk numbers would not survive another chunking. {_FORMS}"
            self.problem(f"{where} is the number {value}", remedy)
            return None
        if not isinstance(value, dict):
            self.problem(f"{where} is {_shown(value)}", _FORMS)
            return None
        for key in value:
            if key not in known:
                self._unknown(key, known, f"{where}: ")
        given = {key: value[key] for key in ANCHOR_KEYS if value.get(key) is not None}
        for key in ("document", "quote"):
            if key in given and (not isinstance(given[key], str) or not given[key].strip()):
                self.problem(f"{where}.{key} is {_shown(given[key])}", "Write text")
        for key in ("start", "end"):
            if key in given and (type(given[key]) is not int or abs(given[key]) > LARGEST):
                self.problem(
                    f"{where}.{key} is {_shown(given[key])}", "Write an offset in characters, from 0"
                )
        if not isinstance(given.get("any", False), bool):
            self.problem(f"{where}.any is {_shown(given['any'])}", "Write true, or leave it out")
        if len(self.problems) == before:
            self._whole(given, where)
        if len(self.problems) > before:
            return None
        return {**dict.fromkeys(ANCHOR_KEYS), "any": False, **given}

    def _whole(self, given: dict[str, Any], where: str) -> None:
        """Check that the keys of an anchor go together."""
        ranged = "start" in given or "end" in given
        if ranged and not {"document", "start", "end"} <= given.keys():
            missing = next(key for key in ANCHOR_KEYS if key not in given)
            self.problem(f"{where} has no {missing}", _FORMS)
        elif not ranged and "quote" not in given:
            self.problem(f"{where} names no place", _FORMS)
        elif given.get("any") and (ranged or "document" not in given):
            self.problem(f"{where}.any needs a document and a quote", "Leave any out, or name both")

    def _tags(self, value: object) -> list[str]:
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(tag, str) and tag.strip() for tag in value):
            self.problem(f"tags is {_shown(value)}", 'Write a list of texts, ["single"]')
            return []
        return list(dict.fromkeys(value))

    def _filter(self, value: object) -> dict[str, Scalar]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.problem(f"filter is {_shown(value)}", 'Write metadata and their values, {"year": 2024}')
            return {}
        for key, wanted in value.items():
            if not is_scalar(wanted):
                remedy = "Write one text, number or truth value; all entries of a filter must hold"
                self.problem(f"filter.{brief(key)} is {_shown(wanted)}", remedy)
        return {key: wanted for key, wanted in value.items() if is_scalar(wanted)}

    def _answer(self, value: object) -> str:
        if value is None or isinstance(value, str):
            return (value or "").strip()
        self.problem(f"answer is {_shown(value)}", "Write what a right answer says, as one text")
        return ""

    def _synthetic(self, value: object) -> Synthetic:
        if value is None:
            return ""
        for known in SYNTHETIC:
            if value == known:
                return known
        remedy = "Write proxy or model, or leave it out where a person wrote the question"
        self.problem(f"synthetic is {_shown(value)}", remedy)
        return ""

    def _unknown(self, key: str, known: tuple[str, ...], where: str) -> None:
        low, shown = key.lower(), brief(repr(key))
        if low in _CHUNK_WORDS or any(part in low for part in _CHUNK_PARTS):
            remedy = f"Gold must survive another chunking, so it names places in documents. {_FORMS}"
            self.problem(f"{where}{shown} ties the evidence to chunks", remedy)
        elif key in ENTRY_KEYS and known is QUESTION_KEYS:
            self.problem(f"{where}{key!r} stands beside the question", "Put it into each entry of evidence")
        elif key in known or key in ENTRY_KEYS:
            self.problem(
                f"{where}{key!r} cannot stand here", "Alternatives hold no alternatives of their own"
            )
        else:
            remedy = "" if known is QUESTION_KEYS else _OTHER_WORDS.get(low, "")
            self.problem(f"{where}{shown} is not a known key", remedy or nearest(key, known))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


def _shown(value: object) -> str:
    """A value as a user wrote it, short enough for a message."""
    if value is None:
        return "missing"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
