"""Files that were left out."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.gold.warnings.finding import Finding, first_lines, some
from evaluation.gold.warnings.material import Material
from strategies.errors import counted

CARD = "card.yaml"


def find(material: Material) -> Iterator[Finding]:
    """What cannot be read, now or when the set was made: what stands there is missed by every cut."""
    skipped = material.gold.skipped
    if skipped:
        what = f"{counted(len(skipped), 'file')} left out for lack of readable text ({some(skipped)})"
        yield Finding("documents/", what, cases=tuple({"document": path} for path in skipped))
    on_card = material.gold.card.get("skipped")
    if isinstance(on_card, dict) and on_card:
        reasons = {str(path): str(why) for path, why in on_card.items()}
        yield Finding(
            CARD,
            f"{counted(len(reasons), 'file')} left out when the set was made, as the card says: what only "
            "they answer is missed by every cut",
            "Put the text of what should be searched into documents/, and take it off the card",
            tuple({"document": path, "why": why} for path, why in reasons.items()),
            first_lines([f"{path}: {why}" for path, why in reasons.items()]),
        )
