"""One configuration from chunks to numbers, with a lexical embedder whose answers are plain."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import numpy as np
import pytest

from evaluation.cutting import Answered, Cutting, Vectored
from evaluation.embedders.hashing import HashingEmbedder
from evaluation.embedding_desk import EmbeddingDesk
from evaluation.evaluate import Asked, Evaluation, Index, Scorer, evaluate
from evaluation.gold import Evidence, GoldSet, Passage, Question
from evaluation.measured import Measured
from evaluation.metrics import column
from evaluation.ranking import PairDesk, open_ranker
from evaluation.ranking.dense import Dense
from evaluation.retrieval import Hit
from evaluation.scorers import MEASURES, ROW_KEYS
from evaluation.search import Search
from evaluation.settings import Settings
from evaluation.stores.exact import ExactStore
from strategies import build
from strategies.document import Chunk, Document
from strategies.errors import BadInput
from strategies.splitting import split
from strategies.tools import TOKENS, Tools

from .ranking.scene import PlainScorer

# Sentences of six words each, so that windows of six words are sentences.
PARK = "The north gate opens at nine. The south gate opens at ten. All dogs stay on a lead."
POOL = "Swimming costs four euro in summer. Children swim for free all year. The pool closes early in winter."
SETTINGS = Settings(ks=(1, 3), budgets=(16, 64), headline="context_recall_at_16_tokens")


def question(name: str, text: str, document: str, quote: str, **filters: str) -> Question:
    start = {"park": PARK, "pool": POOL}[document].index(quote)
    passage = Passage(document, start, start + len(quote))
    return Question(name, text, (Evidence((passage,)),), ("tag",), filters)


def gold(*questions: Question, documents: Sequence[Document] | None = None) -> GoldSet:
    standard = [Document("park", PARK, {"kind": "rules"}), Document("pool", POOL, {"kind": "prices"})]
    return GoldSet("tiny", tuple(documents or standard), questions, "digest")


QUESTIONS = (
    question("dogs", "Must all dogs stay on a lead?", "park", "All dogs stay on a lead."),
    question("price", "Swimming costs how many euro?", "pool", "Swimming costs four euro in summer."),
)


def run(
    data: GoldSet,
    size: int = 6,
    *,
    settings: Settings = SETTINGS,
    scorers: dict[str, Scorer] | None = None,
    store: ExactStore | None = None,
    shuffle: bool = False,
    limit_tokens: int | None = None,
    cutting: Cutting = Cutting(1.5),
    windows: int | None = None,
    search: Search = Search(),
    reranker: PairDesk | None = None,
) -> Evaluation:
    tools = Tools()
    chunks: list[Chunk] = []
    for document in data.documents:
        chunks += split(document, build("fixed", {"unit": "words", "size": size}), tools)
    if shuffle:
        chunks = [chunks[row] for row in np.random.default_rng(5).permutation(len(chunks))]
    desk = EmbeddingDesk(HashingEmbedder(limit_tokens=limit_tokens), None)
    measured = {
        document.id: Measured.of(document, tools.borders(document, TOKENS)[:-1])
        for document in data.documents
    }
    asked = Asked.of(
        data, desk.vectors([entry.text for entry in data.questions], "query"), measured, settings
    )
    embedded = desk.vectors([chunk.embedded_text for chunk in chunks], "passage")
    embedded = dataclasses.replace(embedded, windows=windows)
    index = Index(data.documents, chunks, embedded, cutting, limit_tokens, search)
    with TemporaryDirectory() as folder:
        ranker = Dense(store) if store else open_ranker(search, Path(folder), reranker)
        return evaluate(index, asked, ranker, scorers=scorers)


def test_it_finds_what_shares_words() -> None:
    result = run(gold(*QUESTIONS))
    assert result.metrics["hit_at_1"] == result.metrics["mrr_at_3"] == 1.0
    assert result.metrics["chunks"] == 6
    assert result.metrics["n_scored"] == result.metrics["n_questions"] == 2
    assert result.metrics["split_ms"] == 1.5
    assert result.curves["mrr_over_k"] == {1: 1.0, 3: 1.0}
    assert set(result.curves["context_recall_over_tokens"]) == {16, 64}
    assert [row["question_id"] for row in result.questions] == ["dogs", "price"]
    assert result.reasons == {}
    assert result.warnings == ()


def test_every_value_is_finite_and_every_share_a_share() -> None:
    result = run(gold(*QUESTIONS))
    assert all(math.isfinite(value) for value in result.metrics.values())
    shares = [
        value
        for name, value in result.metrics.items()
        if name.split("_at_")[0].endswith(("recall", "precision", "hit", "mrr"))
    ]
    assert len(shares) > 10
    assert all(0 <= value <= 1 for value in shares)


def test_the_order_of_the_chunks_changes_nothing() -> None:
    scores = {
        name: value
        for name, value in run(gold(*QUESTIONS)).metrics.items()
        if not name.endswith(("_ms", "_median", "_p95"))
    }
    again = run(gold(*QUESTIONS), shuffle=True).metrics
    health = {
        "overlap_effective",
        "overlapping_borders_share",
        "metadata_bytes",
        "stored_bytes",
        "store_bytes_on_disk",
    }
    assert {name: again[name] for name in scores if name not in health} == {
        name: value for name, value in scores.items() if name not in health
    }


def test_a_question_without_gold_is_counted_and_not_scored() -> None:
    silent = Question("silent", "Anything?", ())
    with_silent, without = run(gold(*QUESTIONS, silent)), run(gold(*QUESTIONS))
    assert with_silent.metrics["n_no_gold"] == 1
    assert with_silent.metrics["mrr_at_3"] == without.metrics["mrr_at_3"]
    assert len(with_silent.questions) == 2


class Failing(ExactStore):
    """A store that fails the first search of a list, once."""

    def __init__(self, failures: int) -> None:
        super().__init__(Path(mkdtemp()))
        self.left = failures

    def search(self, query, depth, documents=None):  # type: ignore[no-untyped-def]
        if self.left:
            self.left -= 1
            raise ConnectionError("the store went away")
        return super().search(query, depth, documents)


def test_a_search_that_fails_counts_zero_in_every_mean() -> None:
    result = run(gold(*QUESTIONS), store=Failing(1))
    assert result.metrics["mrr_at_3"] == result.metrics["hit_at_1"] == 0.5
    assert result.metrics["n_failed"] == 1
    assert result.questions[0]["error"] == "ConnectionError: the store went away"
    assert result.questions[0]["miss"] is None
    assert result.warnings == ("the search failed for 1 question, which counts 0; see its error",)


def test_what_each_question_retrieved_is_kept_to_the_largest_k() -> None:
    silent = Question("silent", "Anything?", ())
    chunks = {"dogs": 2, "price": 3}  # rows of the chunks that hold the evidence
    kept = run(gold(*QUESTIONS, silent)).retrieved
    assert [found.question_id for found in kept] == ["dogs", "price"]
    for found in kept:
        assert len(found.hits) == len(found.relevant) == 3
        assert found.hits[0].chunk == chunks[found.question_id]
        assert found.relevant == (True, False, False)
    lost, _ = run(gold(*QUESTIONS), store=Failing(1)).retrieved
    assert (lost.question_id, lost.hits, lost.relevant) == ("dogs", (), ())


def test_the_filter_of_the_settings_leaves_other_documents_out() -> None:
    only = dataclasses.replace(SETTINGS, filter=(("kind", "rules"),))
    result = run(gold(*QUESTIONS), settings=only)
    assert {hit.document for found in result.retrieved for hit in found.hits} == {"park"}
    assert [row["miss"] for row in result.questions] == [None, "filtered"]
    assert result.metrics["chunks"] == 6


def test_several_failures_are_told_in_the_plural() -> None:
    data = dataclasses.replace(gold(*QUESTIONS, question("gate", "When?", "park", "The")), skipped=("a", "b"))
    result = run(data, store=Failing(2))
    assert result.warnings == (
        "2 unreadable files were left out",
        "the search failed for 2 questions, which count 0; see their errors",
    )
    data = dataclasses.replace(data, skipped=("a",))
    assert run(data).warnings == ("1 unreadable file was left out",)


class FailingForOne(ExactStore):
    """A store that never answers one question."""

    query = None

    def search(self, query, depth, documents=None):  # type: ignore[no-untyped-def]
        self.query = query if self.query is None else self.query
        if np.array_equal(query, self.query):
            raise ConnectionError("it breaks on this one")
        return super().search(query, depth, documents)


def test_a_question_whose_search_always_fails_costs_no_other_its_result() -> None:
    result = run(gold(*QUESTIONS), store=FailingForOne(Path(mkdtemp())))
    assert [row["mrr_at_1"] for row in result.questions] == [None, 1.0]
    assert result.metrics["n_failed"] == 1
    assert result.metrics["timed_queries"] == 1


class FailingDeeper(ExactStore):
    """A store that first finds a single hit, and fails when asked for more."""

    searches = 0

    def search(self, query, depth, documents=None):  # type: ignore[no-untyped-def]
        self.searches += 1
        if self.searches == 2:
            raise ConnectionError("the store went away")
        return super().search(query, 1 if self.searches == 1 else depth, documents)


def test_a_search_that_fails_when_it_goes_deeper_leaves_no_hits() -> None:
    judged: list[Sequence[Hit]] = []

    def watching(asked: Question, hits: Sequence[Hit]) -> float:
        judged.append(hits)
        return 1.0

    result = run(gold(*QUESTIONS), scorers={"judged": watching}, store=FailingDeeper(Path(mkdtemp())))
    assert [len(hits) for hits in judged] == [0, 6]
    assert [row["mrr_at_1"] for row in result.questions] == [None, 1.0]
    assert result.metrics["n_failed"] == 1


def test_a_store_that_always_fails_fails_the_configuration() -> None:
    with pytest.raises(ConnectionError):
        run(gold(*QUESTIONS), store=Failing(2))


def test_a_scorer_that_fails_leaves_a_gap_and_says_so() -> None:
    def strict(asked: Question, hits: Sequence[Hit]) -> float:
        if asked.id == "price":
            raise TimeoutError("no verdict")
        return 1.0

    result = run(gold(*QUESTIONS), scorers={"judged": strict})
    assert result.metrics["judged"] == 1.0
    assert result.metrics["n_failed_judged"] == result.metrics["n_failed"] == 1
    assert result.reasons["judged"] == "not comparable: failed for 1 of 2 questions"
    assert [row["judged"] for row in result.questions] == [1.0, None]
    assert result.metrics["mrr_at_3"] == 1.0  # our own scores are untouched


def test_a_verdict_that_is_no_number_is_a_failure() -> None:
    result = run(gold(*QUESTIONS), scorers={"judged": lambda asked, hits: math.nan})
    assert "judged" not in result.metrics
    assert result.metrics["n_failed_judged"] == 2
    assert [row["judged"] for row in result.questions] == [None, None]


def test_a_scorer_whose_name_is_taken_is_refused_before_any_work() -> None:
    def never(asked: Question, hits: Sequence[Hit]) -> float:
        raise AssertionError

    names = ["mrr_at_7", "precision_omega", "stored_bytes", "miss_flags", "judged", "n_failed_judged"]
    store = ExactStore(Path())
    store.build = store.search = never  # type: ignore[assignment,method-assign]
    with pytest.raises(BadInput) as error:
        run(gold(*QUESTIONS), scorers=dict.fromkeys(names, never), store=store)  # type: ignore[arg-type]
    assert [problem.where for problem in error.value.problems] == [
        f"scorer {name}" for name in sorted(names) if name != "judged"
    ]


def test_mrr_under_every_rule_of_relevance() -> None:
    """Chunks of four words: two share the evidence, none holds it whole; a quote inside one is held by it."""
    across = question("across", "opens at nine The south gate", "park", "opens at nine. The south gate opens")
    inside = question("inside", "Swimming costs", "pool", "Swimming costs")
    result = run(gold(across, inside), size=4)
    any_text, half, whole = (result.metrics[f"mrr_{rule}"] for rule in ("any", "half", "contains"))
    assert half == result.metrics["mrr_at_3"]  # the rule of these settings, at the largest K
    assert whole == 0.5  # the second at rank 1, the first nowhere
    assert any_text == 1
    assert half >= whole
    for rule, found in (("any", any_text), ("contains", whole)):
        other = run(gold(across, inside), size=4, settings=dataclasses.replace(SETTINGS, rule=rule))
        assert other.metrics["mrr_at_3"] == found
        assert {name: other.metrics[name] for name in ("mrr_any", "mrr_half", "mrr_contains")} == {
            "mrr_any": any_text,
            "mrr_half": half,
            "mrr_contains": whole,
        }


def test_without_questions_no_rule_has_a_rank() -> None:
    result = run(gold())
    for rule in ("any", "half", "contains"):
        assert f"mrr_{rule}" not in result.metrics
        assert result.reasons[f"mrr_{rule}"] == "no question has evidence"


def test_a_question_names_the_documents_of_its_evidence() -> None:
    both = Question(
        "both",
        "When does the north gate open, and what does swimming cost?",
        (Evidence((Passage("pool", 0, 8), Passage("park", 0, 9))), Evidence((Passage("park", 10, 14),))),
    )
    assert [row["documents"] for row in run(gold(*QUESTIONS, both)).questions] == [
        ["park"],
        ["pool"],
        ["park", "pool"],
    ]


BY_MODELS = Cutting(1.5, Vectored(3, 40, 2.5, True), Answered(2, 300, 20, 900.0, 0.01))


def test_the_names_that_no_scorer_may_have_are_those_of_the_results() -> None:
    reranking = Search(rerank="plain", candidates=2)
    reranker = PairDesk(PlainScorer(), None)
    result = run(gold(*QUESTIONS), cutting=BY_MODELS, windows=3, search=reranking, reranker=reranker)
    named = {name for name in MEASURES if not name.startswith("judge_")}  # there with a jury alone
    assert {name for name in result.metrics if column(name) is None} == named
    assert {name for name in result.questions[0] if column(name) is None} == set(ROW_KEYS)


def test_what_cutting_cost_is_told_apart_and_counted_in() -> None:
    plain, by_models = run(gold(*QUESTIONS)).metrics, run(gold(*QUESTIONS), cutting=BY_MODELS).metrics
    assert by_models["tokens_embedded"] == plain["tokens_embedded"] + 40
    told = {name: by_models[name] for name in by_models.keys() - plain.keys()}
    assert told == {
        "split_tokens_embedded": 40,
        "split_embed_ms": 2.5,
        "llm_calls": 2,
        "llm_input_tokens": 300,
        "llm_output_tokens": 20,
        "llm_ms": 900.0,
        "llm_cost": 0.01,
    }


def test_what_is_not_known_of_the_cost_is_missing_with_its_reason() -> None:
    elsewhere = Cutting(1.5, Vectored(3, 40, 2.5, False), Answered(2, 300, 20, 900.0, None))
    result = run(gold(*QUESTIONS), cutting=elsewhere)
    assert not {"split_embed_ms", "llm_cost"} & result.metrics.keys()
    assert "another machine" in result.reasons["split_embed_ms"]
    assert result.reasons["llm_cost"] == "no price was given for the model's tokens"


def test_only_ties_among_the_hits_that_count_are_counted() -> None:
    data = gold(*QUESTIONS)
    one, all_of_them = (
        dataclasses.replace(SETTINGS, ks=(k,), headline="context_recall_at_16_tokens") for k in (1, 6)
    )
    assert run(data, settings=one).metrics["tied_queries"] == 0
    assert run(data, settings=all_of_them).metrics["tied_queries"] == 2  # chunks without a word in common


def test_blank_documents_give_zeros_and_reasons() -> None:
    blank = GoldSet("blank", (Document("d", " \n\n "),), (Question("q", "Anything?", ()),), "digest")
    result = run(blank)
    assert result.metrics["chunks"] == 0
    assert all(math.isfinite(value) for value in result.metrics.values())
    assert result.reasons["search_ms_median"] == "no question was asked"
    assert result.warnings == ("no chunks: every document is blank",)


def test_questions_to_an_index_of_nothing_score_zero() -> None:
    documents = [Document("park", " " * len(PARK)), Document("pool", POOL)]
    outside = Question("q", "Swimming?", (Evidence((Passage("pool", 0, 8),)),), filter={"kind": "rules"})
    result = run(gold(outside, documents=documents))
    assert result.metrics["mrr_at_3"] == result.metrics["context_recall_at_64_tokens"] == 0.0
    assert result.questions[0]["miss"] == "filtered"
    assert result.metrics["misses_filtered"] == result.metrics["misses_total"] == 1


def test_evidence_past_the_limit_is_a_truncated_miss() -> None:
    late = question("winter", "When does the pool close?", "pool", "The pool closes early in winter.")
    settings = dataclasses.replace(SETTINGS, budgets=(4,), headline="context_recall_at_4_tokens")
    result = run(gold(late), size=40, limit_tokens=4, settings=settings)
    assert result.metrics["truncated_chunks"] == 2
    assert result.questions[0]["miss"] == "truncated"
    assert "pass the embedder's limit of 4 tokens" in result.warnings[0]


def test_k_beyond_the_index_is_no_error() -> None:
    settings = dataclasses.replace(SETTINGS, ks=(1, 500), budgets=(16, 100_000))
    result = run(gold(*QUESTIONS), settings=settings)
    assert result.metrics["context_recall_at_500"] == result.metrics["answerable_at_100000_tokens"] == 1.0
    assert result.metrics["precision_at_500"] == pytest.approx(1 / 500)


def test_only_scores_of_vectors_pass_for_similarities() -> None:
    reranker = PairDesk(PlainScorer(), None)
    for search in (
        Search(retriever="bm25"), Search(retriever="hybrid"), Search(rerank="plain"),
        Search(retriever="bm25", rerank="plain"),
    ):  # fmt: skip
        result = run(gold(*QUESTIONS), search=search, reranker=reranker if search.rerank else None)
        for name in ("top1_similarity", "first_relevant_similarity", "similarity_margin"):
            assert name not in result.metrics
            assert "no similarities of vectors" in result.reasons[name]
            assert [row[name] for row in result.questions] == [None, None]
    assert run(gold(*QUESTIONS)).metrics["top1_similarity"] > 0.5


def test_words_that_a_question_shares_with_nothing_leave_the_list_short() -> None:
    """No chunk that shares no word is retrieved to fill up a depth or a budget."""
    odd = question("odd", "Winter hours?", "pool", "The pool closes early in winter.")
    result = run(gold(odd), search=Search(retriever="bm25"))
    assert len(result.retrieved[0].hits) == 1
    assert result.metrics["mrr_at_3"] == 1.0
    assert result.metrics["precision_at_3"] == pytest.approx(1 / 3)
    silent = question("silent", "Quando?", "pool", "The pool closes early in winter.")
    nothing = run(gold(silent, *QUESTIONS), search=Search(retriever="bm25"))
    assert nothing.retrieved[0].hits == ()
    assert nothing.questions[0]["error"] is None
    assert nothing.metrics["n_failed"] == 0
    assert nothing.questions[0]["mrr_at_3"] == 0.0


def test_the_scope_of_a_search_is_that_of_its_evidence() -> None:
    settings = dataclasses.replace(SETTINGS, ks=(1, 6))
    everywhere, own = (
        run(gold(*QUESTIONS), settings=settings, search=Search(scope=scope))  # type: ignore[arg-type]
        for scope in ("corpus", "document")
    )
    assert [len(found.hits) for found in everywhere.retrieved] == [6, 6]
    assert [{hit.document for hit in found.hits} for found in own.retrieved] == [{"park"}, {"pool"}]
    assert own.metrics["chunks"] == everywhere.metrics["chunks"] == 6
    assert own.metrics["store_recall"] == 1.0


def test_pairs_of_another_machine_leave_the_time_of_reranking_out() -> None:
    search, desk = Search(rerank="plain"), PairDesk(PlainScorer(), None)
    here = run(gold(*QUESTIONS), search=search, reranker=desk)
    assert here.metrics["rerank_ms_median"] > 0
    assert here.metrics["rerank_pairs"] == 12
    desk._machine = "another processor x64"
    there = run(gold(*QUESTIONS), search=search, reranker=desk)
    assert "rerank_ms_median" not in there.metrics
    assert "another machine" in there.reasons["rerank_ms_p95"]
    assert there.retrieved == here.retrieved
