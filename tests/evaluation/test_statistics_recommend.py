from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from evaluation.statistics import Recommendation, recommend
from strategies.errors import BadInput

Floats = np.ndarray
Draw = Callable[[np.random.Generator, int], Floats]


def advise(
    scores: Floats,
    *,
    cost: Sequence[float] | None = None,
    stored: Sequence[float] | None = None,
    eligible: Sequence[bool] | None = None,
    margin: float = 0.02,
    permutations: int = 300,
    seed: int = 1,
) -> Recommendation:
    """Advice on columns a, b, c ...; each costs more than the one before, unless said."""
    columns = scores.shape[1]
    return recommend(
        "abcdefghijklmnopqrstuvwxyz"[:columns],
        scores,
        range(len(scores)),
        tokens_embedded=cost if cost is not None else range(1000, 1000 + 100 * columns, 100),
        stored_bytes=stored if stored is not None else [5000] * columns,
        eligible=eligible,
        margin=margin,
        permutations=permutations,
        seed=seed,
    )


def near(questions: int, gaps: Sequence[float], noise: float = 0.02) -> Floats:
    """Columns that lose `gaps` to one common score, with a little noise of their own."""
    generator = np.random.default_rng(7)
    common = generator.uniform(0.3, 0.7, (questions, 1))
    return common - np.array(gaps) + generator.normal(0, noise, (questions, len(gaps)))


def test_the_cheapest_that_loses_little_is_recommended_over_the_best() -> None:
    advice = advise(near(400, [0.1, 0.008, 0]))
    assert (advice.kind, advice.name, advice.best) == ("recommend", "b", "c")
    assert advice.loss_bounds[1] is not None
    assert 0.008 < advice.loss_bounds[1] <= 0.02
    assert advice.sentence.startswith("Recommended: b (mean ")
    assert "95 % confidence" in advice.sentence
    assert "margin 0.02" in advice.sentence
    assert "Beside c, b embeds 8 % fewer tokens and stores as many bytes." in advice.sentence


def test_the_margin_decides_how_much_may_be_lost() -> None:
    scores = near(400, [0.1, 0.008, 0])
    assert advise(scores, margin=0.2).name == "a"
    assert advise(scores, margin=0.005).name == "c"


def test_stored_bytes_and_then_the_name_break_ties_of_cost() -> None:
    scores = np.ones((400, 3))
    assert advise(scores, cost=[9, 9, 9], stored=[5, 4, 5]).name == "b"
    assert advise(scores, cost=[9, 9, 9], stored=[5, 5, 5]).name == "a"


def test_what_every_question_pays_for_is_dearer_than_what_the_corpus_pays_once() -> None:
    scores = np.tile(np.linspace(0.2, 0.8, 400)[:, None], (1, 2))
    paid = {"tokens_embedded": [0, 9000], "stored_bytes": [10, 5000]}  # words reranked, and vectors
    found = recommend(["a", "b"], scores, range(400), **paid, rerank_pairs=[100, 0], seed=7)
    assert found.name == "b"
    assert recommend(["a", "b"], scores, range(400), **paid, seed=7).name == "a"
    asked = recommend(["a", "b"], scores, range(400), **paid, rerank_pairs=[9, 0], llm_tokens=[0, 5], seed=7)
    assert asked.name == "a"


def test_the_best_is_recommended_when_all_others_are_excluded() -> None:
    advice = advise(near(60, [0.2, 0.15, 0], noise=0.1))
    assert (advice.kind, advice.name, advice.tied) == ("recommend", "c", ("c",))
    assert advice.loss_bounds[2] == 0
    assert "all others are shown to be worse" in advice.sentence
    assert "The cheapest, a, loses 0." in advice.sentence


