"""The cache on disk: what goes in comes out, whoever else is at it and whatever happened to the file."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.vector_cache import Entry, VectorCache, key_of
from strategies.errors import BadInput


def entry(value: float, ms: float = 2.0, machine: str = "here") -> Entry:
    return Entry(np.full(4, value, dtype=np.float32), 7, 21, ms, machine)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors" / "model.sqlite"


def test_what_goes_in_comes_out_after_reopening(path: Path) -> None:
    first = VectorCache(path)
    first.put({b"a": entry(0.25), b"b": entry(0.5)})
    first.close()
    found = VectorCache(path).get([b"a", b"missing", b"b", b"a"])
    assert set(found) == {b"a", b"b"}
    assert found[b"b"].vector.tolist() == [0.5] * 4
    assert found[b"a"][1:] == (7, 21, 2.0, "here")


def test_more_keys_than_one_query_takes(path: Path) -> None:
    cache = VectorCache(path)
    entries = {f"{number}".encode(): entry(float(number)) for number in range(1203)}
    cache.put(entries)
    assert cache.known(list(entries)) == set(entries)
    assert {key: found.vector[0] for key, found in cache.get(entries).items()} == {
        key: float(key) for key in entries
    }


def test_a_damaged_entry_is_not_served(path: Path) -> None:
    cache = VectorCache(path)
    cache.put({b"a": entry(0.25), b"b": entry(0.5)})
    with sqlite3.connect(path) as database:
        database.execute(
            "update vectors set vector = ? where key = ?",
            (np.full(4, 9, dtype="<f4").tobytes(), b"a"),
        )
    assert set(cache.get([b"a", b"b"])) == {b"b"}


@pytest.mark.parametrize("column", ["tokens", "seen_characters", "embed_ms", "machine"])
def test_what_is_kept_beside_a_vector_is_checked_too(path: Path, column: str) -> None:
    cache = VectorCache(path)
    cache.put({b"a": entry(0.25)})
    with sqlite3.connect(path) as database:
        database.execute(f"update vectors set {column} = 99")
    assert cache.get([b"a"]) == {}


def test_a_file_damaged_in_the_middle_is_put_aside_when_it_shows(path: Path) -> None:
    cache = VectorCache(path)
    cache.put({f"{number}".encode(): entry(float(number)) for number in range(2000)})
    cache.close()
    content = bytearray(path.read_bytes())
    content[8192:-4096] = b"\x5a" * (len(content) - 12288)
    path.write_bytes(content)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    cache = VectorCache(path)
    keys = [f"{number}".encode() for number in range(2000)]
    assert len(cache.get(keys)) < 2000
    cache.put({b"new": entry(1.0)})
    assert set(cache.get([b"new"])) == {b"new"}
    assert path.with_suffix(".damaged").exists()


def test_a_file_that_is_no_database_is_put_aside(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this was a database once" * 100)
    cache = VectorCache(path)
    cache.put({b"a": entry(1.0)})
    assert set(cache.get([b"a"])) == {b"a"}
    assert path.with_suffix(".damaged").exists()


def test_a_disk_that_refuses_costs_the_cache_and_nothing_else(path: Path) -> None:
    VectorCache(path).close()
    cache = VectorCache(path)
    cache._file._database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    cache.put({b"a": entry(1.0)})
    assert not cache.writable
    assert set(cache.get([b"a"])) == {b"a"} == cache.known([b"a"])


def test_a_folder_that_cannot_be_made_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(BadInput, match="--cache-dir"):
        VectorCache(tmp_path / "file" / "model.sqlite")


def test_several_processes_write_at_once(path: Path) -> None:
    code = (
        "import sys, numpy as np; from pathlib import Path;"
        "from evaluation.vector_cache import VectorCache, Entry;"
        "cache = VectorCache(Path(sys.argv[1]));"
        "[cache.put({f'{sys.argv[2]}-{n}'.encode(): Entry(np.zeros(4, np.float32), 1, 1, 1.0, 'm')}) "
        "for n in range(50)];"
        "sys.exit(not cache.writable)"
    )
    workers = [subprocess.Popen([sys.executable, "-c", code, str(path), str(number)]) for number in range(4)]
    assert [worker.wait() for worker in workers] == [0, 0, 0, 0]
    keys = [f"{worker}-{number}".encode() for worker in range(4) for number in range(50)]
    assert VectorCache(path).known(keys) == set(keys)


def test_pace_is_that_of_this_machine(path: Path) -> None:
    cache = VectorCache(path)
    assert cache.pace("here") is None
    cache.put({b"a": entry(1.0, ms=14.0), b"b": entry(1.0, ms=700.0, machine="elsewhere")})
    assert cache.pace("here") == 2.0


@given(st.text(), st.text(), st.text(), st.text())
def test_keys_tell_prompt_and_text_apart(prompt: str, text: str, other_prompt: str, other_text: str) -> None:
    same = (prompt, text) == (other_prompt, other_text)
    assert (key_of(prompt, text) == key_of(other_prompt, other_text)) == same


def test_a_prompt_is_not_part_of_the_text() -> None:
    assert key_of("query: ", "red") != key_of("", "query: red")
