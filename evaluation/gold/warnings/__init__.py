"""What deserves a look in a gold set that can be used: the table of rules, one file each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from evaluation.gold.warnings import (
    asked_twice,
    blank,
    byte_order_mark,
    copied_words,
    cut_words,
    elsewhere,
    few_with_tag,
    half_document,
    nearly_the_same,
    no_subject,
    one_document,
    reading,
    same_evidence,
    short_evidence,
    skipped,
    synthetic,
    trimmed,
    unscored,
)
from evaluation.gold.warnings.finding import Finding
from evaluation.gold.warnings.material import Material

RULES: dict[str, Callable[[Material], Iterator[Finding]]] = {
    "skipped": skipped.find,
    "reading": reading.find,
    "synthetic": synthetic.find,
    "elsewhere": elsewhere.find,
    "no_subject": no_subject.find,
    "cut_words": cut_words.find,
    "short_evidence": short_evidence.find,
    "half_document": half_document.find,
    "asked_twice": asked_twice.find,
    "nearly_the_same": nearly_the_same.find,
    "copied_words": copied_words.find,
    "same_evidence": same_evidence.find,
    "one_document": one_document.find,
    "few_with_tag": few_with_tag.find,
    "unscored": unscored.find,
    "trimmed": trimmed.find,
    "blank": blank.find,
    "byte_order_mark": byte_order_mark.find,
}
"""The most harmful first: what makes figures wrong, what makes them say little, what is good to know."""

OF_FILES = ("skipped", "reading", "blank", "byte_order_mark")
"""Rules that hold even where questions have problems: what is said of questions would be said of those
that happened to resolve."""


def look(material: Material, *, files_only: bool = False) -> Iterator[Finding]:
    """What every rule finds, in the order of the table."""
    for name, find in RULES.items():
        if name in OF_FILES or not files_only:
            yield from (replace(finding, rule=name) for finding in find(material))
