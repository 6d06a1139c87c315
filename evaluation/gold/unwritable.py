"""What keeps a gold set from being written: names that no file has, and values that would read otherwise."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from evaluation.gold.card import MAX_NAME
from evaluation.gold.file_kinds import kind_of
from evaluation.gold.filters import filter_problem
from evaluation.gold.front_matter import front_matter
from evaluation.gold.nouns import SYNTHETIC, GoldSet, Question
from evaluation.gold.sidecars import SUFFIX
from evaluation.scalars import HALF_PAIR, is_scalar, is_unicode
from strategies.document import Document, Mark, Scalar
from strategies.errors import Problem, brief
from strategies.outline import MARKDOWN

LONGEST_NAME_BYTES = 255
"""Of a file or folder, in UTF-8: what file systems hold."""
_SIGNATURE_CHARACTERS = 64
"""More than any signature of a kind of file has."""
LONGEST_PATH_BYTES = 2048
"""Of a document id, in UTF-8: what is left for it of the longest path."""

BARRED = re.compile(r'[\x00-\x1f<>:"\\|?*]')
"""Characters that no name may hold on Windows."""
DEVICE = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3]) *(\.|\Z)", re.IGNORECASE
)
"""Names that Windows keeps for devices, whatever suffix they have."""


def name_problem(name: str) -> str:
    """Why a text cannot be the id of a document, which is a path below `documents/`; empty where it can.

    >>> name_problem("letters/2024-03.txt"), name_problem("../secrets"), name_problem("/etc/hosts")
    ('', "has the part '..'", 'begins with /')
    """
    if not is_unicode(name):
        return HALF_PAIR[0]
    if name.startswith("/"):
        return "begins with /"
    if "\0" in name:
        return "holds a NUL"
    if unicodedata.normalize("NFC", name) != name:
        return "is not in Unicode form NFC"
    if name.endswith(SUFFIX):
        return f"ends in {SUFFIX}, as sidecars do"
    for part in name.split("/"):
        if part in ("", ".", ".."):
            return f"has the part {part!r}" if part else "has an empty part" if name else "is empty"
        if part.startswith("."):
            return f"has a part that begins with a dot ({brief(part)}), as hidden files do"
        if len(part.encode()) > LONGEST_NAME_BYTES:
            return f"has a part of {len(part.encode())} bytes, where names hold {LONGEST_NAME_BYTES}"
    size = len(name.encode())
    return f"has {size} bytes, where {LONGEST_PATH_BYTES} are the most" if size > LONGEST_PATH_BYTES else ""


def foreign_problem(name: str) -> str:
    """Why a foreign id is not taken for a document id as it is; empty where it is.

    A set of a user's own may have names that Windows refuses: it stands on a disk that holds them.

    >>> foreign_problem("x/a.txt"), foreign_problem("x/a?.txt")
    ('', "has the part 'a?.txt', which is no name on Windows")
    """
    if what := name_problem(name):
        return what
    for part in name.split("/"):
        if BARRED.search(part) or DEVICE.match(part) or part.endswith((".", " ")):
            return f"has the part {brief(repr(part))}, which is no name on Windows"
    return ""


class Taken:
    """Names of files and folders that are given away, on systems too that take `A` and `a` for one."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def by(self, name: str) -> str:
        """What stands in a name's way: another name of a file or folder; empty where nothing does."""
        key = _alike(name)
        if other := self._files.get(key) or self._folders.get(key):
            return other
        for parent in _parents(name):
            file, folder = self._files.get(_alike(parent)), self._folders.get(_alike(parent), parent)
            if file or folder != parent:
                return file or folder
        return ""

    def add(self, name: str) -> None:
        """Give a name away."""
        self._files.setdefault(_alike(name), name)
        for parent in _parents(name):
            self._folders.setdefault(_alike(parent), parent)


