"""Offsets that took in white space."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.gold.warnings.finding import QUESTIONS, Finding, some
from evaluation.gold.warnings.material import Material
from strategies.errors import counted


def find(material: Material) -> Iterator[Finding]:
    """Ranges that began or ended with white space, which is no evidence."""
    trimmed = material.gold.trimmed
    if trimmed:
        verb = "begins or ends" if len(trimmed) == 1 else "begin or end"
        pronoun = "it was" if len(trimmed) == 1 else "they were"
        yield Finding(
            QUESTIONS,
            f"{counted(len(trimmed), 'span')} {verb} with white space; {pronoun} trimmed ({some(trimmed)})",
            cases=tuple({"question": name} for name in trimmed),
            figures={"spans": len(trimmed)},
        )
