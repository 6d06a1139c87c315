"""Documents without text."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.gold.warnings.finding import Finding, some
from evaluation.gold.warnings.material import Material
from strategies.errors import counted


def find(material: Material) -> Iterator[Finding]:
    """Documents that hold white space alone, of which no chunk comes."""
    blank = [document.id for document in material.gold.documents if not document.text.strip()]
    if blank:
        verb = "holds" if len(blank) == 1 else "hold"
        what = f"{counted(len(blank), 'document')} {verb} no text ({some(blank)})"
        yield Finding("documents/", what, cases=tuple({"document": name} for name in blank))