def test_small_sets_cannot_tell_and_say_how_many_questions_it_would_take() -> None:
    scores = (np.random.default_rng(0).random((40, 4)) < 0.6).astype(float)
    advice = advise(scores)
    assert (advice.kind, advice.name) == ("cannot_tell", None)
    assert advice.best in advice.tied
    assert advice.questions_needed is not None
    assert advice.questions_needed > 40
    assert advice.sentence.startswith("Cannot tell from 40 questions: ")
    assert f"About {advice.questions_needed:,} questions like these would settle it." in advice.sentence


def test_equal_columns_of_a_small_set_cannot_be_told_apart() -> None:
    """Two columns need 149 questions to show that a loss of 2 % is not there; 150 in two digits."""
    advice = advise(np.ones((80, 2)))
    assert advice.kind == "cannot_tell"
    assert advice.tied == ("a", "b")
    assert advice.questions_needed == 150
    assert advise(np.ones((148, 2))).kind == "cannot_tell"
    assert advise(np.ones((149, 2))).name == "a"


def test_units_count_and_not_questions() -> None:
    """149 units of four questions each."""
    scores = np.ones((320, 2))
    advice = recommend(
        "ab",
        scores,
        np.repeat(range(80), 4),
        tokens_embedded=[1, 2],
        stored_bytes=[1, 1],
        permutations=50,
        seed=1,
    )
    assert advice.kind == "cannot_tell"
    assert advice.questions_needed == 600


def test_nothing_settles_a_margin_of_zero_between_equals() -> None:
    advice = advise(np.ones((80, 2)), margin=0)
    assert (advice.kind, advice.questions_needed) == ("cannot_tell", None)
    assert "No practical number of questions" in advice.sentence


def test_a_row_that_is_not_eligible_takes_no_part() -> None:
    scores = near(400, [0.1, 0.008, 0, 0])
    scores[:, 3] = np.nan
    advice = advise(scores, eligible=[True, True, True, False])
    without = advise(scores[:, :3])
    assert (advice.name, advice.best, advice.tied) == (without.name, without.best, without.tied)
    assert advice.loss_bounds == (*without.loss_bounds, None)
    assert advice.sentence.endswith("Left out, as truncated or not comparable: 1 of 4.")


def test_the_cheapest_that_measured_best_is_not_set_beside_a_dearer_one() -> None:
    """Nothing dearer is offered as a saving."""
    draw = np.random.default_rng(3)
    scores = (draw.random((60, 2)) < [0.8, 0.7]).astype(float)
    advice = advise(scores, cost=[1, 2])
    assert (advice.kind, advice.best) == ("cannot_tell", "a")
    assert "It is not clearly cheaper than a." in advice.sentence
    assert "Beside" not in advice.sentence
    ending = "So a is the one to take for now: nothing that is clearly cheaper may be better."
    assert advice.sentence.endswith(ending)


@pytest.mark.parametrize(
    ("cost", "stored", "offered"),
    [
        ([80, 100], [50, 50], True),
        ([80, 100], [54, 50], True),  # 8 % more is as much
        ([99, 100], [50, 50], False),  # under 1 % fewer is as many
        ([99, 100], [30, 50], True),
        ([80, 100], [60, 50], False),  # who saves the one pays the other
    ],
)
def test_only_what_costs_clearly_less_and_nowhere_more_is_offered_as_a_saving(
    cost: list[float], stored: list[float], offered: bool
) -> None:
    scores = near(40, [0.02, 0.0], noise=0.1)
    advice = advise(scores, cost=cost, stored=stored)
    assert (advice.kind, advice.best) == ("cannot_tell", "b")
    assert ("So take a if a loss of" in advice.sentence) is offered
    assert ("b is the one to take for now" in advice.sentence) is not offered
    assert ("Beside b, a embeds" in advice.sentence) is offered


