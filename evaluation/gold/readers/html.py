"""HTML: to Markdown that keeps headings, lists, tables and code; or as it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.gold.readers.html_charset import decode_html
from evaluation.gold.readers.html_tree import parsed
from evaluation.gold.readers.markdown_text import fenced, literal, spanned, table
from evaluation.gold.readers.reader import Outcome, Reader, ReadText, tidy, too_long
from evaluation.gold.sources import Choice
from strategies.document import Scalar
from strategies.errors import Problem

if TYPE_CHECKING:
    from markdownify import MarkdownConverter

_WORDS_ALONE = ("a", "b", "strong", "em", "i", "u", "del", "s", "sub", "sup", "code", "kbd", "samp", "img")
"""Elements of which only the words are kept: a quote copied from the page must be found in the text."""

_APART = ("button", "textarea")
"""Elements that stand in a line, but apart from its words."""
_INLINE = {
    *(*_WORDS_ALONE, *_APART, "abbr", "cite", "dfn", "font", "label", "mark", "q", "small", "span", "time"),
    "var",
}

_BLOCKS = (
    *("address", "aside", "caption", "center", "details", "dialog", "fieldset", "figcaption", "figure"),
    *("footer", "form", "header", "hgroup", "legend", "main", "optgroup", "option", "search", "select"),
    "summary",
)
_LIKE = {**dict.fromkeys(_BLOCKS, "div"), "dir": "ul", "menu": "ul", "listing": "pre", "xmp": "pre"}
"""Elements that are set apart as others are, which Markdownify knows (HTML Standard, section 15.3)."""

_SECTIONS = ("thead", "tbody", "tfoot")
"""Parts of a table in the order in which they are shown."""


def read(data: bytes, where: str, choice: Choice, most: int) -> Outcome:
    """The page as Markdown, in time linear in its length."""
    source = decode_html(data, where)
    if isinstance(source, Problem):
        return source
    soup = parsed(source)
    metadata = _metadata(soup)
    for head in soup.find_all("head"):
        head.decompose()
    for block in soup.find_all(list(_LIKE)):
        block.name = _LIKE[block.name]
    try:
        text = tidy(_converter()().convert_soup(soup).strip()) + "\n"
    except RecursionError:
        what = "its elements lie too deep in each other"
        return Problem(where, what, "Keep its source with --html source, or save it from a browser as text")
    if len(text) > most:
        return too_long(where, most)
    if not text.strip():
        what = "holds no words outside of scripts, styles and navigation"
        return Problem(where, what, "Save the page as a browser shows it")
    return [ReadText(text, ".md", metadata=metadata)]


def read_source(data: bytes, where: str, choice: Choice, most: int) -> Outcome:
    """The source of the page, in the charset that it declares."""
    source = decode_html(data, where)
    return source if isinstance(source, Problem) else [ReadText(source)]


def _metadata(soup: Any) -> dict[str, Scalar]:
    author = soup.find("meta", attrs={"name": lambda name: name and name.lower() == "author"})
    told = {
        "title": soup.title.get_text() if soup.title else "",
        "author": str(author.get("content", "")) if author else "",
    }
    words = {name: " ".join(tidy(value).split()) for name, value in told.items()}
    return {name: value for name, value in words.items() if value}


def _starts_line(element: Any) -> bool:
    """Whether a text is the first of its block."""
    while element.previous_sibling is None and element.parent is not None and element.parent.name in _INLINE:
        element = element.parent
    before = element.previous_sibling
    return before is None or (before.name is not None and before.name not in _INLINE)


@cache
def _converter() -> type[MarkdownConverter]:
    from markdownify import ATX, MarkdownConverter

    class Converter(MarkdownConverter):
        """Markdownify's rules, but that words stay words, and lists of any length take linear time."""

        def __init__(self) -> None:
            super().__init__(
                heading_style=ATX,
                bullets="-",
                strip=list(_WORDS_ALONE),
                escape_asterisks=False,
                escape_underscores=False,
                wrap=True,
                wrap_width=None,
            )
            self.numbers: dict[int, int] = {}
            """Of items of numbered lists, so that none counts all before it again."""
            self.cells = defaultdict[int, list[_Cell]](list)
            """Those of each row, until it ends."""
            self.rows = defaultdict[int, list[tuple[int, list[_Cell]]]](list)
            """Those of each table until it ends, with their section."""

        def process_text(self, el: Any, parent_tags: Any = None) -> str:
            text = str(super().process_text(el, parent_tags=parent_tags))  # type: ignore[misc]
            inside = parent_tags or ()
            if text and "_noformat" not in inside and "_inline" not in inside and _starts_line(el):
                return literal(text)
            return text

        def convert_pre(self, el: Any, text: str, parent_tags: Any) -> str:
            if "_inline" in parent_tags:
                return text
            code = text.strip("\n")
            return f"\n\n{fenced(code, _language(el))}\n\n" if code.strip() else ""

        def convert_br(self, el: Any, text: str, parent_tags: Any) -> str:
            return " " if "_inline" in parent_tags else "\n"

        def convert_button(self, el: Any, text: str, parent_tags: Any) -> str:
            return f" {text.strip()} "

        convert_textarea = convert_button

        def convert_td(self, el: Any, text: str, parent_tags: Any) -> str:
            row = el.find_parent(("tr", "table"))
            if row is None or row.name == "table":
                return f" {text.strip()} "
            self.cells[id(row)].append(_Cell(text, spanned(el.get("colspan")), spanned(el.get("rowspan"))))
            return ""

        convert_th = convert_td

        def convert_tr(self, el: Any, text: str, parent_tags: Any) -> str:
            cells = self.cells.pop(id(el), [])
            above = next((parent for parent in el.parents if parent.name in (*_SECTIONS, "table")), None)
            whole = el.find_parent("table")
            if above is None or whole is None:
                return f"\n\n{' '.join([text, *(cell.text for cell in cells)]).strip()}\n\n"
            place = _SECTIONS.index(above.name) if above.name in _SECTIONS else 1
            self.rows[id(whole)].append((place, cells))
            return text

        def convert_table(self, el: Any, text: str, parent_tags: Any) -> str:
            """Its own rows as a table; in a cell or heading their words alone."""
            rows = [cells for _, cells in sorted(self.rows.pop(id(el), []), key=itemgetter(0))]
            if "_inline" in parent_tags:
                return f" {' '.join([text, *(cell.text for cells in rows for cell in cells)])} "
            parts = [text.strip(), table(_by_column(rows))]
            return "\n\n{}\n\n".format("\n\n".join(filter(None, parts)))

        def convert_li(self, el: Any, text: str, parent_tags: Any) -> str:
            words = text.strip()
            bullet = f"{self.number(el)}. " if el.parent is not None and el.parent.name == "ol" else "- "
            first, *rest = words.split("\n")
            return (
                "\n".join([bullet + first, *(" " * len(bullet) + line if line else "" for line in rest)])
                + "\n"
            )

        def number(self, item: Any) -> int:
            """The number of an item in its list."""
            start, before = item.parent.get("start", ""), item.find_previous_sibling("li")
            first = int(start) if start.isdecimal() and len(start) < 10 else 1
            self.numbers[id(item)] = first if before is None else self.numbers[id(before)] + 1
            return self.numbers[id(item)]

    return Converter


