"""Records -> what they say: intervals, comparisons, the recommendation, and the tables to take away."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from evaluation.cost import FREE, Prices, costs
from evaluation.gold.provenance import provenance_warnings, proxies_alone
from evaluation.misses import REMEDIES
from evaluation.statistics import Recommendation, Side, recommend
from experiments.ceiling import below_ceiling
from experiments.compared import PAID, Compared, compared, paid
from experiments.notes import notes_of
from experiments.patterns import remedy
from experiments.records import RunRecord
from experiments.tables import Table, frame, in_currency, long, retrieved, told, wide
from experiments.verdicts import AGREEMENT, agreement, front, report, verdicts
from strategies.errors import BadInput, listed
from strategies.parameters import made

if TYPE_CHECKING:
    import pandas as pd


BY_PROXIES = "By proxies alone, with no question that a person asked:"
"""Before a recommendation that rests on nothing else."""


@dataclass(frozen=True, slots=True)
class Judging:
    """By what the configurations of a sweep are compared, and which belong to it."""

    headline: str
    margin: float
    baseline: str | None
    seed: int
    repeats: int
    config_ids: tuple[str, ...]
    """In the order of the grid."""
    notes: tuple[str, ...] = ()
    """Warnings about the data that hold for every configuration."""
    test_questions: tuple[str, ...] = ()
    """Questions kept for the report by the sweep's split; what is chosen is chosen on the others."""
    prices: Prices = FREE
    """What costs are reckoned with."""
    data_digest: str = ""
    """Identity of the documents and questions; empty where an older version described the sweep."""
    searched_tokens: int = 0
    """Tokens of all documents that are searched; 0 where an older version described the sweep."""

    def to_json(self) -> str:
        """JSON text that `from_json` gives back."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Judging:
        """The value that `to_json` wrote; raises ValueError for anything else."""
        try:
            content = json.loads(text)
            lists = {name: tuple(content[name]) for name in ("config_ids", "notes")}
            lists["test_questions"] = tuple(content.get("test_questions", ()))
            prices = made(Prices, content.get("prices", {}), "prices")
            return cls(**{**content, **lists, "prices": prices})
        except (AttributeError, BadInput, KeyError, TypeError) as error:
            raise ValueError(f"not a description of a sweep: {error}") from error


@dataclass(frozen=True)
class SweepResult:
    """A sweep's records with what the statistics say about them."""

    name: str
    judging: Judging
    records: tuple[RunRecord, ...]
    """Configurations in the order of the grid, repeats in order."""
    recommendation: Recommendation
    statistics: Mapping[str, Mapping[str, Any]]
    """Configuration name -> what the table holds beside measures: the verdict, and costs."""
    notes: tuple[str, ...] = ()
    """What to know before trusting the comparison."""
    sensitivity: str = ""
    """How far the ranking depends on the rule of relevance; empty where that is not known."""
    traffic: str = ""
    """What the embedder was asked, as one line; empty if nothing ran."""
    ran: int = 0
    """Configurations that this launch measured."""

    @property
    def failed(self) -> tuple[RunRecord, ...]:
        """Configurations that did not finish."""
        return tuple(record for record in self.records if record.status == "failed")

    @property
    def table(self) -> Table:
        """One row a configuration."""
        table = wide(self.records, self.statistics)
        return self.told(in_currency(table, self.judging.prices.currency))

    @property
    def questions(self) -> Table:
        """One row a configuration, metric and question."""
        return self.told(long(self.records, sides_of(self.judging, self.records)))

    @property
    def retrieved(self) -> Table:
        """One row a configuration, question and hit."""
        return self.told(retrieved(self.records, sides_of(self.judging, self.records)))

    def told(self, table: Table) -> Table:
        """A table made of these records, with the recommendation and the notes that belong to all of them."""
        return told(table, self.recommendation, self.notes)

    @property
    def provenance(self) -> tuple[str, ...]:
        """What to know of questions that no person wrote; it is among `notes`, too."""
        asked = next((record.questions for record in self.records if record.questions), ())
        return tuple(provenance_warnings(row.get("synthetic") for row in asked))

    def to_frame(self) -> pd.DataFrame:
        """One row a configuration, as a pandas frame; `attrs`, as of others: `notes`, `recommendation`."""
        return self._frame(self.table)

    def questions_frame(self) -> pd.DataFrame:
        """One row a configuration, metric and question, as a pandas frame."""
        return self._frame(self.questions)

    def retrieved_frame(self) -> pd.DataFrame:
        """One row a configuration, question and hit, as a pandas frame."""
        return self._frame(self.retrieved)

    def groups_frame(self, by: str = "tag") -> pd.DataFrame:
        """One row a kind of question and configuration, as a pandas frame: see `experiments.matrix`."""
        from experiments.matrix import by_group

        return self._frame(by_group(self, by))

    def _frame(self, table: Table) -> pd.DataFrame:
        made = frame(table)
        made.attrs["notes"] = list(self.notes)
        made.attrs["recommendation"] = self.recommendation.sentence
        return made

    def misses(self) -> list[tuple[str, int, str]]:
        """Why the best configuration misses questions: reason, how many, what to do.

        With a split only the questions to choose on are counted, as users act on what this says.
        """
        best = next((record for record in self.records if record.name == self.recommendation.best), None)
        if best is None:
            return []
        sides = sides_of(self.judging, self.records)
        if sides:
            asked = (row for row in best.questions if sides.get(row["question_id"]) == "dev")
            counts = Counter(row.get("miss") for row in asked)
        else:
            counts = Counter({reason: int(best.metrics.get(f"misses_{reason}", 0)) for reason in REMEDIES})
        return [
            (reason, counts[reason], remedy(reason, best.params)) for reason in REMEDIES if counts[reason]
        ]


