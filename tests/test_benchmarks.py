"""The benchmarks run: what they measure is for an idle machine to say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from strategies import STRATEGIES

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "splitting.py"


def test_every_strategy_that_asks_for_nothing_is_timed() -> None:
    command = [
        sys.executable,
        str(SCRIPT),
        "--characters",
        "3000",
        "--repeats",
        "1",
        "--no-libraries",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    named = {row["name"] for row in result["rows"]}
    assert named == {name for name, cls in STRATEGIES.items() if not cls.needs} | {"tiktoken encode_ordinary"}
    assert all(row["mb_a_second"] > 0 for row in result["rows"])
    asked = {bar["what"] for bar in result["bars"]}
    assert {"fixed: nine splits / one sweep of nine", "markdown: twice the text / the text"} <= asked
