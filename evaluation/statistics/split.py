"""Questions to choose on and questions to report on, so that the choice does not flatter the report."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal

from strategies.errors import Problem

Side = Literal["dev", "test"]

FEWEST_QUESTIONS = 30
"""A side with fewer can tell next to nothing."""
ATTEMPTS = 100
"""Orders of the components that are tried; the division nearest to the share asked for is taken."""


def sides(ids: Sequence[str], labels: Sequence[int], *, test: float, seed: int) -> tuple[Side, ...]:
    """The side of each question: `test` is the share of questions to report on, the rest is to choose on.

    `ids` are the questions' own, `labels` their components (`units.components`): a component lies on one
    side whole, for questions that share documents are answered alike. Components are taken in an order
    that seed and ids decide, each to the test side if that comes nearer to the share; of 100 such orders
    the nearest is kept. So the order of the questions changes nothing, nor does a copy of the file.
    """
    members: dict[int, list[str]] = {}
    for name, label in zip(ids, labels, strict=True):
        members.setdefault(label, []).append(name)
    wanted = test * len(ids)
    best: set[str] = set()
    for attempt in range(ATTEMPTS):
        taken = _taken(list(members.values()), wanted, f"{seed}/{attempt}")
        if attempt == 0 or abs(len(taken) - wanted) < abs(len(best) - wanted):
            best = taken
        if abs(len(best) - wanted) < 1:
            break
    return tuple("test" if name in best else "dev" for name in ids)


def _taken(components: list[list[str]], wanted: float, salt: str) -> set[str]:
    """Components nearest to `wanted` questions in all, in the order that the salt gives them."""

    def key(component: list[str]) -> tuple[bytes, str]:
        name = min(component)
        return hashlib.sha256(f"{salt}/{name}".encode("utf-8", "surrogatepass")).digest(), name

    taken: set[str] = set()
    for component in sorted(components, key=key):
        if abs(len(taken) + len(component) - wanted) < abs(len(taken) - wanted):
            taken.update(component)
    return taken


def split_problem(where: str, found: Sequence[Side], labels: Sequence[int]) -> Problem | None:
    """Why a split must not be used; None if it may."""
    counts = {side: found.count(side) for side in ("dev", "test")}
    if min(counts.values()) >= FEWEST_QUESTIONS:
        return None
    sizes = sorted((list(labels).count(label) for label in set(labels)), reverse=True)
    largest = f", the largest of them {sizes[0]}" if sizes and sizes[0] > 1 else ""
    what = (
        f"leaves {counts['dev']} questions to choose on (dev) and {counts['test']} to report on (test), and "
        f"a side needs {FEWEST_QUESTIONS}: the {len(found)} questions that have evidence form "
        f"{len(sizes)} group{'s' * (len(sizes) > 1)} that share documents{largest}, and a group stays whole"
    )
    return Problem(where, what, "Add questions about other documents, choose another share, or leave it out")
