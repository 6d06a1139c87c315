"""Names of metrics and parameters as a tracking store takes them: one spelling, one to one, reversible.

MLflow refuses `@ ( ) [ ] =` and more, on Windows also `:`. The spelling used here:

    mrr@10                     mrr_at_10                      `@` is `_at_`, as this project spells it
    context precision (k=5)    context precision .28k.3D5.29  other marks: `.`, two hexadecimal digits a byte
    250 characters and more    first part, `.-`, hash         not to be read back from the name alone

The original names stand in the run's record, so tables never show a spelling.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

from strategies.errors import BadInput, Problem

MAX_LENGTH = 250
"""MLflow's limit for a key."""

_KEPT = re.compile(r"[A-Za-z0-9_\- ]")
_ESCAPE = re.compile(r"((?:\.[0-9A-F]{2})+)")


def spelled(name: str) -> str:
    """The name under which a store keeps a metric or parameter.

    >>> spelled("mrr@10"), spelled("context precision (k=5)"), spelled("mrr_at_10")
    ('mrr_at_10', 'context precision .28k.3D5.29', 'mrr_at_10')
    """
    short = "".join(
        mark
        if _KEPT.match(mark)
        else "".join(f".{byte:02X}" for byte in mark.encode("utf-8", "surrogatepass"))
        for mark in name.replace("@", "_at_")
    )
    if short and len(short) <= MAX_LENGTH:
        return short
    # `.-` is no escape, so that a cut name never equals a whole one.
    head = re.sub(r"\.[0-9A-F]?$", "", short[: MAX_LENGTH - 18])
    return f"{head}.-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def unspelled(stored: str) -> str:
    """The name that was stored, with `_at_` for `@`; raises `ValueError` for one that was too long.

    >>> unspelled("context precision .28k.3D5.29"), unspelled(spelled("mrr@10"))
    ('context precision (k=5)', 'mrr_at_10')
    """
    parts = _ESCAPE.split(stored)
    for index in range(0, len(parts), 2):
        if "." in parts[index]:
            raise ValueError(f"{stored!r} is no whole name")
    for index in range(1, len(parts), 2):
        parts[index] = bytes.fromhex(parts[index].replace(".", "")).decode("utf-8", "surrogatepass")
    return "".join(parts)


def spellings(names: Iterable[str]) -> dict[str, str]:
    """Name -> spelling, for all names of a run; raises `BadInput` where two would be stored as one.

    Stores may ignore case, so names that differ only in it clash too.
    """
    table: dict[str, str] = {}
    taken: dict[str, str] = {}
    problems = []
    for name in dict.fromkeys(names):
        table[name] = spelled(name)
        other = taken.setdefault(table[name].casefold(), name)
        if other != name:
            what = f"would be stored under the name of {other!r}, {table[name]!r}"
            problems.append(Problem(f"metric {name!r}", what, "Rename one of the two"))
        elif not name.strip():
            problems.append(Problem(f"metric {name!r}", "has no name", "Give it one"))
    if problems:
        raise BadInput(problems)
    return table


def changed(table: Mapping[str, str]) -> dict[str, str]:
    """Spelling -> name, where they differ."""
    return {stored: name for name, stored in table.items() if stored != name}
