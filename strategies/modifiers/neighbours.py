"""The modifier `neighbours`: with a chunk that is found, those on each side of it are returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from strategies.strategy import Cut


def with_neighbours(cuts: Sequence[Cut], reach: int) -> tuple[Cut, ...]:
    """Cuts that return what `reach` cuts before and after them return, and all that lies between.

    Cuts that share a range (texts made from one passage) count as one neighbour.
    """
    if not reach or not cuts:
        return tuple(cuts)
    groups: list[list[Cut]] = []
    for cut in cuts:
        if groups and (groups[-1][0].start, groups[-1][0].end) == (cut.start, cut.end):
            groups[-1].append(cut)
        else:
            groups.append([cut])
    ranges = [group[0].returned or (group[0].start, group[0].end) for group in groups]
    widened = []
    for at, group in enumerate(groups):
        around = ranges[max(at - reach, 0) : at + reach + 1]
        wide = (min(start for start, _ in around), max(end for _, end in around))
        widened += [replace(cut, returned=wide) for cut in group]
    return tuple(widened)
