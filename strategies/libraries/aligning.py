"""Place the texts that a library returned in the document that it was given.

Libraries return texts, often stripped or with their white space changed, and their offsets are often found
by searching: a sentence that occurs twice then gets the first place twice. Here texts are compared in a
*view* of the document that leaves out what libraries change, places only move forward, and a text that the
document never had is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from strategies.errors import SplitError, brief
from strategies.libraries.views import View, as_it_is, folded
from strategies.units.characters import code_points, is_white

_WHITE = re.compile(r"\s*+")


class Place(NamedTuple):
    """A range of code points of the document."""

    start: int
    end: int


def after(end: int) -> int:
    """The earliest start of a text that shares nothing with the one that ended at `end`."""
    return end


def anywhere(end: int) -> int:
    """The earliest start of a text that may share any of the one that ended at `end`."""
    return 0


def align(
    text: str,
    pieces: Sequence[str],
    *,
    earliest: Callable[[int], int] = after,
    starts: Sequence[int | None] = (),
    view: View | None = None,
) -> list[Place | None]:
    """The place of every piece in `text`; None for a blank one.

    Starts never decrease, and two are equal only where the pieces leave no other way. A piece that occurs
    more than once gets its first place that is neither inside the piece before it nor before
    `earliest(end of the piece before it)`, a code point: `after` where pieces share nothing, a border some
    units back where their overlap is known, `anywhere` where it is not. Less is shared where text would be
    left out otherwise. What would leave no place for a later piece is not chosen: pieces are placed
    whenever they can be.

    `starts` are the code points that the library itself reports, for as many pieces as it does. One counts
    only where it is larger than all before it and the piece is found at it, not before the piece before.

    A place is the exact range of the piece's text, white space at its ends included, where the document has
    that; else it begins and ends with the characters that the two have in common. `view` says what is
    compared: by default the text as it is and, if that leaves a piece without a place, `folded(text)`.
    Linear in the text and all pieces together.

    Raises SplitError, with the piece's number and text, for one that has no place.
    """
    if view is None:
        # White space that was not changed tells places apart that are equal without it.
        try:
            return align(text, pieces, earliest=earliest, starts=starts, view=as_it_is(text))
        except SplitError:
            view = folded(text)
    sought = [(number, part) for number, piece in enumerate(pieces) if (part := view.fold(piece))]
    parts = [part for _, part in sought]
    reported = _reported(view, starts, [number for number, _ in sought])
    try:
        found = places_in(view, parts, earliest, reported)
    except _NowhereError as error:
        number, part = sought[error.index]
        where = "before the start of the chunk before it" if part in view.text else "nowhere"
        raise SplitError(
            f"chunk {number} stands {where} in the document: {brief(pieces[number])!r}"
        ) from None
    placed: list[Place | None] = [None] * len(pieces)
    before = 0
    for (number, _), place in zip(sought, _ranges(view, found, parts), strict=True):
        exact = _exact(text, pieces[number], place.start)
        # Two that begin with the same letter may begin with white space, the later one with more of it.
        chosen = exact if exact is not None and exact.start >= before else place
        placed[number], before = chosen, chosen.start
    return placed


def _ranges(view: View, found: Sequence[int], parts: Sequence[str]) -> Iterator[Place]:
    """What each part takes of the document, from its first character there to its last."""
    firsts = np.array(found, dtype=np.int64)
    lasts = firsts + np.array([len(part) for part in parts], dtype=np.int64)
    if np.all(view.starts[1:] >= view.starts[:-1]):
        return map(Place, view.starts[firsts].tolist(), view.ends[lasts - 1].tolist())
    held = map(slice, firsts.tolist(), lasts.tolist())
    return (Place(int(view.starts[one].min()), int(view.ends[one].max())) for one in held)


def places_in(
    view: View,
    parts: Sequence[str],
    earliest: Callable[[int], int] = after,
    reported: Sequence[int] | None = None,
) -> list[int]:
    """Where in the view each part begins, chosen as `align` says; none is empty, and all are folded."""
    aligner = _Aligner(view, parts, earliest)
    reported = [-1] * len(parts) if reported is None else reported
    found = aligner.places(reported)
    if found is not None and earliest is not after and aligner.leaves_out_text(found):
        found = aligner.sharing_less(reported) or aligner.covering(reported) or found
    if found is None:
        latest = aligner.latest(step=1) or aligner.latest(step=0)
        if latest is None:
            raise _NowhereError(aligner.first_without_a_place())
        found = aligner.places(reported, latest=latest)
        assert found is not None
    return found


class _NowhereError(SplitError):
    """A part has no place: which."""

    def __init__(self, index: int) -> None:
        super().__init__(f"text {index} has no place")
        self.index = index


def _reported(view: View, starts: Sequence[int | None], numbers: Sequence[int]) -> list[int]:
    """Where in the view the pieces of these numbers are said to begin; -1 where that says nothing."""
    found, largest = [], -1
    for number in numbers:
        start = starts[number] if number < len(starts) else None
        if start is None or start <= largest:  # offsets found by searching repeat the first place
            found.append(-1)
            continue
        largest = start
        behind_white = _WHITE.match(view.text, int(view.starts.searchsorted(start)))
        assert behind_white is not None
        found.append(behind_white.end())
    return found


def _exact(text: str, piece: str, start: int) -> Place | None:
    """Where the piece stands letter by letter, its first character that prints at `start`; else None."""
    first = start - (len(piece) - len(piece.lstrip()))
    return Place(first, first + len(piece)) if first >= 0 and text.startswith(piece, first) else None


class _Aligner:
    """Places folded parts, none empty, in a view. Positions here are those of the view."""

    def __init__(self, view: View, parts: Sequence[str], earliest: Callable[[int], int]) -> None:
        self.view = view
        self.parts = parts
        self.earliest = earliest

    def places(
        self,
        reported: Sequence[int],
        *,
        latest: Sequence[int] | None = None,
        covering: Sequence[int] | None = None,
        most: int | None = None,
    ) -> list[int] | None:
        """The starts that are chosen; None if one has no place, which cannot be where `latest` is given.

        They are at most `latest` and at least `covering`. Two parts may have in common what `earliest`
        says, and `most` characters.
        """
        text, found = self.view.text, list[int]()
        start, end = -1, 0
        for index, part in enumerate(self.parts):
            last = len(text) if latest is None else latest[index]
            if max(start, 0) <= reported[index] <= last and text.startswith(part, reported[index]):
                start = reported[index]
            else:
                first = -1 if covering is None else covering[index]
                shared = 0 if most is None else end - most
                likely = max(start + 1, end - len(part) + 1, self._earliest(end), shared, first)
                # Where there is no likely place, the one with least in common that leaves others theirs.
                start = text.find(part, min(likely, last), last + len(part))
            if start < 0:
                return None
            end = start + len(part)
            found.append(start)
        return found

    def leaves_out_text(self, found: Sequence[int]) -> bool:
        """Whether characters of the view other than white space lie in none of the parts."""
        text, covered = self.view.text, 0
        for start, part in zip(found, self.parts, strict=True):
            if text[covered:start].strip():
                return True
            covered = max(covered, start + len(part))
        return bool(text[covered:].strip())

    def sharing_less(self, reported: Sequence[int]) -> list[int] | None:
        """Starts that leave out nothing, if all parts have less in common than `earliest` says.

        In a text that repeats itself, parts that get too much in common end too early; with too little,
        they go past the end.
        """
        low, high = -1, max(map(len, self.parts), default=0)
        while high - low > 1:
            most = (low + high) // 2
            found = self.places(reported, most=most)
            if found is not None and not self.leaves_out_text(found):
                return found
            low, high = (most, high) if found is None else (low, most)
        return None

    def covering(self, reported: Sequence[int]) -> list[int] | None:
        """Starts that leave out nothing, if each part can begin where the ones behind it take it up.

        Where a text repeats itself, parts that share less than they may seem to share more, and then
        something is missing behind them.
        """
        text, bounds = self.view.text, list[int]()
        ends = np.arange(1, len(text) + 1) * ~is_white(code_points(text))
        printed = np.maximum.accumulate(np.append(0, ends))  # where the last character that prints ended
        next_start = len(text)
        for part in reversed(self.parts):
            lowest = max(int(printed[next_start]) - len(part), 0)
            next_start = text.find(part, lowest, next_start - 1 + len(part) if bounds else len(text))
            if next_start < 0:
                return None
            bounds.append(next_start)
        found = self.places(reported, covering=bounds[::-1])
        return None if found is None or self.leaves_out_text(found) else found

    def _earliest(self, end: int) -> int:
        """`earliest` of a position of the view."""
        if not end or self.earliest is after:
            return end
        return int(self.view.starts.searchsorted(self.earliest(int(self.view.ends[end - 1]))))

    def latest(self, *, step: int) -> list[int] | None:
        """The last start of each part that leaves places for all later ones, each `step` or more behind the
        one before; None if there is none.

        Found from the end, in the text read backwards, because `str.find` is linear and `rfind` is not.
        """
        text, found = self.view.text[::-1], list[int]()
        bound = len(text)
        for part in reversed(self.parts):
            behind = text.find(part[::-1], max(len(text) - bound - len(part), 0))
            if behind < 0:
                return None
            found.append(len(text) - behind - len(part))
            bound = found[-1] - step
        return found[::-1]

    def first_without_a_place(self) -> int:
        """Which part is the first to have none, if each takes its first place from the one before on."""
        start = 0
        for index, part in enumerate(self.parts):
            start = self.view.text.find(part, start)
            if start < 0:
                return index
        raise AssertionError("all parts have places")
