"""YAML that remembers its lines, so that an error can say where to look: of sweeps, cards and metadata.

Plain values follow the JSON subset that people expect: `yes`, `no`, `on`, `1:30`, `0777`, `2e2` and dates
stay text (a reader that wants another type then refuses them by name), and a key written twice is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from evaluation.scalars import HALF_PAIR, is_unicode
from strategies.errors import BadInput, Problem, brief

Key = tuple[str | int, ...]
"""Path to a value from the root: `("grid", 0, "size", 1)`."""

Where = Callable[[Key], str]
"""Where the user finds a value: `sweep.yaml:14`, or the option that gave it."""

MAX_REPEATED = 100_000
"""Values beyond one a character of the text, which only anchors make; those that repeat anchors grow without
bound."""
MAX_DEPTH = 50
MAX_DIGITS = 60
"""Digits of a whole number: Python refuses to read or write one of thousands."""


@dataclass(frozen=True, slots=True)
class Yaml:
    """The content of one YAML file: maps, lists and scalars, with the line of each."""

    file: str
    content: Any
    lines: dict[Key, int]
    """Line of each value, from 1; of a map's entry, the line of its key."""

    def where(self, key: Key) -> str:
        """File and line of a value, or of the closest value around it."""
        while key and key not in self.lines:
            key = key[:-1]
        return f"{self.file}:{self.lines[key]}" if key in self.lines else self.file


def read_yaml(path: Path, file: str | None = None) -> Yaml:
    """Read a YAML file; raises `BadInput` with all that is wrong with its form."""
    name = file or str(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise BadInput([Problem(name, f"cannot be read: {error.strerror or error}")]) from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        what = f"byte {raw[error.start]:#04x} is not UTF-8"
        raise BadInput([Problem(f"{name}:{line}", what, "Save the file as UTF-8")]) from error
    return parse_yaml(text, name)


def parse_yaml(text: str, file: str) -> Yaml:
    """Parse YAML text; raises `BadInput` with all that is wrong with its form."""
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        raise BadInput([_syntax(error, text, file)]) from error
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        what = f"the character {chr(error.character)!r} is not allowed in YAML"
        raise BadInput(
            [Problem(f"{file}:{line}", what, "Remove it, or write it as an escape in double quotes")]
        ) from error
    except RecursionError as error:
        raise BadInput([Problem(file, "lists or maps are nested too deeply")]) from error
    reading = _Reading(file, MAX_REPEATED + len(text))
    content = None if node is None else reading.value(node, ())
    if reading.problems:
        raise BadInput(reading.problems)
    return Yaml(file, content, reading.lines)


def parse_scalar(text: str) -> Any:
    """One plain value, as YAML would read it: a number, true, false, null, or text.

    >>> [parse_scalar(text) for text in ("96", " 0.5", "10%", "true", "2e2", "null")]
    [96, 0.5, '10%', True, '2e2', None]
    """
    word = text.strip()
    tag = _Loader("").resolve(yaml.ScalarNode, word, (True, False))  # type: ignore[no-untyped-call]
    return _Reading("", 1).scalar(yaml.ScalarNode(tag, word), 0)


def parse_option(text: str, option: str) -> Any:
    """The value of an option: a list in brackets as YAML reads it, else one plain value.

    Raises `BadInput` for brackets that are no list.

    >>> parse_option("[table, code]", "--set isolate"), parse_option("12", "--size")
    (['table', 'code'], 12)
    """
    return parse_yaml(text, option).content if text.strip().startswith(("[", "{")) else parse_scalar(text)


class _Loader(yaml.SafeLoader):
    """YAML's syntax with JSON's plain values."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  the name and form are PyYAML's


for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", "~nN"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"[-+]?(?:0|[1-9][0-9]*)?\.[0-9]+|[-+]?(?:0|[1-9][0-9]*)\.", "-+.0123456789"),
    ("merge", r"<<", "<"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_pattern})$"), [*_first, ""])

PLAIN_VALUES: dict[str, list[tuple[str, re.Pattern[str]]]] = _Loader.yaml_implicit_resolvers
"""What a plain word is, if not text: tag and pattern, by its first character; what writes YAML must know."""


class _Reading:
    """Turns nodes into values, noting the line of each and what is wrong."""

    def __init__(self, file: str, most: int) -> None:
        self.file, self.most = file, most
        self.lines: dict[Key, int] = {}
        self.problems: list[Problem] = []
        self.count = 0

    def value(self, node: yaml.Node, key: Key) -> Any:
        line = node.start_mark.line + 1
        self.lines.setdefault(key, line)
        self.count += 1
        if self.count > self.most or len(key) > MAX_DEPTH:
            raise BadInput(
                [Problem(f"{self.file}:{line}", "anchors repeat or nest without end", "Write the values out")]
            )
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, key)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*key, index)) for index, item in enumerate(node.value)]
        return self.scalar(node, line)

    def mapping(self, node: yaml.MappingNode, key: Key) -> dict[str, Any]:
        content: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        first: dict[str, int] = {}
        for name_node, value_node in node.value:
            line = name_node.start_mark.line + 1
            if name_node.tag == "tag:yaml.org,2002:merge":
                for source in value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]:
                    value = self.value(source, (*key, "<<"))
                    if not isinstance(value, dict):
                        self.problem(line, "'<<' merges maps only")
                        continue
                    merged = {**value, **merged}
                continue
            if not isinstance(name_node, yaml.ScalarNode):
                self.problem(line, "a key is a list or a map", "Keys are plain words")
                continue
            name = str(name_node.value)
            if not is_unicode(name):
                self.problem(line, f"a key {HALF_PAIR[0]}", HALF_PAIR[1])
                continue
            if name in first:
                self.problem(
                    line,
                    f"{brief(name)} is written twice, first in line {first[name]}",
                    "Keep one of the two",
                )
                continue
            first[name] = line
            self.lines[(*key, name)] = line
            content[name] = self.value(value_node, (*key, name))
        return {**merged, **content}

    def scalar(self, node: yaml.Node, line: int) -> Any:
        text = cast(str, node.value)
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        if not is_unicode(text):
            self.problem(line, *HALF_PAIR)
            return text
        try:
            match kind:
                case "str":
                    return text
                case "null":
                    return None
                case "bool":
                    return text.lower() == "true"
                case "int" if len(text) > MAX_DIGITS:
                    self.problem(line, f"a number has {len(text)} digits", f"Use at most {MAX_DIGITS}")
                    return text
                case "int":
                    return int(text)
                case "float":
                    return float(text)
        except ValueError:
            pass
        self.problem(line, f"the tag {brief(node.tag)} is not supported", "Remove the tag")
        return text

    def problem(self, line: int, what: str, remedy: str = "") -> None:
        self.problems.append(Problem(f"{self.file}:{line}", what, remedy))


def _syntax(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    """PyYAML's complaint as one sentence with its line."""
    mark = error.problem_mark or error.context_mark
    what = ", ".join(part for part in (error.context, error.problem) if part)
    if mark is None:
        return Problem(file, f"is not YAML: {what}")
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    indentation = line[: len(line) - len(line.lstrip())]
    remedy = ""
    if "\t" in indentation or "'\\t'" in what:
        remedy = "Indent with spaces: YAML does not allow tabs"
    elif "another document" in what or "single document" in what:
        remedy = "Keep one of them: remove the second ---"
    return Problem(f"{file}:{mark.line + 1}", f"is not YAML: {what}", remedy)
