"""What a sweep would do: chunks, tokens to embed, what is cached, how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from evaluation.embedding_desk import Desk
from evaluation.evaluate import TRUNCATED_SHARE
from evaluation.gold.provenance import provenance_warnings
from evaluation.health import truncated_share
from evaluation.statistics.planning import ASSUMED_SD, detectable
from experiments.leaderboard import wrapped
from experiments.paragraph import shown
from experiments.progress import spoken
from experiments.runner import Launch
from strategies.errors import SplitError

SAMPLE_TOKENS = 2048
"""Tokens embedded to learn the speed of a machine that has embedded nothing yet; the cache keeps them."""


@dataclass(frozen=True, slots=True)
class PlannedConfiguration:
    """One line of a plan."""

    name: str
    done: bool
    """A complete run is in the store: nothing will be done."""
    chunks: int | None = None
    """None, here and below: not known before it runs, or as it cannot be cut."""
    chunk_tokens: int | None = None
    """cl100k tokens of all chunks."""
    texts_to_embed: int | None = None
    """Distinct texts (or windows) that neither the cache nor a configuration above it provides."""
    tokens_to_embed: int | None = None
    """Their tokens, as the embedder counts."""
    truncated_token_share: float | None = None
    """Share of the tokens of all its texts that are past the embedder's limit."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A sweep, looked at before it runs."""

    name: str
    documents: int
    questions: int
    document_tokens: int
    """cl100k tokens of the corpus."""
    repeats: int
    notes: tuple[str, ...]
    """What to know before trusting the comparison."""
    skipped: tuple[str, ...]
    configurations: tuple[PlannedConfiguration, ...]
    detectable: float
    """Difference of the headline between two configurations that 8 of 10 runs would find, if paired
    differences have the standard deviation `ASSUMED_SD`."""
    detectable_among_all: float
    """The same for any two of all configurations."""
    tokens_to_embed: int
    tokens_cached: int
    """Tokens that the sweep needs and the cache holds already."""
    corpus_passes: float
    """Chunk tokens to embed, cached or not, over the tokens of the corpus."""
    tokens_per_second: float | None
    """Measured on this machine; None if there is nothing to embed."""
    estimated_s: float | None


def make_plan(launch: Launch) -> Plan:
    """Cut everything, embed nothing (but a sample where the machine's speed is unknown)."""
    bench = launch.bench
    to_run = {config_id for _, config_id, _ in launch.to_run}
    embedding = {word: _Embedding(maker.desk) for word, maker in bench.makers.items()}
    planned, failing, passed = list[PlannedConfiguration](), list[str](), 0
    for config, config_id in zip(launch.grid.configs, launch.config_ids, strict=True):
        done = config_id not in to_run
        if config.needs:
            planned.append(PlannedConfiguration(config.name, done))
            continue
        try:
            cut = bench.split(config)
        except SplitError as error:  # as it will when it runs
            planned.append(PlannedConfiguration(config.name, done))
            failing.append(f"{config.name} will fail: {error}")
            continue
        chunks = cut.chunks
        chunk_tokens = sum(chunk.tokens for chunk in chunks)
        if not config.search.embeds:
            planned.append(PlannedConfiguration(config.name, done, len(chunks), chunk_tokens, 0, 0))
            continue
        passed += 0 if done else chunk_tokens
        texts = [] if done else bench.texts(config, cut)
        sizes, lacking, tokens = embedding[config.search.vectors].add(texts)
        planned.append(
            PlannedConfiguration(
                config.name,
                done,
                len(chunks),
                chunk_tokens,
                lacking,
                tokens,
                truncated_share(sizes, bench.makers[config.search.vectors].limit_tokens),
            )
        )
    missing = sum(one.missing for one in embedding.values())
    estimated_ms = sum(one.estimated_ms() for one in embedding.values())
    corpus = sum(len(measured.token_starts) for measured in bench.measured.values())
    return Plan(
        name=launch.sweep.name,
        documents=len(bench.gold.documents),
        questions=len(bench.gold.questions),
        document_tokens=corpus,
        repeats=launch.sweep.repeats,
        notes=(
            *provenance_warnings(
                question.synthetic for question in bench.gold.questions if question.evidence
            ),
            *launch.judging.notes,
            *_truncated(planned, bench.embedder.limit_tokens),
            *_judged(launch),
            *_unknown(launch),
            *_unembedded(launch),
            *_reranked(launch),
            *failing,
        ),
        skipped=tuple(str(problem) for problem in launch.grid.skipped),
        configurations=tuple(planned),
        detectable=detectable(launch.units),
        detectable_among_all=detectable(launch.units, columns=len(planned)),
        tokens_to_embed=missing,
        tokens_cached=sum(one.tokens for one in embedding.values()) - missing,
        corpus_passes=passed / corpus if corpus else 0.0,
        tokens_per_second=1000 * missing / estimated_ms if estimated_ms else None,
        estimated_s=estimated_ms / 1000 if estimated_ms else None,
    )


@dataclass(slots=True)
class _Embedding:
    """What a sweep has to embed at one desk."""

    desk: Desk
    tokens: int = 0
    missing: int = 0
    """Tokens that the cache does not hold."""
    _seen: set[str] = field(default_factory=set)
    _sample: list[str] = field(default_factory=list)
    _sampled: int = 0

    def add(self, texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], int, int]:
        """Tokens of each text, and how many texts and tokens nothing before them provides."""
        sizes = self.desk.tokens(texts, "passage")
        tokens_of = dict(zip(texts, sizes.tolist(), strict=True))
        new = [text for text in tokens_of if text not in self._seen]
        self._seen.update(new)
        lacking = self.desk.missing(new, "passage")
        missing = sum(tokens_of[text] for text in lacking)
        self.tokens += sum(tokens_of[text] for text in new)
        self.missing += missing
        for text in lacking:
            if self._sampled >= SAMPLE_TOKENS:
                break
            self._sample.append(text)
            self._sampled += tokens_of[text]
        return sizes, len(lacking), missing

    def estimated_ms(self) -> float:
        """Time for what is missing at the speed of this machine; embeds a sample where it is unknown."""
        if not self.missing:
            return 0.0
        if self.desk.pace() is None:
            self.desk.prepare(self._sample, "passage")
        return self.missing * (self.desk.pace() or 0.0)


