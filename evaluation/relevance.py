"""When a hit is relevant: the one rule that every rank metric uses.

A hit is relevant to an evidence span `e` when they lie in the same document and, lengths in characters,

    any        they share anything:                       length(hit ∩ e) > 0
    half       they share half of the shorter of the two: length(hit ∩ e) / min(length(hit), length(e)) >= 0.5
    contains   the hit holds `e` whole:                   length(hit ∩ e) = length(e)

`half` neither demands a whole quote of a small chunk nor lets a large one count for its first word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from strategies.spans import Range

Rule = Literal["any", "half", "contains"]
Lengths = Any  # an int, or an int64 array of them
Flags = npt.NDArray[np.bool_]

RULES: dict[str, Callable[[Lengths, Lengths, Lengths], Any]] = {
    "any": lambda common, hit, evidence: common > 0,
    "half": lambda common, hit, evidence: (common > 0) & (2 * common >= np.minimum(hit, evidence)),
    "contains": lambda common, hit, evidence: (common > 0) & (common == evidence),
}
"""Rule -> whether lengths (of what is shared, of the hit, of the evidence) make a hit relevant."""


def which_relevant(
    starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], passage: Range, rule: str
) -> Flags:
    """Which of many ranges of the passage's document are relevant to it: bool, shape (n,)."""
    common = np.minimum(ends, passage[1]) - np.maximum(starts, passage[0])
    flags: Flags = np.asarray(RULES[rule](common, ends - starts, passage[1] - passage[0]))
    return flags


def relevant(hit: Range, passage: Range, rule: str) -> bool:
    """Whether one range is relevant to a passage of the same document.

    >>> [relevant((0, 30), (25, 60), rule) for rule in ("any", "half", "contains")]
    [True, False, False]
    >>> relevant((0, 30), (15, 60), "half"), relevant((0, 30), (30, 60), "any")
    (True, False)
    """
    return bool(which_relevant(np.array(hit[0]), np.array(hit[1]), passage, rule))
