"""A builder of small gold sets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

MakeSet = Callable[..., Path]


@pytest.fixture
def make_set(tmp_path: Path) -> MakeSet:
    """Write a data set: texts or bytes by path, rows as dicts or raw lines, the card as YAML text."""

    def make(
        documents: Mapping[str, str | bytes],
        questions: list[Any] | str,
        card: str = "name: small\n",
        folder: str = "set",
    ) -> Path:
        root = tmp_path / folder
        (root / "documents").mkdir(parents=True)
        for path, content in documents.items():
            file = root / "documents" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        if not isinstance(questions, str):
            questions = "".join(
                (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n"
                for row in questions
            )
        (root / "questions.jsonl").write_bytes(questions.encode("utf-8"))
        (root / "card.yaml").write_text(card, encoding="utf-8", newline="")
        return root

    return make
