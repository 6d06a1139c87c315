"""Late vectors: windows that cover a document, token vectors that are made once, and means over them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.embedders.hashing import HashingEmbedder
from evaluation.embedders.sentence_transformer import SentenceTransformerEmbedder
from evaluation.embedding import EmbedderSpec, TokenVectors, open_embedder
from evaluation.embedding_desk import Embedded, EmbeddingDesk
from evaluation.health import truncation
from evaluation.token_cache import TokenCache, WindowTokens
from evaluation.vectors.late import Late, pool
from evaluation.windows import limit, windows
from strategies.document import Chunk, Document
from strategies.errors import BadInput

LONG = " ".join(f"word{number}" for number in range(100))
ODD = {
    "emoji": "👩‍👩‍👧‍👦 fam 🇨🇭 flag 👍🏽 ok ",
    "cjk": "犬は鎖につなぐこと。門は六時に開く。",
    "crlf": "One line.\r\nTwo lines.\r\n\r\n",
    "combining": "e\u0301te\u0301 nai\u0308ve \u0130stanbul ",
    "control": "be\x00ll \x07and\x1f \u200bzero\ufeff ",
    "unknown": "ꙮꙮꙮ ⵣⵣ 𒀀𒀁 ",
    "one word": "antidisestablishmentarianism",
}


class Counting(HashingEmbedder):
    """Remembers what it was asked token vectors of."""

    def __init__(self, *, limit_tokens: int | None = None, prompt: str = "") -> None:
        super().__init__(limit_tokens=limit_tokens, passage_prompt=prompt)
        self.texts: list[str] = []

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        self.texts += [text for text in texts if not text.startswith("The first call")]
        return super().token_vectors(texts)


def late(embedder: HashingEmbedder, folder: Path | None = None) -> Late:
    return Late(EmbeddingDesk(embedder, folder))


def chunk(text: str, start: int, end: int) -> Chunk:
    return Chunk("a", 0, start, end, text[start:end], 1, text[start:end], (start, end))


def made(maker: Late, text: str, *spans: tuple[int, int]) -> Embedded:
    """With vectors of unit length."""
    return maker.vectors(Document("a", text), [chunk(text, *span) for span in spans]).unit()


class TestPooling:
    VECTORS = np.array([[2, 0], [0, 2], [1, 0], [0, 4]], dtype=np.float32)
    STARTS = np.array([1, 4, 4, 9])

    @pytest.mark.parametrize(
        ("span", "mean"),
        [
            ((0, 12), (3 / 4, 6 / 4)),
            ((1, 4), (2, 0)),
            ((4, 9), (1 / 2, 2 / 2)),  # two tokens start at 4, none at 9 is meant
            ((2, 10), (1 / 3, 6 / 3)),
            ((5, 9), (1, 0)),  # nothing starts inside: the last token that starts before
            ((2, 4), (2, 0)),
            ((0, 1), (2, 0)),  # nothing before either: the first token
            ((10, 12), (0, 4)),
        ],
    )
    @pytest.mark.parametrize("parts", [[4], [1, 3], [2, 2], [0, 1, 1, 0, 2]])
    def test_a_chunk_is_the_mean_of_the_tokens_that_start_in_it(
        self, span: tuple[int, int], mean: tuple[float, float], parts: list[int]
    ) -> None:
        """However the tokens come: a window at a time, or all at once."""
        ends = np.cumsum(parts)
        told = [(self.VECTORS[e - n : e], self.STARTS[e - n : e]) for e, n in zip(ends, parts, strict=True)]
        other = (0, 12)
        found = pool(told, np.array([other, span, other]))
        assert found is not None
        assert found[1].tolist() == pytest.approx(mean)
        assert found[0].tolist() == found[2].tolist()

    def test_without_tokens_there_is_no_vector(self) -> None:
        assert pool([], np.array([[0, 1]])) is None

    def test_long_sums_keep_their_ends(self) -> None:
        vectors = np.full((200_000, 1), 1000.1, dtype=np.float32)
        vectors[-1] = -3
        found = pool([(vectors, np.arange(200_000))], np.array([[199_999, 200_000], [0, 5]]))
        assert found is not None
        assert found.tolist() == [[-3.0], [np.float32(1000.1)]]

    @given(st.data())
    def test_it_is_what_a_loop_would_find(self, data: st.DataObject) -> None:
        starts = np.array(sorted(data.draw(st.lists(st.integers(0, 30), min_size=1, max_size=12))))
        vectors = np.array(
            data.draw(
                st.lists(st.tuples(*[st.integers(-4, 4)] * 3), min_size=len(starts), max_size=len(starts))
            ),
            dtype=np.float32,
        )
        spans = data.draw(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), min_size=1, max_size=6))
        ranges = np.array([(start, start + length) for start, length in spans])
        cut = data.draw(st.integers(0, len(starts)))
        found = pool([(vectors[:cut], starts[:cut]), (vectors[cut:], starts[cut:])], ranges)
        expected = []
        for start, end in ranges:
            inside = vectors[(starts >= start) & (starts < end)]
            before = vectors[starts <= start]
            expected.append(inside.mean(axis=0) if len(inside) else before[-1] if len(before) else vectors[0])
        assert found is not None
        assert found == pytest.approx(np.array(expected), abs=1e-6)


def check_windows(text: str, embedder: HashingEmbedder | SentenceTransformerEmbedder) -> None:
    """Every window keeps to the limit; together they cover the text, and part its tokens among them."""
    found = windows(text, embedder)
    if not len(embedder.token_offsets(text)):
        assert found == ()
        return
    assert (found[0].start, found[0].first) == (0, 0)
    assert (found[-1].end, found[-1].last) == (len(text), len(text))
    for one, following in pairwise(found):
        assert one.start < following.start <= one.end
        assert following.start <= one.last == following.first <= one.end
    for one in found:
        assert one.start <= one.first < one.last <= one.end
        given = embedder.prompt("passage") + text[one.start : one.end]
        assert embedder.sizes([given]).tokens[0] <= limit(embedder)


class TestWindows:
    def test_each_token_stands_in_the_window_that_holds_most_around_it(self) -> None:
        """Windows of 16 words, of which the next repeats 4: half of them belong to each."""
        starts = HashingEmbedder().token_offsets(LONG)[:, 0].tolist()
        found = [
            tuple(starts.index(place) if place < len(LONG) else 100 for place in window)
            for window in windows(LONG, HashingEmbedder(limit_tokens=16))
        ]
        assert found[:2] == [(0, 16, 0, 14), (12, 28, 14, 26)]
        assert found[-1] == (96, 100, 98, 100) if found[-1][0] == 96 else found[-1][1] == 100
        for number in range(100):
            (own,) = (w for w in found if w[2] <= number < w[3])

            def room(window: Sequence[int], number: int = number) -> float:
                left = float("inf") if window[0] == 0 else number - window[0]
                right = float("inf") if window[1] == 100 else window[1] - 1 - number
                return min(left, right)

            holding = [w for w in found if w[0] <= number < w[1]]
            if found[-1] not in holding:  # its far edge is the end of the text, and no edge
                assert room(own) == max(map(room, holding))

    def test_the_prompt_takes_room_in_every_window(self) -> None:
        text, embedder = LONG, HashingEmbedder(limit_tokens=16, passage_prompt="search document: ")
        assert len(text[: windows(text, embedder)[0].end].split()) == 13
        check_windows(text, embedder)

    def test_a_text_that_fits_has_one_window(self) -> None:
        assert windows("  one two \n", HashingEmbedder(limit_tokens=8)) == ((0, 11, 0, 11),)

    @pytest.mark.parametrize("text", ["", " \n\t "])
    def test_a_text_without_tokens_has_none(self, text: str) -> None:
        assert windows(text, HashingEmbedder(limit_tokens=8)) == ()

    @given(st.text(max_size=300), st.integers(8, 20), st.sampled_from(["", "passage: "]))
    def test_they_cover_any_text(self, text: str, limit: int, prompt: str) -> None:
        check_windows(text, HashingEmbedder(limit_tokens=limit, passage_prompt=prompt))

    def test_a_model_without_a_limit_has_windows_of_bounded_length(self) -> None:
        found = windows("a " * 20_000, HashingEmbedder())
        assert [window.end - window.start for window in found[:2]] == [2 * 8192] * 2

    def test_windows_are_shortened_where_cut_words_take_more_tokens(self) -> None:
        class Joining(HashingEmbedder):
            """Reads `...` as one token, and one that is cut off as one a dot."""

            def token_offsets(self, text: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
                return np.array([(i, i + 2) for i in range(0, len(text), 2)]).reshape(-1, 2)

        embedder = Joining(limit_tokens=8)  # each of its two dots is a word
        check_windows("." * 100, embedder)
        assert windows("." * 100, embedder)[0].end == 8
        assert len(windows("." * 400, embedder)) < 4.2 * len(windows("." * 100, embedder))


class TestVectors:
    def test_worked_by_hand(self) -> None:
        """Red and blue in one chunk of a document of two windows or one: their mean."""
        text = "red blue, red"
        words = {word: HashingEmbedder().embed([word])[0] for word in ("red", "blue", ",")}
        found = made(late(HashingEmbedder()), text, (0, 8), (9, 13), (0, 13), (1, 3))
        assert found.vectors[0] == pytest.approx((words["red"] + words["blue"]) / np.sqrt(2))
        assert found.vectors[1].tolist() == words["red"].tolist()
        assert found.vectors[2] == pytest.approx((2 * words["red"] + words["blue"] + words[","]) / np.sqrt(6))
        assert found.vectors[3].tolist() == words["red"].tolist()  # inside a word: that word

    def test_words_have_one_vector_wherever_they_stand_so_windows_do_not_show(self) -> None:
        spans = [(start, min(len(LONG), start + 70)) for start in range(0, len(LONG), 40)]
        whole = made(late(HashingEmbedder()), LONG, *spans)
        cut = made(late(HashingEmbedder(limit_tokens=16, passage_prompt="a b c ")), LONG, *spans)
        assert cut.vectors == pytest.approx(whole.vectors, abs=1e-6)

    @settings(max_examples=60)
    @given(st.text(min_size=1, max_size=200), st.data())
    def test_any_text_and_chunks_give_unit_vectors(self, text: str, data: st.DataObject) -> None:
        starts = data.draw(st.lists(st.integers(0, len(text) - 1), min_size=1, max_size=5))
        spans = [(start, data.draw(st.integers(start + 1, len(text)))) for start in starts]
        found = made(late(HashingEmbedder(limit_tokens=8)), text, *spans)
        assert found.vectors.shape == (len(spans), 256)
        assert np.isfinite(found.vectors).all()
        lengths = np.linalg.norm(found.vectors, axis=1)
        # A word stands for +1 or -1 of a bucket: two of them may cancel, and a text of blanks has none.
        assert ((np.abs(lengths - 1) < 1e-5) | (lengths == 0)).all()
        if text.strip() and len(set(text.lower().split())) == 1:
            assert (lengths > 0).all()

    def test_a_lone_surrogate_is_embedded_as_what_stands_for_it(self) -> None:
        assert late(HashingEmbedder()).texts(Document("a", "\ud800"), [chunk("\ud800", 0, 1)]) == ["\ufffd"]
        found = made(late(HashingEmbedder()), "a \ud800 b", (0, 5))
        assert np.linalg.norm(found.vectors[0]) == pytest.approx(1)

    def test_a_document_without_tokens_is_like_no_question(self) -> None:
        found = made(late(HashingEmbedder()), " \n ", (0, 3))
        assert (found.vectors.shape, found.vectors.any(), found.windows) == ((1, 256), False, 0)


class TestCosts:
    def test_all_windows_are_charged_whatever_the_chunks(self) -> None:
        embedder = Counting(limit_tokens=16, prompt="passage: ")
        maker = late(embedder)
        cut = windows(LONG, embedder)
        expected = sum(int(embedder.sizes(["passage: " + LONG[w.start : w.end]]).tokens[0]) for w in cut)
        assert expected > 100 + 2 * len(cut)
        for spans in (
            [(0, len(LONG))],
            [(n, n + 3) for n in range(0, 600, 3)],
            [(5, 9), (5, 60), (300, 301)],
        ):
            found = made(maker, LONG, *spans)
            assert found.tokens.sum() == expected
            assert (found.tokens >= 0).all()
            assert found.embed_ms.sum() == pytest.approx(made(maker, LONG, (3, 4)).embed_ms.sum())
            assert (found.embed_ms > 0).all()
            assert found.windows == len(cut)
            assert found.seen_characters.tolist() == [end - start for start, end in spans]
            assert found.same_machine

    def test_chunks_share_the_cost_by_their_length(self) -> None:
        found = made(late(HashingEmbedder()), "one two three four five six", (0, 3), (3, 27))
        assert found.tokens.tolist() == [1, 5]

    def test_nothing_is_truncated_and_windows_are_counted(self) -> None:
        maker = late(Counting(limit_tokens=16))
        parts = [made(maker, LONG, (0, len(LONG))), made(maker, "short", (0, 5))]
        told = truncation(Embedded.join(parts), maker.limit_tokens)
        assert (told["truncated_chunks"], told["truncated_token_share"]) == (0, 0)
        assert told["late_windows"] == len(windows(LONG, Counting(limit_tokens=16))) + 1
        assert told["tokens_embedded"] == sum(int(part.tokens.sum()) for part in parts)

    def test_direct_vectors_have_no_windows(self) -> None:
        found = EmbeddingDesk(HashingEmbedder(), None).vectors(["red"], "passage")
        assert "late_windows" not in truncation(Embedded.join([found, found]), None)

    def test_times_of_another_machine_do_not_compare(self, tmp_path: Path) -> None:
        made(late(Counting(), tmp_path), LONG, (0, 5))
        again = late(Counting(), tmp_path)
        again.desk.machine = "another processor x64"
        assert not made(again, LONG, (0, 5)).same_machine


class TestDesk:
    def test_each_window_is_embedded_once(self, tmp_path: Path) -> None:
        embedder = Counting(limit_tokens=16)
        maker = late(embedder, tmp_path)
        document = Document("a", LONG)
        chunks = [chunk(LONG, 0, 50), chunk(LONG, 30, 90)]
        told: list[tuple[int, int]] = []
        for some in (chunks, chunks[:1], chunks):
            maker.desk.prepare(maker.texts(document, some), "passage", lambda *seen: told.append(seen))
            maker.vectors(document, some)
        count = len(windows(LONG, embedder))
        assert sorted(embedder.texts) == sorted(maker.texts(document, chunks))
        assert maker.desk.traffic.line() == (
            f"windows: {3 * count} asked, {count} distinct, 0 from cache, {count} embedded"
        )
        assert told[-1][0] == told[-1][1] > 100
        again = Counting(limit_tokens=16)
        resumed = late(again, tmp_path)
        assert resumed.desk.missing(resumed.texts(document, chunks), "passage") == []
        resumed.desk.prepare(resumed.texts(document, chunks), "passage")
        assert np.array_equal(
            resumed.vectors(document, chunks).vectors, maker.vectors(document, chunks).vectors
        )
        assert again.texts == []
        assert resumed.desk.traffic.from_cache == count

    def test_a_document_without_chunks_costs_nothing(self) -> None:
        assert late(Counting()).texts(Document("a", LONG), []) == []

    def test_the_cache_lies_beside_that_of_vectors(self, tmp_path: Path) -> None:
        desk = EmbeddingDesk(HashingEmbedder(), tmp_path)
        maker = Late(desk)
        assert desk.cache.path is not None
        name = desk.cache.path.name.replace("-as-given", "-tokens")
        assert name != desk.cache.path.name
        assert maker.desk.cache.path == desk.cache.path.with_name(name)

    @pytest.mark.parametrize("column", ["vectors", "starts", "tokens", "embed_ms", "machine"])
    def test_a_damaged_window_is_embedded_anew(self, tmp_path: Path, column: str) -> None:
        maker = late(Counting(limit_tokens=16), tmp_path)
        before = made(maker, LONG, (0, 50), (60, 300))
        assert maker.desk.cache.path is not None
        with sqlite3.connect(maker.desk.cache.path) as database:
            number = column in ("tokens", "embed_ms")
            changed = f"{column} + 1" if number else "zeroblob(8)"
            row = "(select rowid from windows limit 1)"
            database.execute(f"update windows set {column} = {changed} where rowid = {row}")
        embedder = Counting(limit_tokens=16)
        again = late(embedder, tmp_path)
        again.desk.prepare(again.texts(Document("a", LONG), [chunk(LONG, 0, 5)]), "passage")
        after = made(again, LONG, (0, 50), (60, 300))
        assert np.array_equal(before.vectors, after.vectors)
        assert np.array_equal(before.tokens, after.tokens)
        assert len(embedder.texts) == again.desk.traffic.embedded == 1
        assert again.desk.traffic.from_cache == len(windows(LONG, embedder)) - 1

    def test_a_file_that_is_no_database_is_begun_anew(self, tmp_path: Path) -> None:
        path = tmp_path / "cache.sqlite"
        path.write_bytes(b"no database" * 1000)
        cache = TokenCache(path)
        window = WindowTokens(np.ones((2, 3), np.float32), np.array([0, 4]), 4, 1.5, "here")
        cache.put({b"a": window})
        found = cache.get([b"a"])[b"a"]
        assert (found.vectors.tolist(), found.starts.tolist(), found[2:]) == (
            [[1.0] * 3] * 2,
            [0, 4],
            (4, 1.5, "here"),
        )
        assert cache.pace("here") == 1.5 / 4
        assert cache.pace("there") is None

    def test_a_window_without_tokens_is_kept_too(self, tmp_path: Path) -> None:
        cache = TokenCache(tmp_path / "cache.sqlite")
        cache.put({b"a": WindowTokens(np.zeros((0, 3), np.float32), np.zeros(0, np.int64), 2, 1.0, "here")})
        assert len(cache.get([b"a"])[b"a"].vectors) == 0

    def test_a_disk_that_refuses_costs_time_and_no_memory(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("evaluation.token_desk.BATCH_TOKENS", 32)
        made(late(Counting(limit_tokens=16), tmp_path), "other", (0, 5))
        embedder = Counting(limit_tokens=16)
        maker = late(embedder, tmp_path)
        maker.desk.cache._file._database = sqlite3.connect(
            f"file:{maker.desk.cache.path}?mode=ro", uri=True, check_same_thread=False
        )
        document, chunks = Document("a", LONG), [chunk(LONG, 0, 50)]
        plain = made(late(HashingEmbedder(limit_tokens=16)), LONG, (0, 50))
        count = len(windows(LONG, embedder))
        for _ in range(2):
            maker.desk.prepare(maker.texts(document, chunks), "passage")
            found = maker.vectors(document, chunks).unit()
            assert np.array_equal(found.vectors, plain.vectors)
            assert found.tokens.tolist() == plain.tokens.tolist()
        assert not maker.desk.cache.writable
        assert maker.desk.cache._file._unwritten == {}
        assert len(embedder.texts) == 2 + 2 * count  # a batch to find out, then all for each that needs them


class TestRefusals:
    def folder(self, tmp_path: Path, *kinds: str, tokenizer: bool = True) -> Path:
        modules = [{"idx": n, "path": str(n), "type": kind} for n, kind in enumerate(kinds)]
        (tmp_path / "modules.json").write_text(json.dumps(modules))
        (tmp_path / "0").mkdir()
        for name in ("model.safetensors", "vocab.txt"):
            (tmp_path / "0" / name).touch()
        if tokenizer:
            (tmp_path / "tokenizer.json").write_text("{}")
        return tmp_path

    @pytest.mark.parametrize(
        ("kinds", "tokenizer", "why"),
        [
            (("Transformer", "Pooling", "Dense", "Normalize"), True, "puts Dense after its transformer"),
            (("StaticEmbedding",), True, "begins with StaticEmbedding"),
            (("Transformer", "Pooling"), False, "has no fast tokenizer"),
        ],
    )
    def test_a_model_that_cannot_is_named_without_loading_it(
        self, tmp_path: Path, kinds: tuple[str, ...], tokenizer: bool, why: str
    ) -> None:
        names = [f"sentence_transformers.models.{kind}" for kind in kinds]
        folder = self.folder(tmp_path, *names, tokenizer=tokenizer)
        embedder = open_embedder(EmbedderSpec(model=str(folder)))
        with pytest.raises(BadInput, match=f"late vectors need vectors of tokens, but {folder} {why}"):
            Late(EmbeddingDesk(embedder, None))

    def test_a_prompt_that_leaves_no_room_is_refused(self) -> None:
        embedder = HashingEmbedder(
            limit_tokens=16, passage_prompt="one two three four five six seven eight nine"
        )
        with pytest.raises(BadInput, match=r"at least 8 tokens, but hashing takes 16, .* leave 7"):
            late(embedder)


@pytest.fixture(scope="module")
def minilm() -> SentenceTransformerEmbedder:
    embedder = open_embedder(EmbedderSpec())
    assert isinstance(embedder, SentenceTransformerEmbedder)
    return embedder


@pytest.fixture(scope="module")
def bytewise(tmp_path_factory: pytest.TempPathFactory) -> SentenceTransformerEmbedder:
    """Reads 32 tokens, one a byte: a character of several tokens has them all start where it does."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    folder = tmp_path_factory.mktemp("bytewise")
    tokens = ["<s>", "</s>", "<pad>", "<unk>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    kinds = {"": "Transformer", "1_Pooling": "Pooling"}
    modules = [
        {"idx": n, "name": str(n), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for n, (path, kind) in enumerate(kinds.items())
    ]
    (folder / "1_Pooling").mkdir()
    for name, content in {
        "modules.json": modules,
        "sentence_bert_config.json": {"max_seq_length": 32},
        "1_Pooling/config.json": {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True},
    }.items():
        (folder / name).write_text(json.dumps(content))
    (folder / "model.safetensors").touch()  # what it holds comes later, where it is needed
    embedder = open_embedder(EmbedderSpec(model=str(folder), passage_prompt="p: "))
    assert isinstance(embedder, SentenceTransformerEmbedder)
    return embedder


@pytest.mark.parametrize("kind", ODD)
def test_windows_end_between_characters_of_several_tokens(
    kind: str, bytewise: SentenceTransformerEmbedder
) -> None:
    text = ODD[kind] * 20
    check_windows(text, bytewise)
    assert len(windows(text, bytewise)) > 5


@pytest.mark.parametrize("kind", ODD)
def test_windows_of_a_real_tokenizer_cover_odd_texts(kind: str, minilm: SentenceTransformerEmbedder) -> None:
    """Needs the tokenizer alone, which is quick to load."""
    text = ODD[kind] * (4000 // len(ODD[kind]))
    check_windows(text, minilm)
    own: list[int] = []
    for window in windows(text, minilm):
        starts = minilm.token_offsets(text[window.start : window.end])[:, 0] + window.start
        own += starts[(starts >= window.first) & (starts < window.last)].tolist()
    expected = minilm.token_offsets(text)[:, 0].tolist()
    if kind != "one word":  # cut anywhere, its rest is read as other pieces
        assert own == expected


@pytest.mark.slow
class TestMiniLM:
    TEXT = "The gate opens at six. Dogs stay on a lead, and fishing needs a card from Ann."

    def test_token_vectors_are_the_models_own(self, minilm: SentenceTransformerEmbedder) -> None:
        odd = ["".join(ODD.values()), self.TEXT, "word " * 400, "\x00"]
        found = minilm.token_vectors(odd)
        theirs = minilm._model.encode(odd, output_value="token_embeddings", prompt="", batch_size=len(odd))
        for text, own, other in zip(odd, found, theirs, strict=True):
            assert own.vectors == pytest.approx(other.numpy()[1:-1], abs=1e-6)
            assert own.offsets.tolist() == minilm.token_offsets(text)[:254].tolist()

    def test_a_chunk_of_all_is_the_mean_of_all_tokens(self, minilm: SentenceTransformerEmbedder) -> None:
        found = Late(EmbeddingDesk(minilm, None)).vectors(
            Document("a", self.TEXT), [chunk(self.TEXT, 0, len(self.TEXT)), chunk(self.TEXT, 23, 43)]
        )
        theirs = minilm._model.encode([self.TEXT], output_value="token_embeddings", prompt="")[0].numpy()[
            1:-1
        ]
        assert found.vectors[0] == pytest.approx(theirs.mean(axis=0), abs=1e-6)
        assert found.tokens.sum() == len(theirs) + 2
        alone = minilm.embed(["Dogs stay on a lead,"])[0]
        assert 0.3 < float(found.unit().vectors[1] @ alone) < 0.99  # the same words, read in other company

    def test_a_prompt_is_read_and_not_pooled(self, minilm: SentenceTransformerEmbedder) -> None:
        prompted = open_embedder(EmbedderSpec(passage_prompt="passage: "))
        chunks = [chunk(self.TEXT, 0, len(self.TEXT))]
        found = Late(EmbeddingDesk(prompted, None)).vectors(Document("a", self.TEXT), chunks)
        theirs = minilm._model.encode(["passage: " + self.TEXT], output_value="token_embeddings", prompt="")[
            0
        ].numpy()[3:-1]  # [CLS] passage :
        assert found.vectors[0] == pytest.approx(theirs.mean(axis=0), abs=1e-6)

    def test_a_model_of_another_kind(self, bytewise: SentenceTransformerEmbedder) -> None:
        """Without weights that mean anything, of bytes, and padded on the left."""
        from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaModel

        folder = bytewise._folder
        PreTrainedTokenizerFast(
            tokenizer_file=str(folder / "tokenizer.json"), pad_token="<pad>", unk_token="<unk>",
            bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>", padding_side="left",
        ).save_pretrained(folder)  # fmt: skip
        RobertaModel(
            RobertaConfig(
                vocab_size=260, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
                intermediate_size=8, max_position_embeddings=40, pad_token_id=2, type_vocab_size=1,
            )
        ).save_pretrained(folder)  # fmt: skip
        texts = ["p: a \N{THUMBS UP SIGN} b", "p: much more text than fits into all 32 tokens", "p: c"]
        together = bytewise.token_vectors(texts)
        for text, found in zip(texts, together, strict=True):
            assert found.offsets.tolist() == bytewise.token_offsets(text)[:30].tolist()
            assert found.vectors == pytest.approx(bytewise.token_vectors([text])[0].vectors, abs=1e-5)
        document = Document("a", "c d " * 30)
        chunks = [chunk(document.text, start, start + 10) for start in range(0, 110, 10)]
        found = Late(EmbeddingDesk(bytewise, None)).vectors(document, chunks)
        assert np.linalg.norm(found.unit().vectors, axis=1) == pytest.approx(1)
        assert not np.allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-3)  # as the model gives them
