"""Files that were left out by request."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.gold.warnings.finding import Finding, counted, some
from evaluation.gold.warnings.material import Material


def find(material: Material) -> Iterator[Finding]:
    """Documents that cannot be read: what stands there is missed by every cut."""
    skipped = material.gold.skipped
    if skipped:
        what = f"{counted(len(skipped), 'file')} left out for lack of readable text ({some(skipped)})"
        yield Finding("documents/", what, cases=tuple({"document": path} for path in skipped))