def judge(
    name: str, judging: Judging, records: Sequence[RunRecord], *, traffic: str = "", ran: int = 0
) -> SweepResult:
    """Compare the records of a sweep."""
    order = {config_id: place for place, config_id in enumerate(judging.config_ids)}
    asked = [r for r in records if r.config_id in order and r.repeat < judging.repeats]
    asked, elsewhere = of_one_data(asked, judging.data_digest)
    kept = sorted(asked, key=lambda r: (order[r.config_id], r.repeat))
    whole = compared(judging, kept)
    against = replace(judging, baseline=None) if judging.baseline in whole.apart else judging
    names, finished = whole.names, whole.finished
    sides = sides_of(judging, kept)
    dev, test = whole, None
    if sides:
        dev, test = (whole.only({key for key in sides if sides[key] == side}) for side in ("dev", "test"))
    spent = {cost: [paid(finished[key][0].metrics)[cost] for key in names] for cost in PAID}
    recommendation = recommend(
        names,
        dev.scores,
        dev.units.labels,
        tokens_embedded=spent["tokens_embedded"],
        stored_bytes=spent["stored_bytes"],
        llm_tokens=spent["llm_tokens"],
        rerank_pairs=spent["rerank_pairs"],
        eligible=whole.eligible,
        margin=judging.margin,
        seed=judging.seed,
        side="dev" if sides else None,
        among=_proxies(dev),
    )
    recommendation = below_ceiling(recommendation, dev, judging)
    if kept and not names:
        sentence = "Nothing to recommend: every configuration failed."
        recommendation = replace(recommendation, sentence=sentence)
    if recommendation.kind != "nothing" and proxies_alone(row.get("synthetic") for row in dev.questions):
        recommendation = replace(recommendation, sentence=f"{BY_PROXIES} {recommendation.sentence}")
    if test is not None:
        said = f"{recommendation.sentence} {report(dev, test, recommendation, against)}".strip()
        recommendation = replace(recommendation, sentence=said)
    statistics = verdicts(whole, dev, test, recommendation, against)
    for key in whole.apart:
        statistics[key]["apart"] = True
    on_front, without = front(dev, judging)
    tau, sensitivity = agreement(whole)
    for key in names:
        statistics[key] |= {**on_front.get(key, {}), "rule_tau": tau}
    for key in names:
        statistics[key] |= costs(judging.prices, finished[key][0].metrics, judging.headline)
    notes = notes_of(
        whole,
        dev,
        test,
        judging,
        recommendation,
        kept,
        elsewhere=elsewhere,
        front=without,
        sensitivity=sensitivity if tau is not None and tau < AGREEMENT else "",
    )
    return SweepResult(
        name, judging, tuple(kept), recommendation, statistics, tuple(notes), sensitivity, traffic, ran
    )


def of_one_data(records: Sequence[RunRecord], digest: str) -> tuple[list[RunRecord], list[str]]:
    """The records of one data set, and a note on those of others: their numbers do not compare.

    Without a `digest` the data are those of the newest record. One that does not name its data is kept.
    """
    known = [record for record in records if record.versions.get("data_digest")]
    if not digest and known:
        digest = max(known, key=lambda record: record.ended_at or 0.0).versions["data_digest"]
    others = [record for record in known if record.versions["data_digest"] != digest]
    if not others:
        return list(records), []
    same = [record for record in records if record.versions.get("data_digest") in (None, "", digest)]
    found = sorted({record.versions["data_digest"][:16] for record in others})
    count = "1 run was" if len(others) == 1 else f"{len(others):,} runs were"
    note = (
        f"{count} measured on other documents or questions (data digest {listed(found)}, here {digest[:16]}) "
        "and left out: such numbers do not compare"
    )
    return same, [note]


def _proxies(dev: Compared) -> str:
    """How many of the questions that decide are proxies; empty if none are, or all, which is said at once."""
    made = [row.get("synthetic") for row in dev.questions]
    proxies = made.count("proxy")
    return f"{proxies:,} of them proxies" if 0 < proxies < len(made) else ""


def sides_of(judging: Judging, records: Sequence[RunRecord]) -> dict[str, Side]:
    """Question id -> its side of the split; empty without one."""
    kept = set(judging.test_questions)
    asked = (row.get("question_id") for record in records for row in record.questions)
    return {key: "test" if key in kept else "dev" for key in asked if key} if kept else {}