def _alike(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _parents(name: str) -> Iterator[str]:
    at = name.find("/")
    while at >= 0:
        yield name[:at]
        at = name.find("/", at + 1)


def problems(gold: GoldSet, sidecars: Mapping[str, bool]) -> list[Problem]:
    """Everything about a set that cannot be written so that reading gives it back.

    `sidecars`: by document id, whether it needs one.
    """
    found = [Problem("name", what) for what in _of_name(gold.name)]
    if not gold.documents:
        found.append(Problem("documents", "there is none"))
    if not gold.questions:
        found.append(Problem("questions", "there is none"))
    taken = Taken()
    for document in gold.documents:
        where = f"document {brief(document.id)}"
        found += (Problem(where, what) for what in _of_place(document.id, sidecars[document.id], taken))
        found += (Problem(where, what) for what in _of_document(document))
        taken.add(document.id)
    texts = {document.id: document.text for document in gold.documents}
    seen = set[str]()
    passes = _passes(gold.documents)
    for question in gold.questions:
        where = f"question {brief(question.id)}"
        found += (Problem(where, what) for what in _of_question(question, texts, passes))
        if question.id in seen:
            found.append(Problem(where, "stands twice"))
        seen.add(question.id)
    return found


def _of_name(name: str) -> Iterator[str]:
    if not name.strip() or not name.isprintable() or len(name) > MAX_NAME:
        yield f"is {brief(repr(name))}: it must be a line of 1 to {MAX_NAME} characters"


def _of_place(name: str, has_sidecar: bool, taken: Taken) -> Iterator[str]:
    if what := name_problem(name):
        yield f"{what}: its id must be a path below documents/"
        return
    if other := taken.by(name):
        yield "stands twice" if other == name else f"cannot stand beside {brief(other)} on every file system"
    if has_sidecar and len(f"{PurePosixPath(name).name}{SUFFIX}".encode()) > LONGEST_NAME_BYTES:
        yield f"has a name that leaves no room for its sidecar's, with {SUFFIX} behind it"


def in_front(document: Document) -> dict[str, Scalar]:
    """The metadata that stand in a document's own front matter."""
    return front_matter(document.text, document.id)[0] if document.media_type in MARKDOWN else {}


def _of_document(document: Document) -> Iterator[str]:
    if what := text_problem(document.text):
        yield f"its text {what}"
    if not document.media_type.strip() or not is_unicode(document.media_type):
        yield f"its media type is {brief(repr(document.media_type))}"
    for name, value in document.metadata.items():
        if not name.strip() or not is_unicode(name):
            yield f"its metadata have a key {brief(repr(name))}"
        elif not is_scalar(value) or (isinstance(value, str) and not is_unicode(value)):
            yield f"its metadata {brief(name)} are {brief(repr(value))}"
    for name in in_front(document):
        if name not in document.metadata:
            yield f"its front matter holds {brief(name)}, which its metadata lack"
    yield from _of_marks(document.marks, len(document.text))


def text_problem(text: str) -> str:
    """Why a text cannot be that of a document; empty where it can."""
    if "\0" in text:
        return "holds a NUL"
    if not is_unicode(text):
        return HALF_PAIR[0]
    kind = kind_of(text[:_SIGNATURE_CHARACTERS].encode(), "text")
    return f"begins with the signature of {kind.name}, and would be read as one" if kind else ""


def _of_marks(marks: Sequence[Mark], length: int) -> Iterator[str]:
    pages = [mark for mark in marks if mark.kind == "page"]
    headings = [mark for mark in marks if mark.kind == "heading"]
    if tuple(marks) != (*pages, *headings):
        yield "its marks are not pages, then headings"
    for some in (pages, headings):
        starts = [mark.start for mark in some]
        if any(not 0 <= start <= length for start in starts) or sorted(set(starts)) != starts:
            yield f"the starts of its {some[0].kind}s do not rise within its text"
    for mark in marks:
        if not mark.label.strip() or not is_unicode(mark.label):
            yield f"a {mark.kind}'s label is {brief(repr(mark.label))}"
        if mark.level < 1 or (mark.kind == "page" and mark.level != 1):
            yield f"the level of a {mark.kind} is {mark.level}"


def _passes(documents: Sequence[Document]) -> Callable[[Question], bool]:
    known: dict[tuple[tuple[str, type, Scalar], ...], bool] = {}

    def passes(question: Question) -> bool:
        key = tuple((name, type(value), value) for name, value in sorted(question.filter.items()))
        if key not in known:
            known[key] = filter_problem("", question.filter, documents) is None
        return known[key]

    return passes


def _of_question(
    question: Question, texts: Mapping[str, str], passes: Callable[[Question], bool]
) -> Iterator[str]:
    said: Iterable[str] = (question.id, question.text, question.answer, *question.tags, *question.filter)
    said = [*said, *(value for value in question.filter.values() if isinstance(value, str))]
    if not all(map(is_unicode, said)):
        yield HALF_PAIR[0]
    if not question.id.strip() or not question.text.strip():
        yield "its id or its text is blank"
    if not all(tag.strip() for tag in question.tags) or len(set(question.tags)) < len(question.tags):
        yield "a tag is blank, or stands twice"
    if question.answer != question.answer.strip() or question.synthetic not in SYNTHETIC:
        yield "its answer begins or ends with white space, or `synthetic` is no known word"
    if not all(map(is_scalar, question.filter.values())):
        yield "its filter holds what is no text, number or truth value"
    elif not passes(question):
        yield "no document passes its filter"
    for entry in question.evidence:
        if not entry.passages or len(set(entry.passages)) < len(entry.passages):
            yield "a piece of evidence has no place, or one twice"
        for passage in entry.passages:
            if passage.document not in texts:
                yield f"its evidence is in {brief(passage.document)}, which is no document"
                continue
            text = texts[passage.document]
            words = text[passage.start : passage.end] if 0 <= passage.start < passage.end <= len(text) else ""
            if not words or words != words.strip():
                place = f"[{passage.start}, {passage.end}) of {brief(passage.document)}"
                yield f"its evidence {place} is no range without white space at its ends"
