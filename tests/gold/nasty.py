"""Gold sets that are hard to write: whatever a set may hold, in the strangest form."""

from __future__ import annotations

import unicodedata
from typing import Any

from hypothesis import strategies as st

from evaluation.gold import Evidence, GoldSet, Passage, Question, digest
from evaluation.gold.describing import describe
from evaluation.gold.formats.names import Names
from evaluation.gold.metadata import Description
from evaluation.gold.nouns import SYNTHETIC
from strategies.document import Document, Mark

WORDS = (
    "year",
    "pages",
    "media_type",
    "metadata",
    "headings",
    "a.b",
    "=",
    "<<",
    "- x",
    "#",
    "{",
    "'",
    "no",
    "\t",
)
VALUES = (
    *(
        "1",
        "01",
        "-.5",
        "+1",
        "1.",
        "1e3",
        "1e-7",
        "2e2",
        "0x1f",
        "1_000",
        "1:30",
        "2024-03-01",
        "yes",
        "no",
        "on",
    ),
    *(
        "true",
        "True",
        "null",
        "~",
        "",
        " ",
        "\n",
        "a: b",
        "# c",
        "[1]",
        "{a: 1}",
        "&a",
        "*a",
        "!t",
        "%",
        "@",
        "`",
    ),
    *(
        "'",
        '"',
        "\\",
        "\u2028",
        "\x85",
        "\ufeff",
        "\0",
        "\r\n",
        "---",
        "...",
        "=",
        "<<",
        "a\nb",
        " a ",
        "\U0001f600",
    ),
)
FLOATS = (0.0, -0.0, 1.0, 1e-7, 1e300, 5e-324, 0.1, -2.5, 123456789.123456789, 1e16, 1e22)

LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
ODD = st.sampled_from(
    ["\r\n", "\ufeff", "\u200b", "\u00ad", "e\u0301", "\u2028", "\x0c", " ", "\n", "\t", "aa", "a"]
)
TEXTS = st.lists(LETTERS | ODD, max_size=40).map("".join)
WORDED = st.text(LETTERS, min_size=1, max_size=8).filter(str.strip)
SCALARS = (
    st.sampled_from(VALUES)
    | st.sampled_from(FLOATS)
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(LETTERS, max_size=8)
)
HEADS = (
    "---\ntitle: Gate\nyear: 2024\ndraft: true\n---\n",
    "---\r\nn: 1\r\n---\r\n",
    "---\na: [1\n---\n",
    "",
)
SUFFIXES = (".md", ".txt", ".html", ".jsonl", "", ".MD", ".out", ".txt.md", ".tar.gz")
FOREIGN = st.builds(
    lambda stem, suffix: stem + suffix,
    st.text(LETTERS | st.sampled_from("/.~%\\:*? "), min_size=1, max_size=12),
    st.sampled_from(SUFFIXES),
)
"""Ids as other tools may give them."""


CLASHING = ("A.txt", "a.txt", "a.txt.md/b", "a.txt.MD", "x: y?.md", "con.txt", "CON", "a.")
"""Ids that one file system holds side by side, and another does not."""


@st.composite
def documents(draw: st.DrawFn, anywhere: bool = True) -> tuple[Document, ...]:
    """One to four documents of names that can be written, `anywhere` or on one file system at least."""
    names = Names()
    given = [
        names.new(unicodedata.normalize("NFC", foreign))
        for foreign in draw(st.lists(FOREIGN, min_size=1, max_size=4))
    ]
    if not anywhere:
        given += draw(st.lists(st.sampled_from(CLASHING), min_size=2, max_size=4, unique=True))
    found = []
    for name in dict.fromkeys(given):
        text = draw(st.sampled_from(HEADS)) + draw(TEXTS)
        starts = st.lists(st.integers(0, len(text)), max_size=3, unique=True).map(sorted)
        pages = tuple(Mark("page", at, draw(WORDED)) for at in draw(starts))
        headings = tuple(Mark("heading", at, draw(WORDED), draw(st.integers(1, 7))) for at in draw(starts))
        keys = st.sampled_from(WORDS) | WORDED
        metadata: dict[str, Any] = draw(st.dictionaries(keys.filter(str.strip), SCALARS, max_size=4))
        kind = draw(st.sampled_from([None, None, "text/markdown", "text/plain", "a: b"]))
        said = Description(kind, metadata, pages + headings)
        found.append(describe(name, text, name, said)[0])
    return tuple(sorted(found, key=lambda document: document.id))


@st.composite
def passages(draw: st.DrawFn, documents: tuple[Document, ...]) -> Passage | None:
    """A range of a document, without white space at its ends; none where a draw found only that."""
    document = draw(st.sampled_from(documents))
    ends = st.integers(0, len(document.text))
    start, end = sorted((draw(ends), draw(ends)))
    words = document.text[start:end]
    start, end = end - len(words.lstrip()), start + len(words.rstrip())
    return Passage(document.id, start, end) if start < end else None


@st.composite
def sets(draw: st.DrawFn, plain: bool = False, anywhere: bool = True) -> GoldSet:
    """Any gold set that can be written, `anywhere` or on one file system at least.

    A `plain` one has nothing but texts, ids and evidence.
    """
    texts = draw(documents(anywhere))
    if plain:
        texts = tuple(describe(one.id, one.text, one.id)[0] for one in texts)
    many = st.lists(passages(texts), max_size=3).map(
        lambda some: tuple(dict.fromkeys(passage for passage in some if passage))
    )
    ids = draw(
        st.lists(WORDED | st.sampled_from(["1", "01", "true", "\ufeff"]), min_size=1, max_size=4, unique=True)
    )
    questions = []
    for id in ids:
        entries = (Evidence(found) for found in draw(st.lists(many, max_size=3)) if found)
        metadata = [{}, *(dict(list(text.metadata.items())[:2]) for text in texts)]
        more: dict[str, Any] = (
            {}
            if plain
            else {
                "tags": tuple(draw(st.lists(WORDED, max_size=2, unique=True))),
                "filter": draw(st.sampled_from(metadata)),
                "answer": draw(st.text(LETTERS, max_size=8)).strip(),
                "synthetic": draw(st.sampled_from(SYNTHETIC)),
            }
        )
        questions.append(Question(id, draw(WORDED), tuple(entries), **more))
    return GoldSet("nasty", texts, tuple(questions), digest(texts, questions))
