"""Questions that no person wrote are marked in every table, and data that changed are never compared."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from evaluation.gold.provenance import provenance_warnings
from experiments.cli.app import run
from experiments.cli.run_command import as_json, show
from experiments.exports import FORMATS, write_table
from experiments.matrix import by_group
from experiments.mlflow_tracker.writing import write_record
from experiments.planning import make_plan
from experiments.records import RunRecord
from experiments.results import BY_PROXIES, Judging, SweepResult, judge
from experiments.runner import prepare
from experiments.sweep import read_sweep
from experiments.tables import long, wide
from experiments.tracking import NullTracker

HEADLINE = "context_recall_at_16_tokens"
PROXIES = "12 of 12 questions are proxies, made of the documents' own words"


def record(
    name: str, scores: Sequence[float], made: Sequence[str | None] = ("proxy",) * 12, **more: Any
) -> RunRecord:
    """A configuration whose questions were made like this; None: recorded by an older version."""
    rows = tuple(
        {"question_id": f"q{place}", "question": "?", "tags": ["t"], "unit": place, HEADLINE: score}
        | ({"miss": "split"} if score < 1 else {"miss": None})
        | ({} if how is None else {"synthetic": how})
        for place, (score, how) in enumerate(zip(scores, made, strict=True))
    )
    metrics = {HEADLINE: sum(scores) / len(scores), "chunks": 3, "tokens_embedded": 9, "stored_bytes": 9}
    found = tuple(
        {"question_id": row["question_id"], "chunks": [], "scores": [], "relevant": []} for row in rows
    )
    values: dict[str, Any] = {
        "metrics": metrics,
        "questions": rows,
        "retrieved": found,
        "config": {"settings": {"miss_budget": 16, "ks": [1]}},
    }
    return RunRecord(f"{name}-0123456789", name, "finished", **{**values, **more})


def judged(*records: RunRecord, **judging: Any) -> SweepResult:
    ids = tuple(dict.fromkeys(one.config_id for one in records))
    return judge("mine", Judging(HEADLINE, 0.02, None, 7, 1, ids, **judging), records)


GOOD, BAD = [1.0] * 12, [0.0] * 12


@pytest.fixture
def result() -> SweepResult:
    return judged(record("good", GOOD), record("bad", BAD))


def test_the_leaderboard_warns_and_the_recommendation_says_it_itself(result: SweepResult) -> None:
    assert result.recommendation.name == "good"
    assert result.recommendation.sentence.startswith(f"{BY_PROXIES} Recommended: good (mean 1.000)")
    file = io.StringIO()
    show(Console(file=file, width=300), result, "mlruns", "")
    assert f"warning: {PROXIES}: they rank cuts only roughly." in file.getvalue()
    assert f"{BY_PROXIES} Recommended" in file.getvalue()
    told = json.loads(as_json(result))
    assert told["notes"][0].startswith(PROXIES)
    assert all(row["warnings"].startswith(PROXIES) for row in told["configurations"])


def test_the_sentence_itself_says_how_many_questions_are_proxies() -> None:
    made = ["proxy"] * 11 + [""]
    result = judged(record("good", GOOD, made), record("bad", BAD, made))
    told = "Recommended by 12 questions, 11 of them proxies: good (mean 1.000)"
    assert result.recommendation.sentence.startswith(told)
    half = judged(record("one", [1.0, 0.0] * 6, made), record("two", [0.0, 1.0] * 6, made))
    assert half.recommendation.sentence.startswith("Cannot tell from 12 questions, 11 of them proxies: ")
    assert result.notes[0].startswith("11 of 12 questions are proxies")


def test_questions_of_a_model_have_a_milder_sentence() -> None:
    made = ["model"] * 12
    result = judged(record("good", GOOD, made), record("bad", BAD, made))
    assert result.recommendation.sentence.startswith("Recommended: good")
    assert result.notes[0].startswith("12 of 12 questions are by a language model")
    assert "rank cuts only roughly" not in "".join(result.notes)


def test_with_a_split_the_questions_that_choose_decide_what_the_sentence_says() -> None:
    made = ["proxy"] * 6 + [""] * 6
    kept = tuple(f"q{place}" for place in range(6, 12))
    result = judged(record("good", GOOD, made), record("bad", BAD, made), test_questions=kept)
    assert result.recommendation.sentence.startswith(BY_PROXIES)
    turned = judged(record("good", GOOD, made[::-1]), record("bad", BAD, made[::-1]), test_questions=kept)
    assert not turned.recommendation.sentence.startswith(BY_PROXIES)
    assert result.notes[0].startswith("6 of 12 questions are proxies")


@pytest.mark.parametrize("made", [("",) * 12, (None,) * 12], ids=["people", "older records"])
def test_questions_of_people_are_not_marked(made: Sequence[str | None]) -> None:
    result = judged(record("good", GOOD, made), record("bad", BAD, made))
    assert result.provenance == ()
    assert not any("proxies" in note or "language model" in note for note in result.notes)
    assert set(result.table["warnings"]) == {None}
    assert set(result.questions["synthetic"]) == {None}
    assert RunRecord.from_json(record("good", GOOD, made).to_json()) == record("good", GOOD, made)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_of_a_file_holds_the_warning(result: SweepResult, format: str, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    for table, word in ((result.table, PROXIES), (result.questions, "proxy"), (result.retrieved, "proxy")):
        path = tmp_path / "table"
        write_table(table, FORMATS[format], path)
        text = str(pq.read_table(path).to_pylist()) if format == "parquet" else path.read_text("utf-8")
        assert word in text.replace("\\'", "'")


def test_one_row_a_question_tells_how_it_was_made() -> None:
    made = ["proxy", "model", "", None] * 3
    rows = list(long([record("mixed", GOOD, made)]).rows())
    assert [row["synthetic"] for row in rows if row["metric"] == HEADLINE] == [
        "proxy",
        "model",
        None,
        None,
    ] * 3


def shown(
    command: str, result: SweepResult, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    monkeypatch.setattr("experiments.exporting.load", lambda name, **options: result)
    monkeypatch.setenv("COLUMNS", "300")
    assert run(command.split()) == 0
    out, err = capsys.readouterr()
    return out, err


def test_commands_on_a_recorded_sweep_warn(
    result: SweepResult, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in ("by-group mine", "diagnose mine --config bad"):
        out, _ = shown(command, result, capsys, monkeypatch)
        assert f"warning: {PROXIES}" in out
        out, _ = shown(f"{command} --json", result, capsys, monkeypatch)
        assert json.loads(out)["notes"][0].startswith(PROXIES)
    for more in ("", " --long", " --retrieved", " --by tag"):
        out, err = shown(f"export mine{more}", result, capsys, monkeypatch)
        assert f"chunksweep: {PROXIES}" in err
        rows = list(csv.DictReader(io.StringIO(out)))
        assert rows
        assert all("proxies" in row.get("warnings", "") or row.get("synthetic") == "proxy" for row in rows)


NOTES = (
    "All documents together hold 900 tokens",
    "Only 17 groups of questions share no document",
    "With 12 questions and 2 configurations, differences of about",
)
"""What is true of a comparison as a whole, and of none of its rows."""


@pytest.fixture
def doubtful() -> SweepResult:
    scores = [1.0, 0.0] * 6
    return judged(record("one", scores), record("two", scores[::-1]), notes=NOTES[:2])


def test_what_is_true_of_a_whole_table_goes_with_every_table(
    doubtful: SweepResult, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in ("by-group mine", "diagnose mine"):
        out, _ = shown(command, doubtful, capsys, monkeypatch)
        assert all(f"warning: {note}" in out for note in NOTES)
        out, _ = shown(f"{command} --json", doubtful, capsys, monkeypatch)
        assert set(doubtful.notes) <= set(json.loads(out)["notes"])
    for more in ("", " --long", " --retrieved", " --by tag"):
        out, err = shown(f"export mine{more}", doubtful, capsys, monkeypatch)
        assert all(f"chunksweep: {note}" in err for note in NOTES)
        assert not any(note in out for note in NOTES)
        told = json.loads(shown(f"export mine{more} -f json", doubtful, capsys, monkeypatch)[0])
        assert told["notes"] == list(doubtful.notes)
        assert told["recommendation"] == json.loads(as_json(doubtful))["recommendation"]


def test_files_that_have_a_place_for_it_hold_verdict_and_notes(doubtful: SweepResult, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    for table in (doubtful.table, doubtful.questions, doubtful.retrieved, by_group(doubtful, "tag")):
        write_table(table, FORMATS["parquet"], tmp_path / "table.parquet")
        held = pq.read_schema(tmp_path / "table.parquet").metadata
        assert json.loads(held[b"notes"]) == list(doubtful.notes)
        assert held[b"recommendation"].decode() == doubtful.recommendation.sentence
        write_table(table, FORMATS["markdown"], tmp_path / "table.md")
        below = (tmp_path / "table.md").read_text("utf-8").partition("|\n\n")[2].split("\n")
        assert below == [doubtful.recommendation.sentence, "", *(f"- {note}" for note in doubtful.notes), ""]
        write_table(table, FORMATS["csv"], tmp_path / "table.csv")
        assert NOTES[0] not in (tmp_path / "table.csv").read_text("utf-8")


def test_notes_hold_nothing_that_no_file_can_hold(tmp_path: Path) -> None:
    result = judged(record("a", [1.0, 0.0] * 6), record("b", [0.0, 1.0] * 6), notes=("caf\udce9 \x1b[2J",))
    for format in FORMATS.values():
        write_table(result.table, format, tmp_path / "table")
    assert "caf\\udce9 \\u001b[2J" in result.table.notes


def test_groups_by_who_asked() -> None:
    made = ["proxy"] * 6 + ["model"] * 2 + ["", None, "", None]
    result = judged(record("good", GOOD, made), record("bad", BAD, made))
    rows = {row["group"]: row for row in by_group(result, "synthetic").rows() if row["name"] == "good"}
    assert {group: row["questions"] for group, row in rows.items()} == {"model": 2, "person": 4, "proxy": 6}
    assert rows["person"]["warnings"] is None
    assert str(rows["proxy"]["warnings"]).startswith("6 of 6 questions are proxies")


def test_frames_of_a_notebook_carry_the_notes(result: SweepResult) -> None:
    frames = (result.to_frame(), result.questions_frame(), result.retrieved_frame(), result.groups_frame())
    assert all(made.attrs["notes"][0].startswith(PROXIES) for made in frames)
    assert result.to_frame()["warnings"].str.startswith(PROXIES).all()


class Client:
    """Keeps the tags of a run."""

    def __init__(self) -> None:
        self.tags: dict[str, str] = {}

    def log_batch(self, run_id: str, *, tags: Sequence[Any] = (), **more: Any) -> None:
        self.tags |= {tag.key: tag.value for tag in tags}

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def test_a_run_in_the_store_is_tagged() -> None:
    client = Client()
    write_record(client, "1", record("good", GOOD), {})
    assert client.tags["chunksweep.synthetic"] == "proxy"
    people = Client()
    write_record(people, "2", record("good", GOOD, [""] * 12), {})
    assert "chunksweep.synthetic" not in people.tags


def test_the_words_are_plain() -> None:
    assert list(provenance_warnings(["proxy"])) == [
        "1 of 1 questions are proxies, made of the documents' own words: they rank cuts only roughly. "
        "Write real questions before you decide"
    ]


# Data that changed


def on(name: str, digest: str, ended_at: float, scores: Sequence[float] = GOOD) -> RunRecord:
    return record(name, scores, [""] * len(scores), versions={"data_digest": digest * 64}, ended_at=ended_at)


def test_runs_of_other_data_are_left_out_of_the_table_and_named() -> None:
    old, new, newer = on("old", "a", 1.0, BAD), on("new", "b", 2.0), on("newer", "b", 3.0)
    result = judged(old, new, newer)
    assert [row["name"] for row in result.table.rows()] == ["new", "newer"]
    said = f"1 run was measured on other documents or questions (data digest {'a' * 16}, here {'b' * 16})"
    assert any(note.startswith(said) for note in result.notes)
    asked_for = judged(old, new, newer, data_digest="a" * 64)
    assert [row["name"] for row in asked_for.table.rows()] == ["old"]
    assert not any("other documents" in note for note in judged(new, newer).notes)


def test_one_name_on_two_data_sets_is_never_averaged() -> None:
    old = replace(on("fixed", "a", 1.0, BAD), config_id="fixed-aaaaaaaaaa")
    result = judged(old, on("fixed", "b", 2.0))
    assert [row[HEADLINE] for row in result.table.rows()] == [1.0]


def test_rows_of_several_data_sets_in_one_table_by_hand_are_marked() -> None:
    warnings = wide([on("a", "a", 1.0), on("b", "b", 2.0), on("c", "b", 3.0)])["warnings"]
    assert [bool(said and "data digest differs" in str(said)) for said in warnings] == [True, False, False]


QUESTION = '{{"id": "{id}", "question": "{question}", "evidence": ["{quote}"]{more}}}\n'


def test_a_launch_after_the_questions_changed_says_so_once(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    (folder / "documents" / "a.txt").write_text("The gate opens at nine. Dogs stay on a lead.\n")
    lines = QUESTION.format(id="g", question="When?", quote="The gate opens at nine.", more="")
    (folder / "questions.jsonl").write_text(lines)
    tracker = NullTracker()
    sweep = read_sweep(
        {
            "name": "s",
            "dataset": str(folder),
            "embedder": "hashing",
            "retrieval": {"k": 1, "token_budgets": [16]},
            "headline": HEADLINE,
            "grid": [{"strategy": "sentence", "size": [6, 12]}],
        }
    )

    def launched() -> SweepResult:
        from experiments.runner import run as launch

        return launch(prepare(sweep, tracker, cache_dir=None))

    def changed(result: SweepResult) -> bool:
        return any("measured other documents or questions" in note for note in result.notes)

    first = launched()
    assert not changed(first)
    assert first.table["synthetic"] == (None, None)
    assert set(first.table["synthetic_share"]) == {0.0}
    more = QUESTION.format(
        id="d", question="Dogs?", quote="Dogs stay on a lead.", more=', "synthetic": "proxy"'
    )
    (folder / "questions.jsonl").write_text(lines + more)
    notes = make_plan(prepare(sweep, tracker, cache_dir=None, dry=True)).notes
    assert notes[0].startswith("1 of 2 questions are proxies")
    assert any("measured other documents or questions" in note for note in notes)
    second = launched()
    assert second.ran == 2
    assert changed(second)
    assert len(second.table) == 2
    assert second.table["synthetic"] == ("proxy", "proxy")
    assert second.table["synthetic_share"] == (0.5, 0.5)
    assert tracker.tags["launch"]["synthetic"] == "proxy"
    assert tracker.tags["launch"]["synthetic_share"] == 0.5
    third = launched()
    assert (third.ran, changed(third)) == (0, False)
