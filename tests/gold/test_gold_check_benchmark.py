"""The benchmark of `gold check` runs, and its page holds the form of what it prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_shows_the_form_of_what_the_benchmark_prints() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "gold_check.py")]
    quick = ["--characters", "20000", "--questions", "40"]
    printed = subprocess.run([*command, *quick], capture_output=True, text=True, check=True).stdout
    page = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    (shown,) = re.findall(r"(?s)<!-- begin: python benchmarks/gold_check.py -->\n(.*?)<!-- end -->", page)
    lines, wanted = printed.splitlines(), shown.strip().splitlines()
    assert lines[:2] == wanted[:2]
    assert [line.split("|")[2].strip() for line in lines[2:]] == ["40", "80", "160"]
    assert [line.count("|") for line in lines] == [line.count("|") for line in wanted]
    copies = [int(line.split("|")[3]) for line in lines[2:]]
    assert all(0 < found < 40 for found in copies)
