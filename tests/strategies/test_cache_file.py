"""The file behind the caches: what its two users, vectors and answers, do not try themselves."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from strategies.cache_file import CacheFile

COLUMNS = {"text": "text", "number": "integer"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept.sqlite"


def test_a_table_of_another_making_is_left_alone(path: Path) -> None:
    """Nothing of it can be read or written, and it is no damage: it stays for whoever made it."""
    with sqlite3.connect(path) as database:
        database.execute("create table kept (key blob primary key, other text)")
        database.execute("insert into kept values (x'61', 'theirs')")
    database.close()
    cache = CacheFile(path, "kept", COLUMNS)
    assert cache.get([b"a"]) == {}
    cache.put({b"a": ("ours", 1)})
    assert not cache.writable
    assert cache.get([b"a"]) == {b"a": ("ours", 1)}
    cache.close()
    with sqlite3.connect(path) as database:
        assert database.execute("select other from kept").fetchall() == [("theirs",)]
    database.close()
    assert list(path.parent.glob("*.damaged")) == []


@pytest.mark.parametrize("text", ["", "漢\x00字", "x" * 100_000, "it's; drop table kept"])
def test_any_text_comes_back(path: Path, text: str) -> None:
    cache = CacheFile(path, "kept", COLUMNS)
    cache.put({b"a": (text, 7)})
    cache.close()
    again = CacheFile(path, "kept", COLUMNS)
    assert again.get([b"a"]) == {b"a": (text, 7)}
    again.close()


def test_a_value_of_another_type_is_damage(path: Path) -> None:
    cache = CacheFile(path, "kept", COLUMNS)
    cache.put({b"a": ("12", 7)})
    with sqlite3.connect(path) as database:
        database.execute("update kept set number = '7x'")
    database.close()
    assert cache.get([b"a"]) == {}
    cache.close()


def test_who_comes_after_it_was_closed_finds_nothing_and_damages_nothing(path: Path) -> None:
    cache = CacheFile(path, "kept", COLUMNS)
    cache.put({b"a": ("before", 7)})
    cache.close()
    assert cache.get([b"a"]) == {}
    assert cache.known([b"a"]) == set()
    cache.put({b"b": ("after", 8)})
    cache.close()
    assert [file.name for file in path.parent.glob("*.damaged")] == []
    again = CacheFile(path, "kept", COLUMNS)
    assert again.get([b"a", b"b"]) == {b"a": ("before", 7)}
    again.close()


def test_threads_share_it(path: Path) -> None:
    cache = CacheFile(path, "kept", COLUMNS)
    faults: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(40):
                key = f"{number}-{turn}".encode()
                cache.put({key: ("text", turn)})
                assert cache.get([key]) == {key: ("text", turn)}
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert cache.writable
    assert len(cache.known([f"{number}-{turn}".encode() for number in range(4) for turn in range(40)])) == 160
    cache.close()
