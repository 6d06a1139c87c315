"""YAML front matter of Markdown documents, read as metadata. It stays part of the text all the same."""

from __future__ import annotations

from dataclasses import replace

from evaluation.gold.metadata import flat
from evaluation.yaml_reading import parse_yaml
from strategies.document import Scalar
from strategies.errors import BadInput, Problem
from strategies.outline import front_matter_end


def front_matter(text: str, where: str) -> tuple[dict[str, Scalar], list[Problem]]:
    r"""The metadata in a text's front matter, and why some or all of it gives none.

    Documents are as their users have them, so what cannot be read is no error: it is only text.

    >>> front_matter("---\ntitle: Gate\ntags: [north, old]\n---\n# Gate\n", "gate.md")
    ({'title': 'Gate', 'tags': 'north, old'}, [])
    """
    end = front_matter_end(text)
    if not end:
        return {}, []
    # The first line may stay, it opens a document of YAML; the last one would open a second.
    head = text[:end].rstrip()[:-3]
    try:
        yaml = parse_yaml(head, where)
    except BadInput as error:
        return {}, [_warning(problem) for problem in error.problems]
    if yaml.content is None:
        return {}, []
    if not isinstance(yaml.content, dict):
        return {}, [_warning(Problem(f"{where}:1", "it is no map of keys and values"))]
    metadata, problems = flat(yaml.content, yaml.where)
    return metadata, [_warning(problem) for problem in problems]


def _warning(problem: Problem) -> Problem:
    return replace(problem, what=f"front matter that is no metadata, only text: {problem.what}")
