"""PDF: the text layer, page by page, with the PDF's own page numbers and its bookmarks as headings."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, NamedTuple

from evaluation.gold.file_kinds import other_kind
from evaluation.gold.readers.reader import Outcome, Reader, ReadText, tidy, too_long
from evaluation.gold.sources import Choice
from strategies.document import Mark, Scalar
from strategies.errors import Problem, brief

BETWEEN_PAGES = "\n\n"
MOST_BOOKMARKS = 100_000
MOST_ON_A_PAGE = 200
"""Bookmarks of one page: each is looked for in all of its text."""
MOST_PLACES = 50
"""Places of a bookmark's words on its page that are compared with where it points."""

_LINE_HYPHEN = "\ufffe"
"""What PDFium writes for a hyphen that ends a line, in place of the hyphen and the line end."""


class _Bookmark(NamedTuple):
    title: str
    level: int
    """From 1."""
    y: float | None
    """Where it points, in points from the page's lower edge; None where it names the page alone."""


def read(data: bytes, where: str, choice: Choice, most: int) -> Outcome:
    """One text of all pages. Memory holds one page beside the text."""
    import pypdfium2

    if problem := other_kind(data, where, ".pdf"):
        return problem
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pypdfium2.raw.FPDF_ERR_PASSWORD:
            return Problem(where, "asks for a password", "Save it without one")
        return Problem(where, f"is no whole PDF ({brief(str(error))})", "Open it, and save it anew")
    try:
        return _read(pdf, where, most)
    finally:
        pdf.close()


def _read(pdf: Any, where: str, most: int) -> Outcome:
    bookmarks = _bookmarks(pdf)
    parts: list[str] = []
    pages: list[Mark] = []
    headings: list[Mark] = []
    length, has_words = 0, False
    for index in range(len(pdf)):
        if parts:
            length += len(BETWEEN_PAGES)
        text, found = _page(pdf, index, bookmarks.get(index, []))
        label = " ".join(pdf.get_page_label(index).split())
        pages.append(Mark("page", length, tidy(label) or str(index + 1)))
        headings += (Mark("heading", length + at, title, level) for at, title, level in found)
        parts.append(text)
        length += len(text)
        has_words = has_words or bool(text.strip())
        if length > most:
            return too_long(where, most)
    if not has_words:
        what = f"holds no text on its {len(parts)} page{'s' * (len(parts) > 1)}, as a scan does"
        return Problem(where, what, "Have its words recognised (OCR) first, for instance by ocrmypdf")
    return [ReadText(BETWEEN_PAGES.join(parts), ".txt", (*pages, *headings), _metadata(pdf))]


def _page(pdf: Any, index: int, bookmarks: list[_Bookmark]) -> tuple[str, list[tuple[int, str, int]]]:
    """The text of a page, and offset, title and level of the bookmarks whose words stand on it."""
    page = pdf[index]
    layer = page.get_textpage()
    raw = layer.get_text_range()
    places = _places(raw, layer, bookmarks)
    layer.close()
    page.close()
    return _lines(raw), [(len(_lines(raw[:at])), title, level) for at, title, level in places]


def _lines(raw: str) -> str:
    """The text of a page with its lines ended by line feeds, and as long whatever stands around it."""
    text = raw.replace(_LINE_HYPHEN, "-\n").replace("\r\n", "\n").replace("\r", "\n")
    # Page by page it keeps its length: no mark is taken from its beginning.
    return text.replace("\ufeff", " ").replace("\0", "\ufffd")


def _places(raw: str, layer: Any, bookmarks: list[_Bookmark]) -> list[tuple[int, str, int]]:
    """In order of their place. Of several at one place the first holds, as of several with the same words."""
    found: dict[int, tuple[int, str, int]] = {}
    after = 0
    for title, level, y in bookmarks:
        words = [re.escape(word) for word in title.split()]
        pattern = re.compile(r"[\s\ufffe]+".join(words), re.IGNORECASE)
        starts = [match.start() for match in islice(pattern.finditer(raw), MOST_PLACES)]
        # A heading fills its line; the same words inside a sentence are none.
        alone = [at for at in starts if _begins_line(raw, at)] or starts
        if not alone:
            continue
        if y is not None and len(raw) == layer.count_chars():
            at = min(alone, key=lambda start: abs(_top(layer, start) - y))
        else:
            at = next((start for start in alone if start >= after), alone[0])
        after = at + 1
        found.setdefault(at, (at, title, level))
    return [found[at] for at in sorted(found)]


def _begins_line(raw: str, at: int) -> bool:
    """Whether only a number, as of a section, stands before a place in its line."""
    line = raw[max(raw.rfind("\n", 0, at), raw.rfind("\r", 0, at)) + 1 : at]
    return re.fullmatch(r"[\s\dIVXivxA-Z.)§]{0,16}", line) is not None


def _top(layer: Any, index: int) -> float:
    return float(layer.get_charbox(index)[3])


def _bookmarks(pdf: Any) -> dict[int, list[_Bookmark]]:
    """Bookmarks by the page that they point to, in the order of the outline."""
    by_page: dict[int, list[_Bookmark]] = {}
    for entry in islice(pdf.get_toc(), MOST_BOOKMARKS):
        title = " ".join(tidy(entry.get_title()).split())
        target = entry.get_dest()
        page = target.get_index() if target else None
        if title and page is not None and len(here := by_page.setdefault(page, [])) < MOST_ON_A_PAGE:
            here.append(_Bookmark(title, entry.level + 1, _height(*target.get_view())))
    return by_page


def _height(mode: int, position: list[float]) -> float | None:
    """The height that a target names, of the forms of targets that name one (ISO 32000-1, table 151)."""
    from pypdfium2 import raw

    if mode == raw.PDFDEST_VIEW_XYZ and len(position) > 1:
        return position[1] or None
    if mode in (raw.PDFDEST_VIEW_FITH, raw.PDFDEST_VIEW_FITBH) and position:
        return position[0] or None
    return None


def _metadata(pdf: Any) -> dict[str, Scalar]:
    told = pdf.get_metadata_dict(skip_empty=True)
    metadata: dict[str, Scalar] = {}
    for name, key in (("title", "Title"), ("author", "Author")):
        if value := " ".join(tidy(told.get(key, "")).split()):
            metadata[name] = value
    return metadata


PDF = Reader(
    name="pdf",
    suffixes=(".pdf",),
    library="pypdfium2",
    suffix=".txt",
    becomes="`NAME.pdf.txt`",
    keeps="the words, line by line; pages, numbered as the PDF numbers them; bookmarks as headings; title "
    "and author as metadata",
    loses="tables, columns and footnotes as such, images; bookmarks whose words are not on their page",
    read=read,
)
