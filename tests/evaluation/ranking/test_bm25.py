"""Words: how they are found, what they score, what the index takes."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.footprint import folder_bytes
from evaluation.ranking.bm25 import BM25, words
from evaluation.ranking.ranker import Query

from .scene import NOWHERE, chunk, listed

ROOT = Path(__file__).resolve().parents[3]
NO_VECTOR = np.zeros(0, dtype=np.float32)


def plain_bm25(texts: Sequence[str], question: str) -> list[float]:
    """The formula, word by word."""
    bags = [Counter(words(text)) for text in texts]
    mean = sum(sum(bag.values()) for bag in bags) / len(bags)
    scores = []
    for bag in bags:
        score = 0.0
        for word in words(question):
            holding = sum(word in other for other in bags)
            if bag[word]:
                rarity = math.log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
                score += rarity * bag[word] / (bag[word] + 1.5 * (0.25 + 0.75 * sum(bag.values()) / mean))
        scores.append(score)
    return scores


def built(texts: Sequence[str], documents: Sequence[str] | None = None, place: Path = NOWHERE) -> BM25:
    names = documents or ["a"] * len(texts)
    index = BM25(place)
    index.build(
        np.zeros((len(texts), 0), np.float32),
        [chunk(text, name, 100 * n) for n, (text, name) in enumerate(zip(texts, names, strict=True))],
    )
    return index


def found(
    index: BM25, question: str, depth: int = 100, documents: frozenset[str] | None = None
) -> dict[int, float]:
    rows, scores = index.search(Query(question, NO_VECTOR), depth, documents)
    return dict(zip(rows.tolist(), scores.tolist(), strict=True))


class TestWords:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Don't stop-now", ["don", "t", "stop", "now"]),
            ("v2.1 at 10:30", ["v2", "1", "at", "10", "30"]),
            ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),  # vowel signs are parts of words
            ("cafe\u0301 CAFÉ", ["café", "café"]),
            ("ＡＢＣ ﬁt", ["abc", "fit"]),
            ("東京 都 Tokyo駅", ["東京", "都", "tokyo", "駅"]),
            ("ラーメン", ["ラー", "ーメ", "メン"]),
            ("สวัสดี", ["สว", "วั", "ัส", "สด", "ดี"]),
            ("한국어 문서", ["한국어", "문서"]),  # Korean puts spaces
            ("!?\x00\n", []),
            ("\ud800 a", ["a"]),
        ],
    )  # fmt: skip
    def test_what_is_one(self, text: str, expected: list[str]) -> None:
        assert words(text) == expected

    @given(st.text(st.characters(max_codepoint=0x52F)))
    def test_words_stand_for_themselves(self, text: str) -> None:
        assert words(" ".join(words(text))) == words(text)

    @given(st.text(alphabet="犬鎖門に開くは", min_size=1))
    def test_a_script_without_spaces_loses_nothing(self, text: str) -> None:
        pieces = words(text)
        assert pieces[0] + "".join(piece[-1] for piece in pieces[1:]) == text


class TestScores:
    def test_by_hand(self) -> None:
        """Two chunks of three words; `dogs` stands in one of them: ln(1 + 1.5 / 1.5) / (1 + 1.5)."""
        index = built(["dogs on leads", "cats on mats"])
        assert found(index, "Dogs!") == {0: round(math.log(2) / 2.5, 6)}
        both = math.log(1 + 0.5 / 2.5) / 2.5
        assert found(index, "on") == {0: round(both, 6), 1: round(both, 6)}
        assert found(index, "on on") == {0: round(2 * both, 6), 1: round(2 * both, 6)}

    SENTENCES = st.lists(st.sampled_from(["dog", "cat", "gate", "lead", "犬は", "7"]), max_size=8).map(
        " ".join
    )

    @settings(max_examples=150)
    @given(st.lists(SENTENCES, min_size=1, max_size=8), SENTENCES)
    def test_they_are_those_of_the_formula(self, texts: list[str], question: str) -> None:
        index = built(texts)
        expected = plain_bm25(texts, question) if any(map(words, texts)) else [0.0] * len(texts)
        scores = found(index, question)
        assert set(scores) == {row for row, score in enumerate(expected) if score > 0}
        for row, score in scores.items():
            assert score == pytest.approx(expected[row], abs=2e-6)

    @settings(max_examples=60)
    @given(
        st.lists(SENTENCES, min_size=1, max_size=8),
        st.lists(st.sampled_from(["dog", "cat", "gate"]), max_size=5),
    )
    def test_the_order_of_words_loses_no_tie(self, texts: list[str], asked: list[str]) -> None:
        forth, back = built(texts), built([" ".join(reversed(text.split(" "))) for text in texts])
        assert found(forth, " ".join(asked)) == found(back, " ".join(reversed(asked)))

    def test_what_shares_no_word_is_not_found(self) -> None:
        index = built(["the gate", "the pool", "a lead"])
        assert set(found(index, "the gate")) == {0, 1}
        assert found(index, "winter") == found(index, "") == found(index, "!?") == {}

    def test_other_documents_count_in_how_rare_a_word_is(self) -> None:
        index = built(["dogs bark", "dogs run", "cats run", "cats"], ["a", "b", "b", "c"])
        everything = found(index, "dogs run")
        some = found(index, "dogs run", documents=frozenset("bc"))
        assert some == {row: everything[row] for row in (1, 2)}
        assert found(index, "dogs", documents=frozenset("xc")) == {}

    def test_all_that_tie_with_the_last_come(self) -> None:
        index = built(["dog", "dog dog", "dog", "cat"])
        assert set(found(index, "dog", depth=1)) == {1}
        assert set(found(index, "dog", depth=2)) == {0, 1, 2}
        assert found(index, "dog", depth=0) == {}

    def test_equal_scores_come_by_document_and_start(self) -> None:
        chunks = [chunk("dog", "b", 0), chunk("dog", "a", 9), chunk("dog", "a", 0)]
        index = BM25(NOWHERE)
        index.build(np.zeros((3, 0), np.float32), chunks)
        assert [row for row, _ in listed(index, chunks, "dog", NO_VECTOR, 2)] == [2, 1]

    @pytest.mark.parametrize("texts", [[], [""], ["!?", " "]])
    def test_an_index_without_words_finds_nothing(self, texts: list[str], tmp_path: Path) -> None:
        index = built(texts, place=tmp_path)
        assert found(index, "dog") == {}
        assert index.stored().index == 0

    def test_what_is_embedded_is_indexed(self) -> None:
        index = BM25(NOWHERE)
        headed = chunk("opens at six")
        index.build(
            np.zeros((1, 0), np.float32),
            [type(headed)("a", 0, 0, 12, headed.text, 3, "Gates > opens at six", (0, 12))],
        )
        assert set(found(index, "gates")) == {0}


class TestStored:
    def test_every_file_is_counted_once(self, tmp_path: Path) -> None:
        texts = ["dogs on leads", "犬は鎖に", "lone \ud800"]
        index = built(texts, place=tmp_path)
        stored = index.stored()
        assert stored.vectors == 0
        assert stored.text == sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
        assert stored.on_disk == folder_bytes(tmp_path) == stored.index + stored.text + stored.metadata
        assert stored == index.stored()
        postings = sum(len(set(words(text))) for text in texts)
        assert stored.index > 8 * postings

    def test_the_index_is_the_same_in_every_process(self, tmp_path: Path) -> None:
        code = (
            "import sys, numpy as np; from pathlib import Path;"
            "from tests.evaluation.ranking.test_bm25 import built, found;"
            "index = built(['dogs on leads', 'cats on mats', 'all cats and dogs'], place=Path(sys.argv[1]));"
            "index.stored(); import json; print(json.dumps(found(index, 'all dogs on mats')))"
        )
        answers, files = [], []
        for seed in ("1", "2"):
            place = tmp_path / seed
            place.mkdir()
            done = subprocess.run(
                [sys.executable, "-c", code, str(place)],
                env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            assert done.stderr == ""  # no progress, no warnings
            answers.append(json.loads(done.stdout))
            files.append({path.name: path.read_bytes() for path in place.rglob("*") if path.is_file()})
        assert answers[0] == answers[1]
        assert files[0] == files[1]
