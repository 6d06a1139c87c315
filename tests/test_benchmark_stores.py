"""The benchmark of stores runs, and measures what a sweep may name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.stores import STORES

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "stores.py"


@pytest.mark.slow
def test_every_vector_type_of_a_store_is_a_row() -> None:
    command = [sys.executable, str(SCRIPT), "--chunks", "400", "--queries", "5", "--only", "exact", "faiss"]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert (told["chunks"], told["dim"]) == (400, 384)
    types = {row["vector_type"] for row in told["rows"] if row["store"] == "exact"}
    assert types == set(STORES["exact"].vector_types)
    for row in told["rows"]:
        assert 0 < row["recall"] <= 1
        assert row["stored"]["on_disk"] >= row["stored"]["vectors"] > 0
        assert min(row["build_ms"], *row["search_ms"], *row["clients_ms"]) > 0
    recalls = {(row["store"], row["vector_type"]): row["recall"] for row in told["rows"]}
    assert recalls["exact", "float32"] == recalls["faiss flat", "float32"] == 1
