"""Text past the embedder's limit: it changes no vector, and the record says how much of it there was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluation.embedders.hashing import HashingEmbedder
from evaluation.embedding import EmbedderSpec, open_embedder
from evaluation.embedding_desk import EmbeddingDesk
from evaluation.health import truncation

from .scenes import asking, measured, write_set

ANSWER = "The spare oars are locked in the blue shed behind the slipway."
FILLER = " ".join(f"slipway {number % 7}" for number in range(150))


@pytest.mark.slow
def test_the_models_own_tokenizer_tells_what_it_never_reads() -> None:
    desk = EmbeddingDesk(open_embedder(EmbedderSpec()), None)
    other = "Nobody knows where anything is kept, not even the harbour master."
    texts = [f"{FILLER} {ANSWER}", f"{FILLER} {other}", f"{ANSWER} {FILLER}", ANSWER]
    embedded = desk.vectors(texts, "passage")
    assert desk.embedder.limit_tokens == 256
    assert (embedded.tokens > 256).tolist() == [True, True, True, False]
    assert np.array_equal(embedded.vectors[0], embedded.vectors[1])  # what differs lies past the limit
    assert not np.allclose(embedded.vectors[0], embedded.vectors[2], atol=1e-2)
    assert embedded.seen_characters[0] == embedded.seen_characters[1] < len(FILLER)
    assert embedded.seen_characters[3] == len(ANSWER)
    cut_off = truncation(embedded, 256)
    assert cut_off["truncated_chunks"] == 3
    lost = embedded.tokens[:3].sum() - 3 * 256
    assert cut_off["truncated_token_share"] == pytest.approx(lost / embedded.tokens.sum())
    # What is said to be seen is all that the model sees, to the character.
    read = texts[0][: embedded.seen_characters[0]]
    again = desk.vectors([read, read[:-1].rpartition(" ")[0]], "passage")
    assert again.tokens[0] == 256
    assert np.allclose(again.vectors[0], embedded.vectors[0], atol=1e-5)
    assert not np.allclose(again.vectors[1], embedded.vectors[0], atol=1e-5)


def test_a_chunk_past_the_limit_is_counted_and_warned_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("experiments.workbench.open_embedder", lambda spec: HashingEmbedder(limit_tokens=8))
    words = [f"rope{number}" for number in range(20)]
    folder = write_set(
        tmp_path / "ropes",
        {"long.txt": " ".join(words), "short.txt": "rope and tar"},
        [asking("last", "Where is rope19 ?", "long.txt", "rope19")],
    )
    (record,) = measured(folder, {"strategy": "fixed", "unit": "words", "size": 20}).records
    assert record.metrics["truncated_chunks"] == 1
    assert record.metrics["truncated_token_share"] == 12 / 23
    assert record.metrics["tokens_embedded"] == 8 + 3
    (warning,) = record.warnings
    assert warning.startswith("1 of 2 chunks passes the embedder's limit of 8 tokens; 52.2% of all tokens")
