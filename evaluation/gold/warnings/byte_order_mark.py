"""Documents that began with a byte-order mark."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.gold.warnings.finding import Finding, some
from evaluation.gold.warnings.material import Material
from strategies.errors import counted


def find(material: Material) -> Iterator[Finding]:
    """Marks that were removed: offsets that count them are off by one."""
    marked = material.gold.byte_order_marks
    if marked:
        verb = "begins" if len(marked) == 1 else "begin"
        what = f"{counted(len(marked), 'document')} {verb} with a byte-order mark ({some(marked)})"
        remedy = "Offsets count from the character after it"
        yield Finding("documents/", what, remedy, tuple({"document": name} for name in marked))
