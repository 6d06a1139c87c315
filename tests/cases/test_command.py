"""The command in a folder with its own store: what it leaves there, and what it refuses before work."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
import sqlite3
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pytest

import strategies
from evaluation.evaluate import Scorer
from experiments.exporting import load
from experiments.metric_names import unspelled
from experiments.mlflow_tracker import MlflowTracker
from experiments.tracking import NullTracker
from strategies.document import Document
from strategies.errors import BadInput
from strategies.strategy import Cut, SplitTools, Strategy

from ..end_to_end.shell import COMMAND, environment  # noqa: TID252  (a neighbour's, under any import mode)
from .conftest import HARBOUR, QUESTIONS
from .scenes import measured, write_set

WORDS = ("--strategy", "fixed", "--unit", "words")


class House(NamedTuple):
    """A working folder in which a first sweep has run, without a network."""

    folder: Path
    dataset: Path
    home: Path
    first: subprocess.CompletedProcess[str]
    left: frozenset[str]
    """What that sweep left in the folder."""


def shell(folder: Path, home: Path, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    """The installed command, with every socket to another machine blocked."""
    if not COMMAND.exists():
        pytest.skip("chunksweep is not installed beside this Python; `make test` installs it")
    return subprocess.run(
        [str(COMMAND), *arguments],
        cwd=folder,
        env=environment(home, {"CHUNKSWEEP_CACHE_DIR": str(home / "vectors"), **extra}),
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=240,
    )


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Making a store takes seconds: one for all tests, each with its own experiment."""
    root = tmp_path_factory.mktemp("house")
    dataset = write_set(root / "harbour", HARBOUR, QUESTIONS)
    folder, home = root / "work", root / "home"
    folder.mkdir()
    first = shell(
        folder, home, "run", "--dataset", str(dataset), *WORDS, "--size", "9", "--embedder", "hashing",
        "--experiment", "first",
    )  # fmt: skip
    return House(folder, dataset, home, first, frozenset(path.name for path in folder.iterdir()))


class Here:
    """The command inside this process, in the folder of the house."""

    def __init__(self, house: House, capsys: pytest.CaptureFixture[str]) -> None:
        self.house, self.capsys = house, capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        from experiments.cli.app import run as run_command

        self.capsys.readouterr()
        code = run_command(arguments)
        said = self.capsys.readouterr()
        return code, said.out, said.err

    def sweep(self, experiment: str, *more: str, dataset: Path | None = None) -> tuple[int, str, str]:
        """`run` with options alone, on the data set of the house unless told."""
        return self(
            "run", "--dataset", str(dataset or self.house.dataset), "--embedder", "hashing",
            "--experiment", experiment, *more,
        )  # fmt: skip


