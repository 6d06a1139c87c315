"""The characters of a page: UTF-8, or what the page itself declares."""

from __future__ import annotations

import codecs
import re

from evaluation.gold.documents import decode
from strategies.errors import Problem, brief

_READ_AS = {
    **dict.fromkeys(("iso8859-1", "ascii"), "cp1252"),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    **dict.fromkeys(("iso8859-11", "tis-620"), "cp874"),
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "iso2022_jp": "iso2022_jp_ext",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
}
"""What browsers take these charsets for (WHATWG Encoding Standard), by Python's names."""

_PYTHON_KNOWS = {"hz-gb-2312": "hz", "csiso2022jp": "iso-2022-jp", "csiso2022kr": "iso-2022-kr"}
_OF_SEVEN_BITS = re.compile(r"(cs)?iso-?2022|hz\b|(unicode-1-1-|x-unicode-2-0-)?utf-?7\b")
"""Charsets that write all that they hold in bytes of ASCII, so that nothing tells them from UTF-8 but
their name."""

_TO_OTHER_SIGNS = re.compile(rb"\x1b\$[@A-D(-/]")
"""What leads from ASCII to a set of several bytes a character (ISO 2022)."""


def decode_html(data: bytes, where: str) -> str | Problem:
    """The source of a page as UTF-8, or else as the page itself says it is; never by a guess."""
    from bs4.dammit import EncodingDetector

    text = decode(data, where)
    if isinstance(text, str) and not data.isascii():
        return text
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    declared = "utf-16" if marked else EncodingDetector.find_declared_encoding(data, is_html=True)
    if isinstance(text, str) and not (declared and _OF_SEVEN_BITS.match(declared)):
        what = "is in a charset of ISO-2022, and does not declare which"
        return Problem(where, what, "Save it as UTF-8") if _TO_OTHER_SIGNS.search(data) else text
    if not declared:
        return text
    remedy = "Save it as UTF-8" if isinstance(text, str) else text.remedy
    try:
        name = codecs.lookup(_PYTHON_KNOWS.get(declared, declared)).name
        decoded = data.decode(_READ_AS.get(name, name)).removeprefix("\ufeff")
    except LookupError:
        return Problem(where, f"declares the charset {brief(declared)}, which is not known", remedy)
    except UnicodeError:
        decoded = ""
    # In its charset the declaration itself can be read: one that stands there in ASCII is not in UTF-16.
    if not marked and declared not in decoded.lower():
        return Problem(where, f"declares the charset {brief(declared)}, and is not in it", remedy)
    return text if "\0" in decoded or not decoded else decoded
