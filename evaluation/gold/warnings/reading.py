"""What was noticed while the files were read: filters that exclude evidence, slips in front matter."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.gold.warnings.finding import Finding, first_lines
from evaluation.gold.warnings.material import Material
from strategies.errors import counted


def find(material: Material) -> Iterator[Finding]:
    """The warnings of the reader, as one."""
    noticed = material.gold.warnings
    if noticed:
        yield Finding(
            "",
            f"{counted(len(noticed), 'thing')} noticed while the files were read",
            cases=tuple({"where": one.where, "what": one.what, "remedy": one.remedy} for one in noticed),
            shown=first_lines([str(one) for one in noticed]),
        )
