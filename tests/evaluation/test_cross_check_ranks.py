"""Metrics of ranks against trec_eval (through ir-measures) and ragas' own formula, on thousands of searches.

Each case is a small index, searched for real. What is relevant is judged here once more, range by range, and
handed to trec_eval as judgements of the whole index; the run that it gets are the scores of the search, not
our order: it sorts by itself, and breaks ties by the name of what was retrieved, last name first.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from math import sqrt
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from ir_measures import RR, P, Success, nDCG

from evaluation.gold import Question
from evaluation.layout import Layout
from evaluation.ranking.dense import Dense
from evaluation.relevance import RULES
from evaluation.retrieval import Retriever
from evaluation.scoring import score_question
from evaluation.stores import EXACT
from strategies.document import Chunk, Document

from .scene import Place, chunk, context, measured, question

N, KS = 2000, (1, 2, 3, 5, 10, 20)
TEXT = "x" * 60
DOCUMENTS = [Document(name, TEXT) for name in "abc"]
MEASURED = {document.id: measured(TEXT, range(0, 60, 4), document.id) for document in DOCUMENTS}


@dataclass(frozen=True)
class Case:
    question: Question
    rule: str
    chunks: list[Chunk]
    similarities: list[float]
    """By chunk; sixty-fourths, so that every kind of float holds them."""
    found: dict[Place, float]
    """Similarity of each distinct returned range: that of its best chunk."""
    relevant: dict[Place, bool]

    @property
    def by_rank(self) -> list[Place]:
        """The definition: similarity, then document, then start."""
        return sorted(self.found, key=lambda place: (-self.found[place], place))

    def flags(self, k: int) -> list[bool]:
        return [self.relevant[place] for place in self.by_rank[:k]]


def judged(place: Place, asked: Question, rule: str) -> bool:
    """The rule of relevance, said plainly."""
    document, start, end = place
    for entry in asked.evidence:
        for passage in entry.passages:
            common = min(end, passage.end) - max(start, passage.start)
            if document != passage.document or common <= 0:
                continue
            shorter = min(end - start, passage.end - passage.start)
            if rule == "any" or (rule == "half" and common >= shorter / 2):
                return True
            if rule == "contains" and start <= passage.start and passage.end <= end:
                return True
    return False


def case(seed: int) -> Case:
    draw = random.Random(seed)

    def place(longest: int) -> Place:
        start = draw.randrange(0, 56)
        return draw.choice("abc"), start, min(start + draw.randint(1, longest), 60)

    entries = [[place(12) for _ in range(draw.choice((1, 1, 1, 2)))] for _ in range(draw.randint(1, 3))]
    asked, rule = question(*entries), draw.choice(sorted(RULES))
    starts = dict.fromkeys(place(20) for _ in range(draw.choice((0, 1, 2, 4, 8, 16, 30))))
    returned = list({(document, start): (document, start, end) for document, start, end in starts}.values())
    levels = draw.choice((2, 5, 64))  # few make ties
    chunks, similarities, found = [], [], dict[Place, float]()
    for document, start, end in returned:
        own = [(start, end)]
        if draw.random() < 0.2 and end - start > 1:  # two chunks that return the same range
            middle = draw.randrange(start + 1, end)
            own = [(start, middle), (middle, end)]
        for part in own:
            similarity = draw.randint(1, levels) / 64
            chunks.append(chunk(document, len(chunks), part, (start, end)))
            similarities.append(similarity)
            found[document, start, end] = max(similarity, found.get((document, start, end), 0.0))
    order = list(range(len(chunks)))
    draw.shuffle(order)
    relevant = {place: judged(place, asked, rule) for place in found}
    chunks, similarities = [chunks[i] for i in order], [similarities[i] for i in order]
    return Case(asked, rule, chunks, similarities, found, relevant)


@cache
def cases() -> list[Case]:
    return [case(seed) for seed in range(N)]


@cache
def ours() -> list[dict[str, float | None]]:
    """All columns of all cases, searched, ranked and scored as in a sweep."""
    rows = []
    for one in cases():
        ranker = Dense(EXACT.open(Path()))
        vectors = np.array([(s, sqrt(1 - s * s)) for s in one.similarities], np.float32).reshape(-1, 2)
        ranker.build(vectors, one.chunks)
        *_, hits = Retriever(ranker, one.chunks, DOCUMENTS).rank(one.question, np.float32([1, 0]), 21)
        scene = replace(context(MEASURED, (), KS, (8,), one.rule), layout=Layout.of(one.chunks))
        rows.append(score_question(one.question, hits, scene))
    return rows


def column(name: str) -> list[float]:
    return [float(row[name] or 0.0) for row in ours()]


@cache
def trec_eval(depth: int | None = None) -> dict[tuple[str, int], float]:
    """By measure and case; `depth`: of the list cut there."""
    qrels, run = [], []
    for number, one in enumerate(cases()):
        # The name that comes last is the document and start that come first.
        names = {place: f"{999 - i}" for i, place in enumerate(sorted(one.found))}
        # A query without any judgement would be left out.
        qrels.append(ir_measures.Qrel(str(number), "elsewhere", 0))
        qrels += [ir_measures.Qrel(str(number), names[p], int(flag)) for p, flag in one.relevant.items()]
        kept = one.by_rank[:depth]
        run += [ir_measures.ScoredDoc(str(number), names[place], one.found[place]) for place in kept]
    wanted = [RR] if depth else [measure @ k for measure in (P, Success, nDCG) for k in KS]
    values = ir_measures.pytrec_eval.iter_calc(wanted, qrels, run)
    return {(str(value.measure), int(value.query_id)): value.value for value in values}


def theirs(measure: str, depth: int | None = None) -> list[float]:
    return [trec_eval(depth)[measure, number] for number in range(N)]


def test_the_cases_are_of_every_kind() -> None:
    def n(kind: Callable[[Case], bool]) -> int:
        return sum(map(kind, cases()))

    def ties(one: Case, k: int = 5) -> bool:
        similarities = sorted(one.found.values(), reverse=True)
        return len(set(similarities[: k + 1])) < len(similarities[: k + 1])

    assert n(lambda one: not one.chunks) > 200
    assert n(ties) > 700
    assert n(lambda one: 0 < len(one.found) < 5) > 400
    assert n(lambda one: not any(one.relevant.values())) > 400
    assert n(lambda one: sum(one.relevant.values()) >= 3) > 250
    assert n(lambda one: any(one.flags(20)) and not any(one.flags(5))) > 50
    assert n(lambda one: len(one.found) < len(one.chunks)) > 500
    assert n(lambda one: sum(one.relevant.values()) > 5) > 50
    assert all(n(lambda one, rule=rule: one.rule == rule) > 500 for rule in RULES)  # type: ignore[misc]


@pytest.mark.parametrize("k", KS)
@pytest.mark.parametrize(
    ("metric", "measure"), [("hit_at", "Success@{}"), ("precision_at", "P@{}"), ("ndcg_at", "nDCG@{}")]
)
def test_ranks_as_trec_eval_counts_them(metric: str, measure: str, k: int) -> None:
    np.testing.assert_allclose(column(f"{metric}_{k}"), theirs(measure.format(k)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", KS)
def test_reciprocal_rank_is_that_of_the_list_cut_at_k(k: int) -> None:
    np.testing.assert_allclose(column(f"mrr_at_{k}"), theirs("RR", k), rtol=0, atol=1e-12)


def ragas_formula() -> Callable[[object, Sequence[int]], float]:
    """The method of the installed ragas that turns verdicts into context precision.

    Read from its source: importing ragas takes eight seconds, and the method needs nothing of it.
    """
    spec = find_spec("ragas")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (folder,) = spec.submodule_search_locations
    source = Path(folder, "metrics", "collections", "context_precision", "metric.py").read_text("utf-8")
    name = "_calculate_average_precision"
    found = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef) and n.name == name]
    module = ast.Module([found[0]], [])
    scope: dict[str, object] = {"np": np, "List": list, "float": float, "int": int}
    exec(compile(module, "ragas", "exec"), scope)
    return scope[name]  # type: ignore[return-value]


@pytest.mark.parametrize("k", KS)
def test_context_precision_is_that_of_ragas_without_its_epsilon(k: int) -> None:
    formula = ragas_formula()
    expected = [formula(None, [int(flag) for flag in one.flags(k)] or [0]) for one in cases()]
    # Its denominator is larger by 1e-10.
    np.testing.assert_allclose(column(f"context_precision_at_{k}"), expected, rtol=0, atol=2e-10)


def test_similarities_are_those_of_the_ranks() -> None:
    for one, row in zip(cases(), ours(), strict=True):
        ranked = [one.found[place] for place in one.by_rank[: max(KS)]]
        first = next((s for s, flag in zip(ranked, one.flags(max(KS)), strict=True) if flag), None)
        assert row["top1_similarity"] == (ranked[0] if ranked else None)
        assert row["first_relevant_similarity"] == first
        assert row["similarity_margin"] == (None if first is None else ranked[0] - first)
