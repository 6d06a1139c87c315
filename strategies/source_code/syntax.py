"""Source code as a syntax tree: the one door to tree-sitter and its grammars.

The grammars are compiled into packages of their own, so nothing is fetched at run time. A tree says
where things begin and end; broken code has one too, in which the parser marks what it could not read.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from strategies.document import Document
from strategies.units.encodings import replace_surrogates

if TYPE_CHECKING:
    from tree_sitter import Language, Node

ProgrammingLanguage = Literal[
    "python", "javascript", "typescript", "tsx", "java", "go", "rust", "c", "cpp", "csharp"
]
"""What can be parsed; `javascript` reads JSX too."""

_GRAMMARS: Mapping[ProgrammingLanguage, tuple[str, str]] = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "java": ("tree_sitter_java", "language"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
}
"""Language -> the package of its grammar, and the function that gives it."""

MEDIA_TYPES: Mapping[str, ProgrammingLanguage] = {
    "text/x-python": "python",
    "text/javascript": "javascript",
    "application/javascript": "javascript",
    "text/x-typescript": "typescript",
    "application/typescript": "typescript",
    "text/x-tsx": "tsx",
    "text/x-java": "java",
    "text/x-go": "go",
    "text/x-rust": "rust",
    "text/x-c": "c",
    "text/x-c++": "cpp",
    "text/x-chdr": "cpp",
    "text/x-csharp": "csharp",
}
"""Media type -> language. Headers are read as C++, whose grammar reads nearly all of C as well."""

SUFFIXES: Mapping[str, ProgrammingLanguage] = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "javascript"),
    **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
    ".tsx": "tsx",
    ".java": "java",
    ".go": "go",
    ".rs": "rust",
    ".c": "c",
    **dict.fromkeys((".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"), "cpp"),
    ".cs": "csharp",
}
"""Suffix of a document's id -> language, where the media type names none."""

_WINDOW = 4096
"""Bytes that the parser reads at once."""
_STEPS_A_BYTE = 0.15
"""Hundreds of parser steps for each byte before it is stopped: code needs 0.01, broken code up to 0.1."""
_READS_A_BYTE = 12
"""How often the parser may read the text before it is stopped: code needs it once or twice, broken code
up to 3 times."""
_DEEPEST = 48
"""Brackets that may be open at once within a statement. While it is undecided what each of them opens (type
arguments or a comparison, a cast or a call), the parser needs time that grows with the square of their
number."""

_BRACKETS = re.compile(rb"[-=]>|<[<=]|>=|[<>()\[\];{}]")


@dataclass(frozen=True, slots=True)
class Syntax:
    """The syntax tree of a text."""

    root: Node
    _places: npt.NDArray[np.int64] | None
    """Shape (n_bytes + 1,): the code point of every byte of the text's UTF-8 form; None for ASCII."""

    def place(self, byte: int) -> int:
        """The code point of a byte that a node begins or ends at."""
        return byte if self._places is None else int(self._places[byte])


def programming_language(document: Document) -> ProgrammingLanguage | None:
    """The language that a document's media type names, or else its suffix; None where neither does.

    >>> programming_language(Document("gate/lock.rs", ""))
    'rust'
    """
    by_suffix = SUFFIXES.get(PurePosixPath(document.id).suffix.lower())
    return MEDIA_TYPES.get(document.media_type, by_suffix)


def parse(text: str, language: ProgrammingLanguage) -> Syntax | None:
    """The syntax tree of any text, in time linear in its length; None where that time did not do.

    What is broken stands under nodes of the type `ERROR`. Some texts that are no code at all keep a
    parser busy for ever: it is stopped after a number of steps, so that the answer depends on the
    text alone. What it does in a single step cannot be stopped: thousands of unfinished fragments in a
    row, all alike, can still cost it time that grows with their square.
    """
    from tree_sitter import Parser

    source = replace_surrogates(text).encode()
    # Python has no such doubts, and neither braces nor semicolons that would end them.
    shown = source if language == "python" else _tamed(source)
    steps, read = 0, 0
    most_steps = _STEPS_A_BYTE * (len(source) + _WINDOW)
    most_read = _READS_A_BYTE * (len(source) + 16 * _WINDOW)

    def window(start: int, _: object) -> bytes:
        nonlocal read
        part = shown[start : start + _WINDOW]
        read += len(part)
        return part

    def stop(*_: object) -> bool:
        nonlocal steps
        steps += 1
        return steps > most_steps or read > most_read

    try:
        root = Parser(_language(language)).parse(window, progress_callback=stop).root_node
    except ValueError:  # what the library raises when it was stopped
        return None
    if text.isascii():
        return Syntax(root, None)
    leads = (np.frombuffer(source, dtype=np.uint8) & 0xC0) != 0x80
    return Syntax(root, np.append(np.cumsum(leads, dtype=np.int64) - 1, len(text)))


def versions(language: ProgrammingLanguage | None) -> dict[str, str]:
    """The versions of the parser and of a language's grammar; of all grammars where none is named.

    >>> sorted(versions("csharp"))
    ['tree-sitter', 'tree-sitter-c-sharp']
    """
    packages = {package for name, (package, _) in _GRAMMARS.items() if language in (None, name)}
    names = [package.replace("_", "-") for package in sorted({"tree_sitter"} | packages)]
    return {name: metadata.version(name) for name in names}


@cache
def _language(language: ProgrammingLanguage) -> Language:
    from tree_sitter import Language

    package, function = _GRAMMARS[language]
    return Language(getattr(importlib.import_module(package), function)())


def _tamed(source: bytes) -> bytes:
    """The text as a parser sees it: a bracket that opens too deep is a `+`, at the same place.

    Semicolons and braces end what is undecided. No code that people write comes near that depth.

    >>> _tamed(b"f(" * 50)[-6:], _tamed(b"f({" * 50)[-6:]
    (b'f(f+f+', b'f({f({')
    """
    shown = bytearray(source)
    depth = 0
    for found in _BRACKETS.finditer(source):
        mark = found[0]
        if len(mark) == 2:  # arrows and comparisons: no brackets
            continue
        if mark in b"<([":
            if depth == _DEEPEST:
                shown[found.start()] = ord("+")
            else:
                depth += 1
        else:
            depth = max(depth - 1, 0) if mark in b">)]" else 0
    return bytes(shown)