class _Cell(NamedTuple):
    """A cell of a table, and how many columns and rows it fills."""

    text: str
    wide: int
    high: int


def _by_column(rows: Iterable[list[_Cell]]) -> Iterator[list[str]]:
    """The words of each column; those of a cell that spans several stand in the first, and its first row."""
    filled: dict[int, int] = {}
    for cells in rows:
        words: list[str] = []
        now, filled = filled, {column: rows - 1 for column, rows in filled.items() if rows > 1}
        for text, wide, high in cells:
            while len(words) in now:
                words.append("")
            if high > 1:
                filled |= dict.fromkeys(range(len(words), len(words) + wide), high - 1)
            words += [text, *[""] * (wide - 1)]
        yield words


def _language(pre: Any) -> str:
    """The language of a block of code, of a class such as `language-python`."""
    for element in (pre, pre.find("code")):
        for name in (element.get("class") or []) if element else []:
            word = name.removeprefix("language-").removeprefix("lang-")
            if word != name and word.replace("+", "").replace("#", "").replace("-", "").isalnum():
                return str(word)
    return ""


HTML = Reader(
    name="html",
    suffixes=(".html", ".htm"),
    library="markdownify",
    suffix=".md",
    becomes="`NAME.html.md`, Markdown",
    keeps="headings, paragraphs, lists, tables, code in fences; title and author as metadata",
    loses="scripts, styles, navigation (`<nav>`), comments, images; targets of links, emphasis, what "
    "is raised or lowered (2<sup>7</sup> becomes 27)",
    read=read,
)

HTML_SOURCE = Reader(
    name="html source",
    suffixes=(),
    library=None,
    suffix="",
    becomes="itself, with `--html source`",
    keeps="everything, for the `html` strategy",
    loses="nothing",
    read=read_source,
)
