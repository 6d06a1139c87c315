"""One data set about a harbour, small enough to work out by hand what is found in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .scenes import asking, write_set

HARBOUR = {
    "boats.md": "# Boats\n\nRowing boats leave from the west pier. A deposit of twelve euro is paid in cash."
    "\n\n## Sails\n\nSailing needs a licence from the harbour master.\n",
    "ferry.txt": "The ferry crosses every forty minutes. Bicycles travel on the lower deck.\n",
    "light.txt": "The lighthouse opens on Sundays. Its stair has ninety steps and no lift.\n",
}
_ASKED = (
    ("deposit", "How is the deposit of twelve euro paid?", "boats.md", "A deposit of twelve euro is paid"),
    ("licence", "Who gives the licence that sailing needs?", "boats.md", "Sailing needs a licence"),
    (
        "ferry",
        "Every how many minutes crosses the ferry?",
        "ferry.txt",
        "The ferry crosses every forty minutes",
    ),
    ("bicycles", "On which deck do bicycles travel?", "ferry.txt", "Bicycles travel on the lower deck."),
    ("stair", "How many steps has the stair?", "light.txt", "Its stair has ninety steps and no lift."),
)
QUESTIONS = [asking(*asked) for asked in _ASKED]


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    """Three documents and five questions."""
    return write_set(tmp_path / "harbour", HARBOUR, QUESTIONS)
