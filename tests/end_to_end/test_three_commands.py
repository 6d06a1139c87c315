"""From a folder of files to a leaderboard by the README's three commands, with nothing written by hand."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
import subprocess
from pathlib import Path

import pytest

from .shell import ROOT, Cli

pytestmark = pytest.mark.slow

MANUAL = """\
---
title: Manual of the pump house
year: 2024
---
# Manual of the pump house

## Starting the pump

Open the suction valve before you press the green button beside the pressure gauge. The motor needs eleven
seconds to reach its speed. Close the bypass once the needle stands above four bar.

## Winter

Drain the standpipe before the first night of frost, or the casting cracks along its flange. Keep the heater
of the control cabinet on from November to March. A cracked flange costs more than a winter's electricity.

## Alarms

The amber lamp means that the strainer is clogged and wants to be rinsed with fresh water. The red lamp stops
the motor at once. Ring the duty engineer whenever both lamps burn together.
"""
LETTER = """\
Dear members of the allotment association,

The water rates rise by nine per cent from the first of April onwards. The treasurer explains the reasons at
the spring assembly. Hoses may be used before nine in the morning and after seven in the evening.

Compost is delivered to the northern gate on the second Saturday of each month. Bring your own barrow and
gloves. The shredder stays locked until the insurance company has sent its certificate.
"""
PAGE = """<html><head><title>Ferry</title></head><body><h1>Ferry across the bay</h1>
<h2>Summer timetable</h2><p>The ferry crosses the bay every forty minutes from the old pier at the fish
market. Bicycles travel on the lower deck for free on weekdays. Dogs need a lead and a muzzle.</p>
<h2>Winter timetable</h2><p>In winter the last boat leaves the island shortly before seven o'clock. Storms
cancel every crossing without any notice. Luggage lockers close with the ticket office.</p>
<h2>Lost property</h2><p>Umbrellas and scarves wait in the kiosk beside the northern pier for three months.
After that they are given to the lifeboat station. Telephones go to the harbour police.</p></body></html>
"""
CODE = '''\
"""Valves of the pump house."""


class Valve:
    """One valve."""

    def open_slowly(self, seconds):
        """Open it over some seconds."""
        for second in range(seconds):
            self.turn(second * 0.25)
            self.log(f"turned {second} of {seconds}")
        return self.position == "open"


def pressure_in_bar(readings):
    usable = [reading for reading in readings if reading is not None]
    return sum(usable) / len(usable) / 100_000 if usable else None


def minutes_until_empty(tank_litres, litres_per_minute):
    if litres_per_minute <= 0:
        return None
    return max(0.0, tank_litres / litres_per_minute)


def lamp_colour(pressure, limit=4.5):
    if pressure is None:
        return "amber"
    return "red" if pressure > limit else "green"
'''
PLAIN = (
    "The museum of clocks was founded by a retired stationmaster who never trusted the church tower. "
    "Its oldest exhibit is a water clock of the fourteenth century. Visitors may wind one pendulum each."
)
MINUTES = (
    "The committee agreed to repaint the bandstand in the green of its first photograph. "
    "Scaffolding goes up in the week after the fair. The brass players rehearse in the school meanwhile."
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder that holds `my-documents`, one file of each kind."""
    from docx import Document
    from fpdf import FPDF

    folder = tmp_path / "my-documents"
    (folder / "letters").mkdir(parents=True)
    texts = {"manual.md": MANUAL, "letters/spring.txt": LETTER, "ferry.html": PAGE, "valve.py": CODE}
    texts["members.csv"] = "name,plot\nAnna,12\nBo,7\n"
    texts["events.jsonl"] = '{"day": 1, "what": "opened"}\n{"day": 2, "what": "closed"}\n'
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", size=12)
    pdf.multi_cell(0, 8, PLAIN)
    pdf.output(str(folder / "museum.pdf"))
    minutes = Document()
    minutes.add_heading("Minutes of the park committee", 1)
    minutes.add_paragraph(MINUTES)
    minutes.save(str(folder / "minutes.docx"))
    return tmp_path


def three_commands() -> list[list[str]]:
    """The arguments of the first commands that the README gives for one's own documents."""
    section = (ROOT / "README.md").read_text("utf-8").partition("## Your own documents in five minutes")[2]
    block = re.search(r"(?m)(?:^    chunksweep .*\n)+", section)
    assert block is not None
    return [shlex.split(line, comments=True)[1:] for line in block[0].splitlines()]


def test_three_commands_lead_from_a_folder_to_a_leaderboard(cli: Cli, work: Path) -> None:
    lines = three_commands()
    assert [words[0] for words in lines] == ["gold", "gold", "run"]
    done: list[subprocess.CompletedProcess[str]] = []
    for words in lines:
        done.append(cli(work, *words))
        assert done[-1].returncode == 0, f"{words}: {done[-1].stderr}"
        assert "Traceback" not in done[-1].stderr
    made = [
        json.loads(line) for line in (work / "my-set" / "questions.jsonl").read_text("utf-8").splitlines()
    ]
    assert {row["synthetic"] for row in made} == {"proxy"}
    asked = {row["evidence"][0]["document"].split(".")[0] for row in made}
    assert {"manual", "letters/spring", "ferry", "valve", "museum", "minutes"} <= asked
    assert {tag for row in made for tag in row["tags"]} == {"headings", "cloze"}
    assert f"my-set: {len(made)} proxy questions" in done[1].stdout
    shown = " ".join(done[2].stdout.split())
    assert all(name in shown for name in ("fixed-96", "fixed-192", "recursive-192"))
    assert f"warning: {len(made)} of {len(made)} questions are proxies" in shown
    assert "By proxies alone, with no question that a person asked:" in shown
    with sqlite3.connect(work / "mlflow.db") as database:
        tags = "select count(*), min(value), max(value) from tags where key = 'chunksweep.synthetic'"
        assert database.execute(tags).fetchone() == (5, "proxy", "proxy")  # the launch and its four runs
        params = "select count(*), min(value), max(value) from params where key = 'synthetic'"
        assert database.execute(params).fetchone() == (4, "proxy", "proxy")
        shares = "select min(value), max(value) from latest_metrics where key = 'synthetic_share'"
        assert database.execute(shares).fetchone() == (1.0, 1.0)
    exported = cli(work, "export", "quick", "--format", "json")
    assert f"{len(made)} of {len(made)} questions are proxies" in exported.stderr
    rows = json.loads(exported.stdout)["rows"]
    assert len(rows) == 4
    assert {row["synthetic"] for row in rows} == {"proxy"}
    assert all(row["synthetic_share"] == 1.0 and "are proxies" in row["warnings"] for row in rows)