def _judged(launch: Launch) -> list[str]:
    """A note on what a judge is asked at most: nothing is retrieved yet, and the cache may know much."""
    judge = launch.sweep.settings.judge
    configurations = len({config_id for _, config_id, _ in launch.to_run})
    if judge is None or not judge.asking or not configurations:
        return []
    questions = sum(bool(question.evidence) for question in launch.bench.gold.questions)
    answers = questions * configurations
    verdicts = answers * len(judge.asking)
    written = f", on at most {answers:,} answers that are written first" if judge.answer else ""
    return [
        f"A judge is asked for at most {verdicts:,} verdicts ({questions:,} questions x {len(judge.asking)} "
        f"metrics x {configurations:,} configurations){written}. One takes a request or more; nothing "
        "that was answered before is asked again"
    ]


def _truncated(planned: list[PlannedConfiguration], limit: int | None) -> list[str]:
    """A note on configurations that the embedder would not read to their ends."""
    cut = [one for one in planned if (one.truncated_token_share or 0.0) > TRUNCATED_SHARE]
    if not cut:
        return []
    shares = ", ".join(f"{one.name} ({one.truncated_token_share or 0.0:.0%})" for one in cut)
    return [
        f"More than {TRUNCATED_SHARE:.0%} of their tokens are past the embedder's limit of {limit}, so these "
        f"would be measured and left out of the comparison: {shares}"
    ]


def _told(count: int | None) -> str:
    return "?" if count is None else f"{count:,}"


def _unknown(launch: Launch) -> list[str]:
    """Notes on configurations whose chunks nobody knows before they are cut."""
    to_run = {config.name: config.needs for config, _, _ in launch.to_run if config.needs}
    notes = []
    for need, cut, cost in (
        ("embedder", "by meaning", "how much they embed, to cut and as chunks"),
        ("chat", "by a language model", "how much they ask and embed"),
    ):
        names = [name for name, needs in to_run.items() if need in needs]
        if names:
            notes.append(
                f"Not in these figures: {', '.join(names)}, cut {cut}: {cost}, is known once they run"
            )
    return notes


def _reranked(launch: Launch) -> list[str]:
    """A note on what cross-encoders read at most: which pairs, is known once there are candidates."""
    searches = {config_id: config.search for config, config_id, _ in launch.to_run}.values()
    candidates = sum(search.n_candidates for search in searches if search.rerank)
    questions = sum(bool(question.evidence) for question in launch.bench.gold.questions)
    if not candidates or not questions:
        return []
    return [
        f"Not in these figures: at most {candidates * questions:,} pairs of question and chunk that are "
        "reranked; one that was scored before is not scored again"
    ]


def _unembedded(launch: Launch) -> list[str]:
    """A note on configurations that search words alone."""
    names = [config.name for config, _, repeat in launch.to_run if not config.search.embeds and not repeat]
    if not names:
        return []
    return [f"No vector is made of chunks or questions where words alone are searched: {', '.join(names)}"]


def show_plan(console: Console, plan: Plan) -> None:
    """A table and a summary."""
    width = max(12, console.width - 44)
    grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    grid.add_column("configuration", no_wrap=True, overflow="fold")
    for head in ("chunks", "texts to embed", "tokens to embed"):
        grid.add_column(head, justify="right")
    for one in plan.configurations:
        cells = ("", "done") if one.done else (_told(one.texts_to_embed), _told(one.tokens_to_embed))
        grid.add_row(*map(Text, ("\n".join(wrapped(one.name, width)), _told(one.chunks), *cells)))
    console.print(grid)
    left = sum(not one.done for one in plan.configurations)
    lines = [
        f"{plan.name}: {len(plan.configurations)} configurations"
        + (f" x {plan.repeats} repeats" if plan.repeats > 1 else "")
        + f", {left} to run; {plan.documents} documents ({plan.document_tokens:,} tokens), "
        f"{plan.questions} questions.",
        f"To embed: {plan.tokens_to_embed:,} tokens; {plan.tokens_cached:,} more are in the cache. "
        f"A text is embedded once, however many configurations hold it; all chunks of those left to run, "
        f"shared and cached ones counted each time, are {plan.corpus_passes:.1f} times the corpus.",
    ]
    if plan.estimated_s is not None:
        lines.append(
            f"Embedding takes about {spoken(plan.estimated_s)} "
            f"at {plan.tokens_per_second:,.0f} tokens a second."
        )
    elif not plan.tokens_to_embed:
        unknown = any(one.chunks is None and not one.done for one in plan.configurations)
        lines.append(f"Nothing is left to embed{' but for what is marked ?' if unknown else ''}.")
    lines.append(
        f"8 times in 10, these questions tell two configurations apart that differ by {plan.detectable:.3f} "
        f"in the headline, and any two of all {len(plan.configurations)} by {plan.detectable_among_all:.3f} "
        f"if paired differences have a standard deviation of {ASSUMED_SD:g}: an assumption, a run knows it."
    )
    lines += [f"Left out: {text}" for text in plan.skipped]
    lines += [f"warning: {note}" for note in plan.notes]
    for line in lines:
        console.print(shown(Text(line)))
