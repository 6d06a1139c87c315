"""The published bar: Precision-Omega on the Chroma corpora, at true positions.

Published for token windows (Smith and Troynikov, 2024): 4.7, 8.4, 12.5 and 21.0 percent. The reference
finds a chunk's place by searching for its text and counts chunks that only touch the evidence; with true
positions and strict intersection the values are those below. The set is not part of this repository: its
folder is $CHUNKSWEEP_CHROMA, else `../shared/gold/chroma`, an optional data folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.gold import Evidence, Passage, Question
from evaluation.layout import Layout
from evaluation.measured import Measured
from evaluation.scoring import ScoringContext, aggregate, score_question
from evaluation.settings import Settings
from strategies import build
from strategies.document import Document
from strategies.libraries import THIRD_PARTY
from strategies.splitting import split
from strategies.strategy import Strategy
from strategies.tools import TOKENS, Tools

FOLDER = Path(
    os.environ.get("CHUNKSWEEP_CHROMA") or Path(__file__).parents[2].parent / "shared" / "gold" / "chroma"
)

pytestmark = pytest.mark.skipif(
    not (FOLDER / "questions.jsonl").is_file(), reason="the Chroma set is not here: set CHUNKSWEEP_CHROMA"
)


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    return {
        path.name: Document(path.name, path.read_bytes().decode("utf-8"))
        for path in sorted((FOLDER / "documents").glob("*.txt"))
    }


@pytest.fixture(scope="module")
def questions(documents: dict[str, Document]) -> list[Question]:
    def passage(document: str, start: int, end: int) -> Passage:
        text = documents[document].text[start:end]
        return Passage(document, start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip()))

    with (FOLDER / "questions.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Question(
            row["id"],
            row["question"],
            tuple(Evidence((passage(row["document"], e["start"], e["end"]),)) for e in row["evidence"]),
        )
        for row in rows
    ]


@pytest.fixture(scope="module")
def tools() -> Tools:
    return Tools()


@pytest.fixture(scope="module")
def measured(documents: dict[str, Document], tools: Tools) -> dict[str, Measured]:
    return {name: Measured.of(found, tools.borders(found, TOKENS)[:-1]) for name, found in documents.items()}


@pytest.fixture(scope="module")
def omega(
    documents: dict[str, Document],
    questions: list[Question],
    measured: dict[str, Measured],
    tools: Tools,
) -> Callable[[Strategy], float]:
    """Precision-Omega of a strategy on the set, in percent."""

    def of(strategy: Strategy) -> float:
        chunks = [chunk for found in documents.values() for chunk in split(found, strategy, tools)]
        context = ScoringContext(measured, Layout.of(chunks), Settings())
        scores = [score_question(question, None, context) for question in questions]
        mean = aggregate(scores, 0)["precision_omega"]
        assert (len(questions), mean.n_scored) == (472, 472)
        assert mean.mean is not None
        return 100 * mean.mean

    return of


@pytest.mark.parametrize(
    ("size", "overlap", "percent"), [(800, 400, 4.67), (400, 200, 8.5), (400, 0, 12.75), (200, 0, 21.45)]
)
def test_token_windows(size: int, overlap: int, percent: float, omega: Callable[[Strategy], float]) -> None:
    strategy = build("fixed", {"unit": "cl100k_base", "size": size, "overlap": overlap})
    assert omega(strategy) == pytest.approx(percent, abs=0.15)


SEPARATORS = ["\n\n", "\n", ".", "?", "!", " ", ""]
"""Those of the study's own variant of LangChain's splitter; all else is as LangChain has it."""

RECURSIVE = [(800, 400, 6.7, 6.69, 6.35), (400, 200, 13.9, 14.03, 12.64), (400, 0, 17.7, 17.78, 15.67)]
RECURSIVE += [(200, 0, 30.7, 30.69, 27.46)]  # 29.9 where places are searched for


@pytest.mark.parametrize(("size", "overlap", "published", "langchain", "ours"), RECURSIVE)
def test_recursive_splitting(
    size: int,
    overlap: int,
    published: float,
    langchain: float,
    ours: float,
    omega: Callable[[Strategy], float],
) -> None:
    """LangChain never joins pieces of two levels, so its chunks are smaller than the size allows, and
    Precision-Omega rises as chunks shrink: `recursive` fills them."""
    asked = {"unit": "cl100k_base", "size": size, "overlap": overlap, "separators": SEPARATORS}
    found = omega(THIRD_PARTY["langchain:RecursiveCharacterTextSplitter"](**asked))
    assert found == pytest.approx(published, abs=1.0)
    assert found == pytest.approx(langchain, abs=0.15)
    assert omega(build("recursive", asked)) == pytest.approx(ours, abs=0.15)
