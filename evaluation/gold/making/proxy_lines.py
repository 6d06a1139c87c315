"""Proxies in `questions.jsonl`: new ones take the place of old ones, and nothing else in the file changes."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.gold.changing import bundled_set, locked, replace_file
from evaluation.gold.documents import decode
from evaluation.gold.loading import QUESTIONS, read
from evaluation.gold.making.bootstrap import KINDS, Proxies, make_proxies, proxy_id
from evaluation.gold.making.opening import claimed, language_of
from evaluation.gold.writing import question_line
from strategies.errors import BadInput, Problem, counted, listed, nearest, refuse


@dataclass(frozen=True, slots=True)
class Bootstrapped:
    """What became of a set."""

    name: str
    documents: int
    proxies: Proxies
    replaced: int
    """Proxies of an earlier time that are gone."""
    kept: int
    """Questions that stay as they were."""
    changed: int
    """Of these, proxies that somebody changed: they are that person's now."""


def bootstrap(
    folder: Path, wanted: int, *, seed: int, kinds: Sequence[str], replace: bool = False
) -> Bootstrapped:
    """Write proxies into the set in a folder. Raises BadInput, and then has written nothing.

    A set that has questions is refused unless `replace`: then proxies that were made before, and that nobody
    has changed since, give way, and every other line stays as it is, to the byte.
    """
    _check(wanted, kinds)
    if problems := bundled_set(folder):
        raise BadInput(problems)
    with locked(folder):  # what somebody adds meanwhile is neither lost nor asked again
        return _rewritten(folder, wanted, seed, kinds, replace)


def _rewritten(folder: Path, wanted: int, seed: int, kinds: Sequence[str], replace: bool) -> Bootstrapped:
    lines = _lines(folder / QUESTIONS)
    old = {number for number, line in enumerate(lines) if as_made(line)}
    kept = [line for number, line in enumerate(lines) if number not in old and line.strip()]
    if (old or kept) and not replace:
        held = counted(len(old) + len(kept), "question")
        what = f"holds {held} already, {len(old)} of them proxies as they were made"
        remedy = "--replace puts new proxies in the place of these, and leaves every other question as it is"
        raise refuse(QUESTIONS, what, remedy)
    reading = read(folder)
    gone = {f"{QUESTIONS}:{number + 1}" for number in old}
    # An empty file, and lines that go, are no problem here.
    problems = [p for p in reading.problems if p.where != QUESTIONS and p.where not in gone]
    problems += claimed(reading.gold.card)
    if problems:
        raise BadInput(dict.fromkeys(problems))
    replaced = {json.loads(lines[number])["id"] for number in old}
    beside = [question for question in reading.gold.questions if question.id not in replaced]
    made = make_proxies(
        reading.gold.documents,
        wanted,
        seed=seed,
        kinds=kinds,
        language=language_of(reading.gold.card),
        beside=beside,
    )
    if not made.questions:
        raise refuse(
            f"{folder.name}/documents", f"no proxy can be made: {_why(made)}", "Write questions by hand"
        )
    texts = {document.id: document for document in reading.gold.documents}
    new = "".join(question_line(question, texts) for question in made.questions)
    replace_file(folder / QUESTIONS, "".join(f"{line}\n" for line in kept) + new)
    changed = sum(_is_proxy(_row(line)) for line in kept)
    return Bootstrapped(reading.gold.name, len(reading.gold.documents), made, len(old), len(kept), changed)


def as_made(line: str) -> bool:
    """Whether a line is a proxy as `bootstrap` wrote it: its id is that of all that it says."""
    row = _row(line)
    try:
        return _is_proxy(row) and row["id"] == proxy_id(row)
    except (KeyError, IndexError, TypeError):
        return False


def told(found: Bootstrapped, folder: str) -> list[str]:
    """What was done, for people, one text a line."""
    made = found.proxies
    kinds = listed([f"{count:,} of {kind}" for kind, count in made.kinds.items()])
    documents = {question.evidence[0].passages[0].document for question in made.questions}
    lines = [
        f"{found.name}: {counted(len(made.questions), 'proxy question')} ({kinds}) on {len(documents):,} of "
        f"{counted(found.documents, 'document')}"
    ]
    if found.replaced or found.kept:
        changed = f", {found.changed:,} of them proxies that were changed by hand" if found.changed else ""
        lines.append(
            f"  {counted(found.replaced, 'proxy question')} of before replaced; "
            f"{counted(found.kept, 'question')} kept as they were{changed}"
        )
    if len(made.questions) < made.wanted:
        lines.append(f"  Fewer than the {made.wanted:,} asked for: {_why(made)}")
    return [
        *lines,
        "Proxies are made of the documents' own words: they rank cuts only roughly, and every table says so.",
        f"Next: chunksweep run quick --dataset {shlex.quote(folder)}",
    ]


def _why(made: Proxies) -> str:
    """What was left out, most frequent first."""
    parts = []
    for kind, counts in made.left_out.items():
        noun = "section" if kind == "headings" else "sentence"
        reasons = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        said = "; ".join(f"{count:,} where {why}" for why, count in reasons)
        parts.append(
            f"{kind} leave out {counted(sum(counts.values()), noun)}" + (f" ({said})" if said else "")
        )
    return ". ".join(parts)


def _check(wanted: int, kinds: Sequence[str]) -> None:
    problems = []
    if wanted < 1:
        problems.append(Problem("--questions", f"is {wanted}", "Ask for 1 or more"))
    if not kinds:
        problems.append(Problem("--kinds", "names none", f"Name some of {', '.join(KINDS)}"))
    problems += [
        Problem("--kinds", f"{kind!r} is no way to make proxies", nearest(kind, KINDS))
        for kind in kinds
        if kind not in KINDS
    ]
    if len(set(kinds)) < len(kinds):
        problems.append(Problem("--kinds", "names one twice", "Name each once"))
    if problems:
        raise BadInput(problems)


def _lines(path: Path) -> list[str]:
    """The lines of the file, without their ends; none where there is no file. Raises BadInput."""
    text = decode(path.read_bytes(), QUESTIONS) if path.is_file() else ""
    if isinstance(text, Problem):
        raise BadInput([text])
    return text.split("\n")


def _row(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _is_proxy(row: dict[str, Any]) -> bool:
    return row.get("synthetic") == "proxy"
