"""HTML: to Markdown that keeps headings, lists, tables and code; or as it is."""

from __future__ import annotations

import codecs
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

from evaluation.gold.documents import decode
from evaluation.gold.readers.markdown_text import cell, fenced, literal
from evaluation.gold.readers.reader import Outcome, Reader, ReadText, tidy, too_long
from evaluation.gold.sources import Choice
from strategies.document import Scalar
from strategies.errors import Problem, brief

if TYPE_CHECKING:
    from markdownify import MarkdownConverter

NOISE = ("script", "style", "noscript", "template", "nav", "iframe", "object", "svg", "canvas", "head")
"""Elements that are left out with all that is in them."""

_WORDS_ALONE = ("a", "b", "strong", "em", "i", "u", "del", "s", "sub", "sup", "code", "kbd", "samp", "img")
"""Elements of which only the words are kept: a quote copied from the page must be found in the text."""

_INLINE = {*_WORDS_ALONE, "span", "q", "small", "abbr", "cite", "dfn", "label", "mark", "time", "var", "font"}
_LATIN = ("iso8859-1", "ascii")
_READ_AS = {**dict.fromkeys(_LATIN, "cp1252"), "shift_jis": "cp932", "gb2312": "gb18030", "gbk": "gb18030"}
"""What browsers take these charsets for (WHATWG Encoding Standard), by Python's names."""


def read(data: bytes, where: str, choice: Choice, most: int) -> Outcome:
    """The page as Markdown, in time linear in its length."""
    from bs4 import BeautifulSoup, Comment

    source = decode_html(data, where)
    if isinstance(source, Problem):
        return source
    with warnings.catch_warnings():  # of pages that look like XML, or like a file's name
        warnings.simplefilter("ignore")
        soup = BeautifulSoup(source.replace("\r\n", "\n").replace("\r", "\n"), "lxml")
    metadata = _metadata(soup)
    for noise in soup.find_all(NOISE):
        noise.decompose()
    for comment in soup.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
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


def decode_html(data: bytes, where: str) -> str | Problem:
    """The source of a page as UTF-8, or else as the page itself says it is; never by a guess."""
    from bs4.dammit import EncodingDetector

    text = decode(data, where)
    if not isinstance(text, Problem):
        return text
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        declared = "utf-16"
    else:
        declared = EncodingDetector.find_declared_encoding(data, is_html=True) or ""
    if not declared:
        return text
    try:
        name = codecs.lookup(declared).name
        decoded = data.decode(_READ_AS.get(name, name)).removeprefix("\ufeff")
    except LookupError:
        return Problem(where, f"declares the charset {brief(declared)}, which is not known", text.remedy)
    except UnicodeError:
        return Problem(where, f"declares the charset {brief(declared)}, and is not in it", text.remedy)
    return text if "\0" in decoded else decoded


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

        def convert_td(self, el: Any, text: str, parent_tags: Any) -> str:
            span = el.attrs.get("colspan", "")
            return f" {cell(text)} |" + "  |" * (min(int(span), 1000) - 1 if span.isdecimal() else 0)

        convert_th = convert_td

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
    "is raised or lowered (2<sup>7</sup> becomes 27), cells that span rows",
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
