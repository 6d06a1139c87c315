"""Where a text that is like a quote begins and ends: in whole words, where the script has any."""

from __future__ import annotations

import re

import numpy as np

from evaluation.gold.quotes import Folded, Range

_LONGEST_ALIGNED = 2000
"""Characters that are aligned at once; of a longer quote both ends are."""
_LONGEST_WORD = 30
_NEARBY = 40
"""Characters within which a border is moved to where the range is most alike."""
_MOST_MOVES = 6
"""Times that borders are moved."""
_WORTH = 4
"""A range grows where at least one in so many further characters is the quote's."""
_MOST_WORDS = 3
"""Words at a quote's end that match nothing for which as many of the document are taken."""

_SENTENCE_END = re.compile(r"[.!?:;\u3002]['\")\]]* ")


def aligned(quote: str, folded: Folded, window: Range) -> Range:
    """The range of a folded text that is most like a folded quote, in about this window."""
    text = folded.text
    start, end = window
    if len(quote) <= _LONGEST_ALIGNED:
        start, end = _aligned(quote, text, start, end)
    else:
        # Where the ends of a long quote are tells where it is: aligning all of it takes quadratic time.
        some = _LONGEST_ALIGNED // 2
        first = _aligned(quote[:some], text, start, min(end, start + 3 * some))[0]
        last = _aligned(quote[-some:], text, max(start, end - 3 * some), end)[1]
        start, end = (first, last) if first < last else _trimmed(text, start, end)
    # What lies inside the cluster of one original character cannot be parted.
    while start > 0 and folded.cluster(start - 1) == folded.cluster(start):
        start -= 1
    while end < len(text) and folded.cluster(end) == folded.cluster(end - 1):
        end += 1
    return start, end


def _aligned(quote: str, text: str, start: int, end: int) -> Range:
    start, end = _best_run(quote, text, start, end)
    start, end = _outward(text, start, -1), _outward(text, end, 1)
    start, end = _best_borders(quote, text, start, end)
    return _unmatched(quote, text, *_trimmed(text, start, end))


def _trimmed(text: str, start: int, end: int) -> Range:
    while start < end and text[start] == " ":
        start += 1
    while end > start and text[end - 1] == " ":
        end -= 1
    return start, end


def _best_run(quote: str, text: str, start: int, end: int) -> Range:
    """The range between two matching pieces that is most like the quote."""
    from rapidfuzz.distance import Indel

    steps = Indel.opcodes(quote, text[start:end])
    same = np.array([(s.dest_start, s.dest_end) for s in steps if s.tag == "equal"], dtype=np.int64)
    if not len(same):
        return start, end
    opens, closes = same.T
    common = np.cumsum(closes - opens)
    # What is common counts _WORTH times what the range is long: the best run of pieces ends at the highest
    # rise above the lowest point before it.
    before = _WORTH * (common - closes + opens) - opens
    lowest = np.minimum.accumulate(before)
    last = int(np.argmax(_WORTH * common - closes - lowest))
    first = int(np.argmin(before[: last + 1]))
    return start + int(opens[first]), start + int(closes[last])


def _outward(text: str, at: int, step: int) -> int:
    """A border moved out of the middle of a word, unless that is far: not all scripts part words."""
    moved = at
    while 0 < moved < len(text) and text[moved - 1].isalnum() and text[moved].isalnum():
        moved += step
        if abs(moved - at) > _LONGEST_WORD:
            return at
    return moved


def _best_borders(quote: str, text: str, start: int, end: int) -> Range:
    """Borders of words close by between which the text is most like the quote."""
    from rapidfuzz.distance import Indel

    def borders(at: int, left: int, right: int) -> list[int]:
        low, high = max(left, at - _NEARBY), min(right, at + _NEARBY)
        return [at, *(p for p in range(low, high + 1) if p != at and _is_border(text, p))]

    def worth(start: int, end: int) -> float:
        common = (len(quote) + end - start - Indel.distance(quote, text[start:end])) / 2
        return _WORTH * common - (end - start)

    for _ in range(_MOST_MOVES):
        before = start, end
        end = max(borders(end, start + 1, len(text)), key=lambda border: worth(start, border))
        start = max(borders(start, 0, end - 1), key=lambda border: worth(border, end))
        if before == (start, end):
            break
    return start, end


def _is_border(text: str, at: int) -> bool:
    if at in (0, len(text)):
        return True
    return text[at - 1].isalnum() != text[at].isalnum() or " " in text[at - 1 : at + 1]


def _unmatched(quote: str, text: str, start: int, end: int) -> Range:
    """The range with as many words more as the quote has at an end that match nothing: they were replaced.

    It goes on in the same sentence only.
    """
    from rapidfuzz.distance import Indel

    if end - start > 2 * _LONGEST_ALIGNED:
        return start, end
    same = [step for step in Indel.opcodes(quote, text[start:end]) if step.tag == "equal"]
    if not same:
        return start, end
    head, tail = quote[: same[0].src_start], quote[same[-1].src_end :]
    if same[0].dest_start == 0 and head.endswith(" ") and text[start - 1 : start] == " ":
        words = text[max(0, start - _LONGEST_WORD * _MOST_WORDS) : start].split()[-len(head.split()) :]
        extended = start - len(" ".join([*words, ""]))
        if len(head.split()) <= _MOST_WORDS and not _SENTENCE_END.search(text[extended:start]):
            start = extended
    if same[-1].dest_end == end - start and tail.startswith(" ") and text[end : end + 1] == " ":
        words = text[end : end + _LONGEST_WORD * _MOST_WORDS].split()[: len(tail.split())]
        extended = end + len(" ".join(["", *words]))
        while tail[-1].isalnum() and not text[extended - 1].isalnum():
            extended -= 1
        if len(tail.split()) <= _MOST_WORDS and not _SENTENCE_END.search(text[end - 1 : extended]):
            end = extended
    return start, end