def test_the_saving_that_is_offered_need_not_be_the_very_cheapest() -> None:
    """`a` embeds least by a hair and stores more; `b` stores half."""
    advice = advise(near(40, [-0.01, 0.01, 0.0], noise=0.1), cost=[98, 99, 100], stored=[60, 25, 50])
    assert (advice.kind, advice.best) == ("cannot_tell", "c")
    assert "The cheapest of those that are clearly cheaper, b, may be" in advice.sentence
    assert "So take b if a loss of" in advice.sentence


def test_where_more_than_half_may_be_lost_nothing_is_offered() -> None:
    scores = np.array([[1.0, 1.0]] * 5 + [[0.0, 1.0]] * 2 + [[1.0, 0.0]] * 2)
    for cost in ([1, 2], [2, 1]):
        advice = advise(scores, cost=cost)
        assert advice.kind == "cannot_tell"
        assert "So take" not in advice.sentence
        assert "the one to take" not in advice.sentence
        assert advice.sentence.endswith("So much may be lost that nothing can be chosen yet.")


def test_the_sentence_says_what_the_questions_are() -> None:
    def said(scores: Floats) -> str:
        paid = {"tokens_embedded": [1, 2], "stored_bytes": [1, 1]}
        return recommend("ab", scores, range(len(scores)), **paid, seed=1, among="7 of them made").sentence

    told = said(near(40, [0.02, 0], noise=0.1))
    assert told.startswith("Cannot tell from 40 questions, 7 of them made: b measured best")
    assert said(near(400, [0.3, 0])).startswith("Recommended by 400 questions, 7 of them made: b (mean ")


def test_the_only_eligible_row_is_no_choice() -> None:
    advice = advise(np.full((5, 2), 0.5), eligible=[False, True])
    assert (advice.kind, advice.name, advice.best, advice.tied) == ("nothing", None, "b", ("b",))
    assert "the only configuration that can be compared" in advice.sentence


@pytest.mark.parametrize(
    ("scores", "eligible", "reason"),
    [
        (np.empty((0, 2)), None, "no question is scored"),
        (np.empty((5, 0)), None, "no configuration was run"),
        (np.ones((5, 2)), [False, False], "every configuration is truncated"),
    ],
)
def test_nothing_to_compare(scores: Floats, eligible: Sequence[bool] | None, reason: str) -> None:
    advice = advise(scores, eligible=eligible)
    assert (advice.kind, advice.name, advice.best, advice.tied) == ("nothing", None, None, ())
    assert reason in advice.sentence


def test_one_question_cannot_tell() -> None:
    advice = advise(np.array([[0.0, 1.0]]))
    assert (advice.kind, advice.best) == ("cannot_tell", "b")
    assert advice.sentence.startswith("Cannot tell from 1 question: ")


def test_all_faults_are_reported_together() -> None:
    with pytest.raises(BadInput) as caught:
        recommend(
            ["a", "a"],
            np.ones((3, 3)),
            range(3),
            tokens_embedded=[1, math.nan],
            stored_bytes=[1],
            eligible=[True],
            margin=-1,
            seed=1,
        )
    places = [problem.where for problem in caught.value.problems]
    assert places == ["scores", "names", "eligible", "tokens_embedded", "stored_bytes", "margin"]


def test_a_missing_score_in_an_eligible_row_is_refused() -> None:
    with pytest.raises(BadInput, match="missing"):
        advise(np.array([[1.0, np.nan]]))


