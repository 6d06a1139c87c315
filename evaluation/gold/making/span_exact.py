"""Questions of a language model on passages of a set, each with evidence that was found in its document.

What a model says is asked for once and cached, so the same documents, seed and model give the same questions:
those that the set holds already count, and a run that was broken off goes on.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from evaluation.gold.making.candidates import Ask, Dropped, candidate
from evaluation.gold.making.opening import language_of
from evaluation.gold.making.sampling import Excerpt, Sample, Sampler
from evaluation.gold.making.wording import Asked
from evaluation.gold.nouns import GoldSet, Passage, Question
from evaluation.gold.quotes import Corpus
from evaluation.judging.threads import in_threads
from strategies.errors import ChatError

MOST_SAMPLES = 3
"""Samples that are asked about for each question that is wanted."""

UNKNOWN = (
    "What does a resident of the lower court have to pay for a second bicycle in the cellar, and by when?"
)
"""Stands for a question that is not asked yet, where requests are counted beforehand."""


class NotAsked(ChatError):
    """A request that was only counted."""

    def __init__(self) -> None:
        super().__init__({0: "was not asked"})


@dataclass(slots=True)
class Made:
    """What came of making questions."""

    wanted: int
    kept: list[Question] = field(default_factory=list)
    """In the order in which they were made, those that the set held already among them."""
    new: list[Question] = field(default_factory=list)
    """Those of `kept` that the set did not hold."""
    samples: int = 0
    """Samples that were asked about."""
    refused: list[Dropped] = field(default_factory=list)
    """Questions that were dropped, and why."""
    failures: list[tuple[str, str]] = field(default_factory=list)
    """Passages whose answers are missing, and what happened. Each keeps its place among the wanted."""
    formless: Counter[str] = field(default_factory=Counter)
    """Answers of the model that had not the form and were no questions, by what was asked for."""
    passages: Sequence[Excerpt] = ()
    """Those that may be asked about."""
    end: str = ""
    """Why fewer were made than wanted, failures apart; empty where that is not so."""

    @property
    def dropped(self) -> Counter[str]:
        """How many were dropped, by reason."""
        return Counter(one.reason for one in self.refused)

    @property
    def missing(self) -> int:
        """Questions that may still be made."""
        return self.wanted - len(self.kept) - len(self.failures)


class Shelf:
    """Takes questions in their order, but those that were asked before."""

    def __init__(self, gold: GoldSet, made: Made) -> None:
        self._made = made
        self._held = {question.id: question for question in gold.questions}
        self._taken = set[str]()
        self._asked = Asked()
        for question in gold.questions:
            self._asked.add(question.text)

    def take(self, found: Question | Dropped) -> None:
        """Keep a question, or count why not. One that the set holds from an earlier run stays as it is."""
        if isinstance(found, Question):
            held = self._held.get(found.id)
            if found.id in self._taken or (held is None and self._asked.holds(found.text)):
                found = Dropped("duplicate", found.text)
            else:
                self._taken.add(found.id)
                self._asked.add(found.text)
                self._made.kept.append(held or found)
                if held is None:
                    self._made.new.append(found)
        if isinstance(found, Dropped):
            self._made.refused.append(found)


def span_exact(
    gold: GoldSet,
    ask: Ask,
    *,
    wanted: int,
    seed: int,
    concurrency: int = 1,
    save: Callable[[Sequence[Question]], None] = lambda questions: None,
    tell: Callable[[Made], None] = lambda made: None,
) -> Made:
    """Make questions until as many are kept as are wanted, or nothing is left to ask.

    `save` is given what is new, some at a time; `tell` hears of every sample that is done with. A sample
    whose answer is missing keeps its place, so that the same call makes up for it later.
    """
    made = Made(wanted)
    shelf, sampler = Shelf(gold, made), Sampler(gold.documents, seed, language_of(gold.card))
    made.passages = sampler.excerpts
    corpus = Corpus({document.id: document for document in gold.documents})
    before: defaultdict[Passage, list[str]] = defaultdict(list)
    closed = set[Passage]()
    queue, turn = deque[Sample](), 0

    def attempt(sample: Sample) -> Question | Dropped | ChatError:
        try:
            return candidate(sample, tuple(before[_first(sample)]), corpus, ask)
        except ChatError as error:
            return error

    while made.missing > 0:
        if not queue:
            queue.extend(sample for sample in sampler.turn(turn) if _first(sample) not in closed)
            turn += 1
        room = MOST_SAMPLES * wanted - made.samples
        if not queue or not room:
            what = f"{MOST_SAMPLES} passages were asked about for each that is wanted"
            made.end = what if not room else "no passage is left to ask about"
            break
        batch = [queue.popleft() for _ in range(min(made.missing, room, len(queue)))]
        n_new = len(made.new)
        try:
            for sample, outcome in _in_order(attempt, batch, concurrency):
                made.samples += 1
                if isinstance(outcome, ChatError):
                    made.failures.append((str(sample), next(iter(outcome.failures.values()))))
                else:
                    shelf.take(outcome)
                if isinstance(outcome, ChatError) and not isinstance(outcome, NotAsked):
                    closed.add(_first(sample))
                elif said := _said(outcome, before[_first(sample)]):
                    before[_first(sample)].append(said)
                tell(made)
        finally:  # a signal loses nothing that is done with
            save(made.new[n_new:])
    return made


def _said(outcome: Question | Dropped | ChatError, before: Sequence[str]) -> str:
    """What was asked on a passage, to be told to who asks on it again; empty where that is nothing."""
    if isinstance(outcome, ChatError):
        return f"{UNKNOWN} ({len(before) + 1})"  # else prompts that will differ would be counted as one
    return outcome.text if isinstance(outcome, Question) else outcome.question


def _first(sample: Sample) -> Passage:
    return sample.excerpts[0].place


def _in_order(
    attempt: Callable[[Sample], Question | Dropped | ChatError], batch: Sequence[Sample], concurrency: int
) -> Iterable[tuple[Sample, Question | Dropped | ChatError]]:
    """Every sample with what came of it, as soon as all before it are done with."""
    done: dict[int, Question | Dropped | ChatError] = {}
    at = 0
    for place, outcome in in_threads(attempt, batch, concurrency):
        done[place] = outcome
        while at in done:
            yield batch[at], done.pop(at)
            at += 1
