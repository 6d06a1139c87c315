"""Running a sweep: check everything, then configuration after configuration, each recorded as it ends."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evaluation.embedding_desk import threads
from evaluation.gold import GoldSet, load
from evaluation.gold.filters import filter_problem, passing
from evaluation.gold.provenance import provenance
from evaluation.metrics import expand as expand_metrics
from evaluation.scorers import Scorer, check_names
from evaluation.settings import Settings
from evaluation.statistics import Side, components, resampling_units, sides, split_problem
from experiments.chunk_list import chunk_rows, document_rows, retrieved_rows
from experiments.columns import COLUMNS
from experiments.grid import Grid, expand
from experiments.notes import data_notes
from experiments.progress import Progress, SilentProgress
from experiments.records import RunRecord, Status
from experiments.results import Judging, SweepResult, judge
from experiments.run_config import RunConfig
from experiments.signals import Gate, gated_signals
from experiments.sweep import Sweep
from experiments.tracking import MARKS, DataInput, Handle, Tracker
from experiments.workbench import Workbench
from strategies.document import Document, Scalar
from strategies.errors import BadInput, ChunksweepError, Problem
from strategies.tools import TOKENS
from strategies.units.counting import check_unit


@dataclass(frozen=True, slots=True)
class Launch:
    """A sweep that has passed every check and can run."""

    sweep: Sweep
    grid: Grid
    bench: Workbench
    tracker: Tracker
    config_ids: tuple[str, ...]
    """In the order of the grid."""
    known: Mapping[tuple[str, int], RunRecord]
    """Complete runs of the store, by configuration and repeat."""
    scorers: Mapping[str, Scorer] = field(default_factory=dict)
    changed: bool = False
    """Whether the launch before this one measured other documents or questions."""

    @property
    def to_run(self) -> list[tuple[RunConfig, str, int]]:
        """Configurations with their id and repeat that no complete run covers."""
        pairs = zip(self.grid.configs, self.config_ids, strict=True)
        return [
            (config, config_id, repeat)
            for config, config_id in pairs
            for repeat in range(self.sweep.repeats)
            if (config_id, repeat) not in self.known
        ]

    @property
    def judging(self) -> Judging:
        """By what this sweep is judged."""
        return Judging(
            headline=self.sweep.settings.headline,
            margin=self.sweep.margin,
            prices=self.sweep.prices,
            baseline=self.sweep.baseline,
            seed=self.sweep.seed,
            repeats=self.sweep.repeats,
            config_ids=self.config_ids,
            test_questions=tuple(sorted(key for key, side in self.sides.items() if side == "test")),
            notes=tuple(data_notes(self)),
            data_digest=self.bench.gold.digest,
            searched_tokens=self.searched_tokens,
        )

    @property
    def sides(self) -> dict[str, Side]:
        """Id of each question that has evidence -> its side; empty where the sweep has no split."""
        return _sides(self.sweep, self.bench.gold)[0]

    @property
    def units(self) -> int:
        """Units of resampling of the questions that the choice rests on."""
        asked, found = [q for q in self.bench.gold.questions if q.evidence], self.sides
        return resampling_units([q for q in asked if found.get(q.id, "dev") == "dev"]).n

    @property
    def made(self) -> dict[str, Scalar]:
        """How questions were made that no person wrote, as a parameter of every run; empty without any."""
        ways, _ = provenance(question.synthetic for question in self.bench.gold.questions)
        return {"synthetic": ways} if ways else {}

    @property
    def made_share(self) -> dict[str, Scalar]:
        """What share of the questions that is, beside `made` as a tag of the launch."""
        made = [question.synthetic for question in self.bench.gold.questions if question.evidence]
        return {"synthetic_share": round(provenance(made)[1], 4)} if self.made else {}

    @property
    def searched(self) -> list[Document]:
        """The documents that the filter lets through."""
        return passing(dict(self.sweep.settings.filter), self.bench.gold.documents)

    @property
    def searched_tokens(self) -> int:
        """Their tokens."""
        return sum(len(self.bench.measured[document.id].token_starts) for document in self.searched)


def prepare(
    sweep: Sweep,
    tracker: Tracker,
    *,
    cache_dir: Path | None,
    skip_bad: bool = False,
    fresh: bool = False,
    scorers: Mapping[str, Scorer] | None = None,
    dry: bool = False,
) -> Launch:
    """Every check that can be made before work: grid, data, model, tokenizers, store. Raises BadInput.

    `dry` looks at the store without writing to it: for a plan.
    """
    judged = sweep.settings.judge.metrics if sweep.settings.judge else ()
    check_names([*(scorers or {}), *judged])
    grid = expand(sweep)
    gold = load(sweep.dataset, skip_bad=skip_bad)
    filtered = filter_problem(sweep.where(("filter",)), dict(sweep.settings.filter), gold.documents)
    if problems := [problem for problem in (filtered, _sides(sweep, gold)[1]) if problem]:
        raise BadInput(problems)
    bench = Workbench.open(sweep, gold, cache_dir)
    if not dry:
        tracker.close_stale()
    config_ids = tuple(bench.config_id(config) for config in grid.configs)
    known = {} if fresh else tracker.completed(config_ids)
    changed = _measured_before(tracker) not in ("", gold.digest)
    launch = Launch(sweep, grid, bench, tracker, config_ids, known, scorers or {}, changed)
    check_vocabularies(launch)
    check_stores(launch)
    if launch.to_run and not dry:
        if bench.jury:
            bench.jury.check()
        tracker.check(metric_names(sweep.settings, [*(scorers or {}), *judged]))
    return launch


def _measured_before(tracker: Tracker) -> str:
    """The digest of the data that the newest launch measured; empty where that is not known."""
    described = tracker.described()
    try:
        return Judging.from_json(described).data_digest if described else ""
    except ValueError:  # described by another version
        return ""


def _sides(sweep: Sweep, gold: GoldSet) -> tuple[dict[str, Side], Problem | None]:
    """The sides of a split, and why it must not be used."""
    asked = [question for question in gold.questions if question.evidence]
    if sweep.split is None or not asked:
        return {}, None
    ids, labels = [question.id for question in asked], components(asked)
    found = sides(ids, labels, test=sweep.split, seed=sweep.seed)
    problem = split_problem(sweep.where(("split", "test")), found, labels)
    return dict(zip(ids, found, strict=True)), problem


def check_vocabularies(launch: Launch) -> None:
    """Load every tokenizer that is still needed, so that none is missed in the middle. Raises BadInput."""
    units = dict.fromkeys(unit for config, _, _ in launch.to_run for unit in config.units)
    if launch.to_run:
        units[TOKENS] = None  # budgets are counted in it
    problems = [problem for unit in units if (problem := check_unit(unit)) is not None]
    if problems:
        raise BadInput(problems)


def check_stores(launch: Launch) -> None:
    """Ask each store of vectors that is still needed whether it can be used here. Raises BadInput."""
    stores = dict.fromkeys(config.search.store for config, _, _ in launch.to_run if config.search.embeds)
    problems: list[Problem] = []
    for store in stores:
        try:
            store.check()
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(dict.fromkeys(problems))


def run(launch: Launch, *, progress: Progress | None = None, fail_fast: bool = False) -> SweepResult:
    """Run what is missing, then compare everything. A configuration that fails is a record like any other."""
    to_run = launch.to_run
    records: dict[tuple[str, int], RunRecord] = {
        (config_id, repeat): launch.known[config_id, repeat]
        for config_id in launch.config_ids
        for repeat in range(launch.sweep.repeats)
        if (config_id, repeat) in launch.known
    }
    tracker, judging = launch.tracker, launch.judging
    gold = launch.bench.gold
    data = DataInput(gold.name, gold.digest, launch.sweep.dataset)
    tracker.open(launch.sweep.name, data, {**launch.made, **launch.made_share})
    if to_run:
        tracker.describe(judging.to_json())
    status: Status = "killed"
    ran, told = 0, dict[str, Scalar]()
    with gated_signals() as gate:
        try:
            with progress or SilentProgress() as shown:
                for index, (config, config_id, repeat) in enumerate(to_run):
                    shown.configuration_started(config.name, index, len(to_run))
                    record = _one(launch, config, config_id, repeat, shown, gate)
                    records[record.key] = record
                    ran += 1
                    shown.configuration_finished(record)
                    if record.status == "failed" and fail_fast:
                        break
            traffic = launch.bench.traffic if to_run else ""
            result = judge(launch.sweep.name, judging, list(records.values()), traffic=traffic, ran=ran)
            with gate.hold():
                result = _mark(tracker, result)
            status = "failed" if result.failed else "finished"
            told = {"headline": result.judging.headline, "verdict": result.recommendation.sentence}
        finally:
            with gate.hold():
                launch.bench.close()
                unclosed = _close(tracker, status, told)
    return result if unclosed is None else replace(result, notes=(*result.notes, unclosed))


def metric_names(settings: Settings, scorers: Iterable[str]) -> list[str]:
    """Every metric that a run of these settings may record."""
    measures = [column.name for column in COLUMNS if column.kind in ("integer", "number")]
    judged = [name for scorer in scorers for name in (scorer, f"n_failed_{scorer}")]
    return [*(column.name for column in expand_metrics(settings)), *measures, *judged]


def _one(
    launch: Launch, config: RunConfig, config_id: str, repeat: int, progress: Progress, gate: Gate
) -> RunRecord:
    """One configuration, from start to record."""
    bench = launch.bench
    started_at = time.time()
    base: dict[str, Any] = {
        "config_id": config_id,
        "name": config.name,
        "repeat": repeat,
        "params": {
            **config.params(),
            "dataset": bench.gold.name,
            "embedder": bench.embedder.name,
            "threads": threads(),
            "backend": bench.embedder.backend,
            **launch.made,
        },
        "config": config.canonical(),
        "versions": {**bench.versions(), **bench.own_versions(config)},
        "started_at": started_at,
    }
    handle: Handle | None = None
    try:
        with gate.hold():
            handle = launch.tracker.start(config_id, config.name, repeat, base["params"])
        try:
            evaluation, chunks = bench.measure(
                config, progress.phase, progress.embedded, launch.scorers, again=repeat > 0
            )
            record = RunRecord(
                status="finished",
                metrics=evaluation.metrics,
                curves=evaluation.curves,
                questions=evaluation.questions,
                chunks=chunk_rows(chunks, evaluation.retrieved, bench.gold.documents),
                retrieved=retrieved_rows(evaluation.retrieved),
                documents=document_rows(bench.gold.documents),
                reasons=evaluation.reasons,
                warnings=evaluation.warnings,
                ended_at=time.time(),
                **base,
            )
        except Exception as error:  # one configuration must not cost the others their result
            record = RunRecord(status="failed", error=_sentence(error), ended_at=time.time(), **base)
        with gate.hold():
            return handle.finish(record) if record.status == "finished" else handle.fail(record)
    except BaseException:
        if handle is not None:
            with gate.hold():
                handle.kill()
        raise


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, ChunksweepError) else f"{type(error).__name__}: {error}"


def _close(tracker: Tracker, status: Status, tags: Mapping[str, Scalar]) -> str | None:
    """End the launch. A store that is gone costs a note, not the comparison: the next launch ends it."""
    try:
        tracker.close(status, tags=tags)
    except ChunksweepError as error:
        return f"The launch is not ended in the store: {error}"
    return None


def _mark(tracker: Tracker, result: SweepResult) -> SweepResult:
    """Tell the verdict in the tracker. A store that takes none costs a note, not the comparison."""
    verdicts = {
        record.run_id: {key: bool(result.statistics[record.name].get(key)) for key in MARKS}
        for record in result.records
        if record.run_id and record.name in result.statistics
    }
    try:
        tracker.describe(result.judging.to_json())
        tracker.mark(verdicts)
    except ChunksweepError as error:
        note = f"The runs are not marked with this verdict: {error}"
        return replace(result, notes=(*result.notes, note))
    return result