@pytest.fixture
def here(house: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Here:
    monkeypatch.chdir(house.folder)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setenv("CHUNKSWEEP_CACHE_DIR", str(house.home / "vectors"))
    monkeypatch.setenv("COLUMNS", "120")
    return Here(house, capsys)


def ask(folder: Path, query: str, *values: str) -> list[Any]:
    with sqlite3.connect(folder / "mlflow.db") as database:
        return database.execute(query, values).fetchall()


def statuses(folder: Path, experiment: str) -> dict[str, list[str]]:
    """Name of a configuration -> the statuses of its runs, oldest first."""
    found: dict[str, list[str]] = {}
    for name, status in ask(
        folder,
        "select r.name, r.status from runs r join experiments e on e.experiment_id = r.experiment_id "
        "join tags t on t.run_uuid = r.run_uuid where e.name = ? and t.key = 'chunksweep.kind' "
        "and t.value = 'configuration' and r.lifecycle_stage = 'active' order by r.start_time",
        experiment,
    ):
        found.setdefault(name, []).append(status)
    return found


@pytest.mark.slow
class TestStore:
    def test_a_first_run_leaves_a_database_and_artifacts_and_no_file_store(self, house: House) -> None:
        assert house.first.returncode == 0, house.first.stderr
        assert house.left == {"mlflow.db", "mlartifacts"}
        assert not any(house.folder.rglob("meta.yaml"))
        assert statuses(house.folder, "first") == {"fixed-words-9": ["FINISHED"]}

    @pytest.mark.parametrize("place", ["file:./x/mlruns", "./mlruns"])
    def test_a_file_store_is_refused_before_any_work(
        self, here: Here, house: House, place: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("experiments.runner.load", lambda *given, **more: pytest.fail("work was done"))
        code, out, err = here.sweep("refused", *WORDS, "--size", "9", "--tracking-uri", place)
        assert (code, out) == (2, "")
        assert len(err.splitlines()) == 1
        assert "is a file store, which MLflow no longer writes to" in err
        assert "Use a database, such as sqlite:///mlflow.db" in err
        assert {path.name for path in house.folder.iterdir()} == house.left

    def test_artifacts_that_cannot_be_written_are_found_before_any_work(
        self, here: Here, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (house.folder / "mlartifacts" / "walled").touch()  # a file where a folder must be
        monkeypatch.setattr("experiments.cutter.split", lambda *given: pytest.fail("work was done"))
        code, out, err = here.sweep("walled", *WORDS, "--size", "9")
        assert (code, out) == (2, "")
        assert len(err.splitlines()) == 1
        assert "artifacts cannot be written to " in err
        assert "Make that place writable" in err
        assert statuses(house.folder, "walled") == {}

    def test_nothing_that_is_no_number_is_ever_stored(self, here: Here, house: House, tmp_path: Path) -> None:
        silent = {"id": "any", "question": "Is there anything?", "evidence": []}
        blank = write_set(tmp_path / "blank", {"blank.txt": " \r\n\u3000\n"}, [silent])
        code, out, err = here.sweep("blank", *WORDS, "--size", "9", dataset=blank)
        assert code == 0, err
        assert statuses(house.folder, "blank") == {"fixed-words-9": ["FINISHED"]}
        (run_id,) = ask(
            house.folder,
            "select r.run_uuid from runs r join experiments e on e.experiment_id = r.experiment_id "
            "where e.name = 'blank' and r.name = 'fixed-words-9'",
        )[0]
        metrics = {
            name: (value, is_nan)
            for name, value, is_nan in ask(
                house.folder, "select key, value, is_nan from metrics where run_uuid = ?", run_id
            )
        }
        assert metrics["chunks"] == (0, 0)
        assert not any(is_nan or abs(value) > 1e300 for value, is_nan in metrics.values())
        tags = dict(ask(house.folder, "select key, value from tags where run_uuid = ?", run_id))
        missing = json.loads(tags["chunksweep.missing"])
        assert missing["search_ms_median"] == "no question was asked"
        assert missing["context_recall_at_1024_tokens"] == "no question has evidence"
        assert missing.keys().isdisjoint(metrics)
        assert "every document is blank" in tags["chunksweep.warnings"]
        result = load("blank")
        assert (result.recommendation.kind, result.recommendation.best) == ("nothing", None)
        assert "it has no chunks" in out


@dataclasses.dataclass(frozen=True)
class Fragile(Strategy):
    """Cuts a document in two, but at size 3 only once it has been mended."""

    size: int = 1
    name: ClassVar[str] = "fragile"
    mended: ClassVar[bool] = False

    def cuts(self, document: Document, tools: SplitTools) -> Iterable[Cut]:
        if self.size == 3 and not self.mended:
            raise OverflowError("the saw is stuck")
        half = document.text.index(" ", 8 * self.size)
        return [Cut(0, half), Cut(half, len(document.text))]


@pytest.mark.slow
def test_one_broken_configuration_costs_only_itself_and_is_all_that_runs_again(
    here: Here, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(strategies.STRATEGIES, "fragile", Fragile)
    monkeypatch.setattr(Fragile, "mended", False)
    options = ("--strategy", "fragile", "--size", "1,2,3,4")
    code, out, err = here.sweep("fragile", *options)
    assert code == 1, err
    assert "failed: fragile-3: OverflowError: the saw is stuck" in out
    finished = {"fragile-1": ["FINISHED"], "fragile-2": ["FINISHED"], "fragile-4": ["FINISHED"]}
    assert statuses(house.folder, "fragile") == {**finished, "fragile-3": ["FAILED"]}
    monkeypatch.setattr(Fragile, "mended", True)
    code, out, err = here.sweep("fragile", *options)
    assert code == 0, err
    assert "3 of 4 runs already done" in err
    assert "failed" not in out
    assert statuses(house.folder, "fragile") == {**finished, "fragile-3": ["FAILED", "FINISHED"]}
    _, exported, _ = here("export", "fragile", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(exported)))
    assert [(row["name"], row["status"]) for row in rows] == [
        (f"fragile-{size}", "finished") for size in (1, 2, 3, 4)
    ]


def test_impossible_pairs_are_all_named_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from experiments.cli.app import run as run_command

    monkeypatch.chdir(tmp_path)
    options = ["--strategy", "fixed", "--size", "10", "--overlap", "0,9,10,11", "--embedder", "hashing"]
    assert run_command(["run", "--dataset", "handbook", *options]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 2
    assert "size 10, overlap 10: overlap 10 is not less than size 10" in err
    assert "size 10, overlap 11: overlap 11 is not less than size 10" in err
    assert list(tmp_path.iterdir()) == []


def test_impossible_pairs_are_left_out_where_the_sweep_says_so(harbour: Path) -> None:
    grid = {"strategy": "fixed", "unit": "words", "size": 10, "overlap": [0, 9, 10, 11]}
    result = measured(harbour, grid, invalid="skip")
    assert [record.name for record in result.records] == ["fixed-words-10", "fixed-words-10-9"]


ODD = ["Hit@2", "depth (k=2)", "share[3]", "/from/root", "twice//slashed", "l" * 251, "Öl & Essig: 5%"]


VALUES = {name: 0.1234 + place for place, name in enumerate(ODD)}


def always(value: float) -> Scorer:
    return lambda question, hits: value


@pytest.mark.slow
def test_names_that_the_store_would_refuse_come_back_as_they_were(here: Here, house: House) -> None:
    grid = {"strategy": "fixed", "unit": "words", "size": 9}
    scorers = {name: always(value) for name, value in VALUES.items()}
    measured(
        house.dataset,
        grid,
        name="odd names",
        tracker=MlflowTracker("odd names"),
        options={"scorers": scorers},
    )
    rows = ask(
        house.folder,
        "select m.key, m.value from latest_metrics m join runs r on r.run_uuid = m.run_uuid "
        "join experiments e on e.experiment_id = r.experiment_id where e.name = 'odd names'",
    )
    stored = {name: value for name, value in rows if value in VALUES.values()}
    assert sorted(stored.values()) == sorted(VALUES.values())
    readable = {unspelled(name): value for name, value in stored.items() if len(name) < 250}
    assert readable == {name.replace("@", "_at_"): value for name, value in VALUES.items() if len(name) < 250}
    table = load("odd names").table
    assert {name: table[name] for name in ODD} == {name: (value,) for name, value in VALUES.items()}
    _, exported, _ = here("export", "odd names", "--format", "csv")
    (header, *_) = csv.reader(io.StringIO(exported))
    assert set(ODD) <= set(header)


def test_two_names_that_are_stored_as_one_are_refused_before_any_work(harbour: Path) -> None:
    tracker = NullTracker()
    grid = {"strategy": "fixed", "unit": "words", "size": 9}
    same = {"mrr@3": always(1.0)}
    with pytest.raises(BadInput, match="would be stored under the name of"):
        measured(harbour, grid, tracker=tracker, options={"scorers": same})
    assert tracker.launches == []


@pytest.mark.slow
class TestWithoutANetwork:
    def test_units_that_need_no_vocabulary_run_and_the_run_says_so(self, house: House) -> None:
        assert house.first.returncode == 0, house.first.stderr
        params = dict(
            ask(house.folder, "select p.key, p.value from params p join runs r on r.run_uuid = p.run_uuid")
        )
        assert params["unit"] == "words"

    def test_a_vocabulary_that_is_not_there_is_named_before_any_work(
        self, house: House, tmp_path: Path
    ) -> None:
        done = shell(
            tmp_path, house.home, "run", "--dataset", str(house.dataset), "--strategy", "fixed", "--unit",
            "o200k_base", "--size", "9", "--embedder", "hashing",
        )  # fmt: skip
        assert done.returncode == 2, done.stderr
        assert "o200k_base" in done.stderr
        assert "TIKTOKEN_CACHE_DIR" in done.stderr
        assert "words" in done.stderr  # what works without one
        assert "Traceback" not in done.stderr
        assert list(tmp_path.iterdir()) == []

    def test_a_model_that_is_not_there_is_never_replaced(self, house: House, tmp_path: Path) -> None:
        done = shell(
            tmp_path, house.home, "run", "--dataset", str(house.dataset), *WORDS, "--size", "9",
            "--embedder", "harbour/no-such-model",
        )  # fmt: skip
        assert done.returncode == 2, done.stderr
        assert "'harbour/no-such-model' is not on this machine" in done.stderr
        assert "HF_HOME" in done.stderr
        assert "Traceback" not in done.stderr
        assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("package", [False, True])
def test_a_folder_of_the_librarys_name_does_not_disturb_the_command(
    house: House, tmp_path: Path, package: bool
) -> None:
    mine = tmp_path / "datasets"
    mine.mkdir()
    (mine / "q.jsonl").write_text("{}\n")
    if package:
        (mine / "__init__.py").touch()
    done = shell(tmp_path, house.home, "gold", "check", str(house.dataset))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 questions" in done.stdout


@pytest.mark.slow
def test_a_package_that_hides_the_library_is_named(house: House, tmp_path: Path) -> None:
    mine = tmp_path / "datasets"
    mine.mkdir()
    (mine / "__init__.py").touch()
    path = os.pathsep.join([str(tmp_path), str(house.home / "site")])
    done = shell(tmp_path, house.home, "gold", "check", str(house.dataset), PYTHONPATH=path)
    assert done.returncode != 0
    assert f"{mine / '__init__.py'} hides the Hugging Face library" in done.stdout + done.stderr


def test_a_folder_that_stands_in_for_the_missing_library_is_named(
    harbour: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the library, a plain folder of its name can be imported, and holds nothing."""
    import sys

    from evaluation.gold import load as load_gold

    (tmp_path / "elsewhere" / "datasets").mkdir(parents=True)
    monkeypatch.delitem(sys.modules, "datasets", raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "elsewhere")])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    with pytest.raises(BadInput, match="hides the Hugging Face library") as caught:
        load_gold(str(harbour))
    assert str(tmp_path / "elsewhere" / "datasets") in str(caught.value)
    monkeypatch.delitem(sys.modules, "datasets", raising=False)
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(BadInput, match="the Hugging Face library is not installed"):
        load_gold(str(harbour))