@settings(deadline=None)
@given(
    scores=hnp.arrays(
        np.float64,
        st.tuples(st.integers(0, 30), st.integers(0, 4)),
        elements=st.sampled_from([0.0, 0.25, 1.0]),
    ),
    margin=st.sampled_from([0, 0.02, 0.3, 1]),
    data=st.data(),
)
def test_every_table_gets_a_sound_answer(scores: Floats, margin: float, data: st.DataObject) -> None:
    columns = scores.shape[1]
    eligible = data.draw(st.lists(st.booleans(), min_size=columns, max_size=columns))
    cost = data.draw(st.lists(st.integers(0, 3), min_size=columns, max_size=columns))
    advice = advise(scores, eligible=eligible, cost=cost, margin=margin, permutations=40)
    names = [name for name, may in zip("abcd", eligible, strict=False) if may]
    assert "nan" not in advice.sentence.split()
    assert "inf" not in advice.sentence.split()
    assert advice.sentence.endswith(".")
    if advice.kind == "nothing":
        assert len(names) < 2 or not len(scores)
        return
    assert advice.best in advice.tied
    assert set(advice.tied) <= set(names)
    assert [bound is not None for bound in advice.loss_bounds] == eligible
    assert all(0 <= bound <= 1 for bound in advice.loss_bounds if bound is not None)
    if advice.kind == "recommend":
        bound = advice.loss_bounds["abcd".index(advice.name or "")]
        assert bound is not None
        assert bound <= margin + 1e-9
        cheaper = [
            i for i in range(columns) if eligible[i] and cost[i] < cost["abcd".index(advice.name or "")]
        ]
        assert all((advice.loss_bounds[i] or 0) > margin for i in cheaper)
    else:
        assert len(advice.tied) > 1
        assert advice.questions_needed is None or advice.questions_needed > len(scores)


def loser_fails_alone(share: float, loss: float) -> Draw:
    """The cheap column is the best one, except that it loses some of its answers."""

    def draw(generator: np.random.Generator, questions: int) -> Floats:
        best = generator.random(questions) < share
        return np.column_stack((best & (generator.random(questions) >= loss / share), best)).astype(float)

    return draw


def independent(share: float, loss: float) -> Draw:
    return lambda generator, questions: (
        generator.random((questions, 2)) < np.array([share - loss, share])
    ).astype(float)


def losers(share: float, loss: float, count: int) -> Draw:
    """Several cheap losers, each of which loses other answers."""

    def draw(generator: np.random.Generator, questions: int) -> Floats:
        best = generator.random((questions, 1)) < share
        kept = generator.random((questions, count)) >= loss / share
        return np.hstack((best & kept, best)).astype(float)

    return draw


def twin_losers(share: float, loss: float) -> Draw:
    """Two losers with equal answers: one is always within the margin of the other."""

    def draw(generator: np.random.Generator, questions: int) -> Floats:
        pair = independent(share, loss)(generator, questions)
        return pair[:, [0, 0, 1]]

    return draw


def wrong(draw: Draw, questions: int, trials: int = 300) -> float:
    """Share of trials in which anything but the last column, the one that is truly better, is recommended."""
    count = 0
    for seed in range(trials):
        scores = draw(np.random.default_rng(seed), questions)
        last = "abcdefghijklmnopqrstuvwxyz"[scores.shape[1] - 1]
        count += advise(scores, permutations=199, seed=seed).name not in (None, last)
    return count / trials


@pytest.mark.parametrize(
    "draw",
    [
        *(loser_fails_alone(share, 0.08) for share in (1.0, 0.9, 0.5, 0.1)),
        *(independent(share, 0.08) for share in (1.0, 0.9, 0.7, 0.5, 0.3, 0.1)),
        losers(0.9, 0.08, 6),
        twin_losers(0.7, 0.08),
    ],
)
def test_of_twenty_questions_a_cheap_loser_of_eight_points_is_hardly_ever_recommended(draw: Draw) -> None:
    assert wrong(draw, questions=20) <= 0.01


@pytest.mark.parametrize(
    ("draw", "questions"),
    [
        (loser_fails_alone(1, 0.021), 150),
        (loser_fails_alone(0.7, 0.021), 500),
        (losers(1, 0.021, 11), 500),
        (twin_losers(0.7, 0.03), 200),
    ],
)
def test_more_than_the_margin_is_lost_in_at_most_five_percent(draw: Draw, questions: int) -> None:
    """Losses just past the margin, of one or many losers, are where a bound that is too close would show."""
    assert wrong(draw, questions, trials=200) <= 0.05
