"""Errors for people: what is wrong, where, and what to do.

    ChunksweepError
    ├── BadInput      the user's files, options or sweep: all problems at once, exit code 2
    ├── SplitError    a strategy could not cut one document: that configuration fails, exit code 1
    └── ChatError     a language model did not answer, which a strategy turns into a SplitError

Trackers add their own, `experiments.tracking.TrackingError`: exit code 1.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from unicodedata import category


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input."""

    where: str
    """File, line or key, as a user would look it up: `questions.jsonl:12`, `grid[0].size`."""
    what: str
    """What is wrong, with the offending value."""
    remedy: str = ""
    """What to do about it; empty where `what` already says so."""

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return visible(f"{text}. {self.remedy}" if self.remedy else text)


class ChunksweepError(Exception):
    """Base of every error that is reported without a traceback."""


class BadInput(ChunksweepError, ValueError):
    """An input that cannot be used; carries every problem found in it, not only the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class SplitError(ChunksweepError):
    """A strategy could not cut a document (for example a library returned text it never had)."""


class ChatError(ChunksweepError):
    """A language model did not answer some of the requests made together, or not as asked."""

    def __init__(self, failures: Mapping[int, str]) -> None:
        """`failures`: what happened, by the place of the request among those made together."""
        self.failures = dict(failures)
        super().__init__(self.told(lambda index: f"request {index}"))

    def told(self, name: Callable[[int], str], most: int = 3) -> str:
        """What happened to which, the first few of them.

        >>> ChatError({4: "timed out", 7: "refused"}).told(lambda index: f"chunk {index}", most=1)
        'chunk 4: timed out; and 1 more'
        """
        said = [f"{name(index)}: {what}" for index, what in list(self.failures.items())[:most]]
        rest = len(self.failures) - len(said)
        return "; ".join([*said, f"and {rest} more"] if rest else said)


def refuse(where: str, what: str, remedy: str = "") -> BadInput:
    """The error for a single problem: `raise refuse("size", "is 0", "Use 1 or more")`."""
    return BadInput([Problem(where, what, remedy)])


def brief(text: str, longest: int = 80) -> str:
    r"""A user's text on one line of a message: what does not print is escaped, a long middle left out.

    >>> brief("a\tb\ud800"), brief("abcdefghij", longest=7)
    ('a\\tb\\ud800', 'ab...ij')
    """
    if len(text) > longest:
        ends = (longest - 3) // 2
        text = f"{text[:ends]}...{text[-ends:]}"
    return "".join(mark if mark.isprintable() else ascii(mark)[1:-1] for mark in text)


def visible(text: str) -> str:
    r"""A user's text, line for line and whole: what would move a terminal's cursor or colour it is escaped.

    Blanks of all widths are safe, and a text copied from here should be found again.

    >>> visible("red\x1b[31m\nand\u202eback")
    'red\\x1b[31m\nand\\u202eback'
    """
    if text.isprintable():
        return text
    safe = {sign for sign in {*text} if sign in "\n\t" or sign.isprintable() or category(sign) == "Zs"}
    return "".join(sign if sign in safe else ascii(sign)[1:-1] for sign in text)


def nearest(name: str, known: Iterable[str]) -> str:
    """A remedy that names the closest known name, or else all of them; empty where none is known.

    >>> nearest("recursiv", ["fixed", "recursive"])
    'Did you mean recursive?'
    >>> nearest("zebra", ["fixed", "recursive"])
    'Known: fixed, recursive'
    """
    names = sorted(known)
    if not names:
        return ""
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return visible(f"Did you mean {close[0]}?" if close else f"Known: {', '.join(names)}")


def listed(items: Sequence[str], last: str = "and", most: int = 5) -> str:
    """`a, b and c`, at most so many of them.

    >>> listed(["1", "2", "3"]), listed(list("abcdefg"))
    ('1, 2 and 3', 'a, b, c, d, e and more')
    """
    if len(items) > most:
        return f"{', '.join(items[:most])} {last} more"
    return f" {last} ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def counted(number: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "question"), counted(1200, "question")
    ('1 question', '1,200 questions')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
