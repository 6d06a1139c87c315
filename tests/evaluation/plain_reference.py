"""The definitions of the metrics once more, slowly, on sets of single characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from math import log2

from evaluation.gold import Passage, Question

Place = tuple[str, int, int]
Point = tuple[str, int]


def points(place: Place | Passage) -> set[Point]:
    document, start, end = (place.document, place.start, place.end) if isinstance(place, Passage) else place
    return {(document, i) for i in range(start, end)}


class Reference:
    def __init__(
        self,
        texts: Mapping[str, str],
        tokens: Mapping[str, Sequence[int]],
        question: Question,
        ranked: Sequence[Place],
        index: Sequence[Place],
        rule: str,
    ) -> None:
        self.texts, self.tokens, self.question, self.rule = texts, tokens, question, rule
        self.ranked = list(dict.fromkeys(ranked))
        self.index = sorted(set(index))

    def solid(self, some: set[Point]) -> set[Point]:
        return {(document, i) for document, i in some if not self.texts[document][i].isspace()}

    def evidence(self, text: set[Point]) -> set[Point]:
        """E: of each entry the passage with the largest share in the text, the first where equal."""

        def share(passage: Passage) -> float:
            solid = self.solid(points(passage))
            return len(solid & text) / len(solid)

        return set().union(*(points(max(entry.passages, key=share)) for entry in self.question.evidence))

    def relevant(self, hit: Place) -> bool:
        for entry in self.question.evidence:
            for passage in entry.passages:
                common = len(points(hit) & points(passage))
                enough = {
                    "any": common > 0,
                    "half": common > 0 and common / min(len(points(hit)), len(points(passage))) >= 0.5,
                    "contains": points(passage) <= points(hit),
                }
                if enough[self.rule]:
                    return True
        return False

    def top(self, k: int) -> set[Point]:
        return set().union(*map(points, self.ranked[:k]))

    def n_tokens(self, text: set[Point]) -> int:
        return sum(self.tokens[document].count(i) for document, i in text)

    def poured(self, budget: int) -> set[Point]:
        """Whole hits while they fit; then character by character, until one would cost a token too many."""
        text: set[Point] = set()
        for hit in self.ranked:
            if self.n_tokens(text) >= budget:
                break
            if self.n_tokens(text | points(hit)) <= budget:
                text |= points(hit)
                continue
            last = None
            for document, i in sorted(points(hit) - text):
                if i - 1 != last and self.n_tokens(text) >= budget:
                    break
                if self.n_tokens(text | {(document, i)}) > budget:
                    break
                text.add((document, i))
                last = i
            break
        return text

    def recall(self, text: set[Point]) -> float:
        evidence = self.solid(self.evidence(text))
        return len(evidence & text) / len(evidence)

    def char_precision(self, text: set[Point]) -> float:
        return len(self.evidence(text) & text) / len(text) if text else 0.0

    def iou(self, text: set[Point]) -> float:
        evidence = self.evidence(text)
        return len(evidence & text) / len(evidence | text)

    def discounted_recall(self, k: int) -> float:
        evidence = self.solid(self.evidence(self.top(k)))
        found = [len(evidence & self.top(rank)) for rank in range(k + 1)]
        new = [after - before for before, after in pairwise(found)]
        return sum(n / log2(rank + 1) for rank, n in enumerate(new, start=1)) / len(evidence)

    def ndcg(self, k: int) -> float:
        gains = [1 / log2(rank + 1) for rank in range(1, k + 1)]
        ideal = sum(gains[: sum(map(self.relevant, self.index))])
        got = sum(gain for gain, hit in zip(gains, self.ranked, strict=False) if self.relevant(hit))
        return got / ideal if ideal else 0.0

    def context_precision(self, k: int) -> float:
        flags = [self.relevant(hit) for hit in self.ranked[:k]]
        at = [found / rank for rank, found in enumerate(accumulate(flags), start=1)]
        picked = [precision for precision, flag in zip(at, flags, strict=True) if flag]
        return sum(picked) / len(picked) if picked else 0.0

    def duplicate_share(self, k: int) -> float | None:
        top = [points(hit) for hit in self.ranked[:k]]
        repeated = [
            any(len(hit & above) >= 0.9 * len(hit) for above in top[:rank]) for rank, hit in enumerate(top)
        ]
        return sum(repeated) / len(top) if top else None

    def omega(self) -> float:
        evidence = self.evidence(set().union(*map(points, self.index)))
        touching = set().union(*(points(place) for place in self.index if points(place) & evidence))
        return len(evidence & touching) / len(touching) if touching else 0.0

    def intact(self) -> float:
        whole = [
            any(points(passage) <= points(place) for passage in entry.passages for place in self.index)
            for entry in self.question.evidence
        ]
        return sum(whole) / len(whole)

    def columns(self, ks: Sequence[int], budgets: Sequence[int]) -> dict[str, float | None]:
        first = next((hit for hit in self.ranked[: max(ks)] if self.relevant(hit)), None)
        values: dict[str, float | None] = {
            "precision_omega": self.omega(),
            "evidence_intact": self.intact(),
            "first_hit_coverage": self.recall(points(first)) if first else 0.0,
            "first_hit_tokens": self.n_tokens(points(first)) if first else None,
        }
        for k in ks:
            text, ranks = self.top(k), [i for i, hit in enumerate(self.ranked[:k], 1) if self.relevant(hit)]
            values |= {
                f"mrr_at_{k}": 1 / ranks[0] if ranks else 0.0,
                f"hit_at_{k}": float(bool(ranks)),
                f"precision_at_{k}": len(ranks) / k,
                f"context_recall_at_{k}": self.recall(text),
                f"context_precision_at_{k}": self.context_precision(k),
                f"discounted_recall_at_{k}": self.discounted_recall(k),
                f"ndcg_at_{k}": self.ndcg(k),
                f"char_precision_at_{k}": self.char_precision(text),
                f"iou_at_{k}": self.iou(text),
                f"prompt_tokens_at_{k}": self.n_tokens(text),
                f"duplicate_share_at_{k}": self.duplicate_share(k),
            }
        for budget in budgets:
            recall = self.recall(self.poured(budget))
            values[f"context_recall_at_{budget}_tokens"] = recall
            values[f"answerable_at_{budget}_tokens"] = float(recall == 1.0)
            values[f"prompt_tokens_at_{budget}_tokens"] = self.n_tokens(self.poured(budget))
        return values
