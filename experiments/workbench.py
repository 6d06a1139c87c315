"""What all configurations of a sweep share, and how one of them is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from tempfile import TemporaryDirectory

from evaluation.embedding import Embedder, open_embedder
from evaluation.embedding_desk import Desk, Embedded, EmbeddingDesk
from evaluation.evaluate import Asked, Evaluation, Index, evaluate
from evaluation.gold import GoldSet
from evaluation.judging.jury import Jury
from evaluation.judging.measures import Embeds
from evaluation.measured import Measured
from evaluation.ranking import PairDesk, open_ranker
from evaluation.ranking.cross_encoder import CrossEncoder, open_cross_encoder
from evaluation.scorers import Scorer
from evaluation.search import Search
from evaluation.vectors import VECTORS
from experiments.cutter import Cutter, SplitDocuments
from experiments.grid import expand
from experiments.run_config import RunConfig
from experiments.sweep import Sweep
from strategies.document import Chunk
from strategies.errors import BadInput, Problem
from strategies.language_model.chat import Chat
from strategies.strategy import Vectors
from strategies.tools import TOKENS

_CUTTING = ("tiktoken", "sentencex", "markdown-it-py", "regex")
"""Libraries that decide where a document is cut: their versions are part of a configuration's identity."""

_RECORDED = ("numpy", "mlflow", "datasets", "ragas", "pandas")
"""Others whose versions a run records."""

Phase = Callable[[str], None]
Report = Callable[[int, int], None]


class Workbench:
    """Built once a sweep. Nothing heavy happens before it is needed."""

    def __init__(self, sweep: Sweep, gold: GoldSet, embedder: Embedder, cache_dir: Path | None) -> None:
        self.sweep = sweep
        self.gold = gold
        self.embedder = embedder
        self.desk = EmbeddingDesk(embedder, cache_dir)
        searches = [config.search for config in expand(sweep).configs]
        words = dict.fromkeys(search.vectors for search in searches if search.embeds)
        self.makers = {word: VECTORS[word](self.desk) for word in words}
        self._cutter = Cutter(gold.documents, self.desk, cache_dir)
        self.tools = self._cutter.tools
        judge = sweep.settings.judge
        self.jury = None if judge is None else Jury(judge, Chat(cache_dir), self._embed_judged)
        self._asked: dict[str | None, Asked] = {}
        self._rerankers = _rerankers(searches, cache_dir)

    @classmethod
    def open(cls, sweep: Sweep, gold: GoldSet, cache_dir: Path | None) -> Workbench:
        """Check that the models are there and give what is asked, and open their caches; raises BadInput."""
        return cls(sweep, gold, open_embedder(sweep.embedder), cache_dir)

    def config_id(self, config: RunConfig) -> str:
        """The identity of a configuration on this data with this embedder and these libraries."""
        prompts = [self.embedder.prompt("query"), self.embedder.prompt("passage")]
        return config.config_id(
            self.gold.digest,
            f"{self.embedder.fingerprint} {prompts!r}",
            {"chunksweep": own_version(), **_versions(_CUTTING), **self.own_versions(config)},
        )

    def own_versions(self, config: RunConfig) -> dict[str, str]:
        """What decides a configuration's results, and not those of all: libraries, and models that rerank."""
        reranker = self._reranker(config.search)
        return config.versions | (dict(reranker.scorer.versions()) if reranker else {})

    def versions(self) -> dict[str, str]:
        """What a run records so that two of them can be told apart later."""
        return {
            "chunksweep": own_version(),
            "python": python_version(),
            "data_digest": self.gold.digest,
            **_versions(_CUTTING),
            **_versions(_RECORDED),
            **self.embedder.versions(),
        }

    def split(self, config: RunConfig, *, anew: bool = False) -> SplitDocuments:
        """Cut every document: `Cutter.split`."""
        return self._cutter.split(config, anew=anew)

    def texts(self, config: RunConfig, cut: SplitDocuments) -> list[str]:
        """Every text whose vector a configuration needs; none where no vector is searched."""
        if not config.search.embeds:
            return []
        maker = self.makers[config.search.vectors]
        return [text for document, chunks in cut.by_document for text in maker.texts(document, chunks)]

    def measure(
        self,
        config: RunConfig,
        phase: Phase,
        report: Report,
        scorers: Mapping[str, Scorer],
        *,
        again: bool = False,
    ) -> tuple[Evaluation, list[Chunk]]:
        """One configuration from documents to scores; `again` for a repeat, which shares no times."""
        asked = self.asked(config.search)  # embeds the questions, the same for all
        phase("splitting")
        cut = self.split(config, anew=again)
        phase("embedding")
        embedded, limit_tokens = self._embed(config, cut, report)
        judged = self.jury is not None and bool(self.jury.judge.asking)
        phase("judging" if judged else "reranking" if config.search.rerank else "scoring")
        chunks = cut.chunks
        index = Index(
            self.gold.documents,
            chunks,
            embedded,
            cut.cutting,
            limit_tokens,
            config.search,
        )
        with TemporaryDirectory(prefix="chunksweep-index-") as folder:
            ranker = open_ranker(config.search, Path(folder), self._reranker(config.search))
            try:
                return evaluate(index, asked, ranker, scorers=scorers, jury=self.jury), chunks
            finally:
                ranker.close()

    def _embed(self, config: RunConfig, cut: SplitDocuments, report: Report) -> tuple[Embedded, int | None]:
        """Vectors of all chunks as their search takes them, and how many tokens of a chunk reach one."""
        if not config.search.embeds:
            return Embedded.nothing([chunk.embedded_text for chunk in cut.chunks]), None
        maker = self.makers[config.search.vectors]
        maker.desk.prepare(self.texts(config, cut), "passage", report)
        made = [maker.vectors(document, chunks) for document, chunks in cut.by_document if chunks]
        return _scaled(Embedded.join(made), config.search), maker.limit_tokens

    def _reranker(self, search: Search) -> PairDesk | None:
        return None if search.rerank is None else self._rerankers[search.rerank]

    def asked(self, search: Search) -> Asked:
        """The questions with their vectors as a search takes them, and the documents measured."""
        key = search.metric if search.embeds else None
        if key not in self._asked:
            questions = [question.text for question in self.gold.questions]
            if search.embeds:
                self.desk.prepare(questions, "query")
                embedded = _scaled(self.desk.vectors(questions, "query"), search)
            else:
                embedded = Embedded.nothing(questions)
            self._asked[key] = Asked.of(self.gold, embedded, self.measured, self.sweep.settings)
        return self._asked[key]

    @cached_property
    def measured(self) -> dict[str, Measured]:
        """Every document with its characters and tokens counted up."""
        return {
            document.id: Measured.of(document, self.tools.borders(document, TOKENS)[:-1])
            for document in self.gold.documents
        }

    @property
    def traffic(self) -> str:
        """One line for a log: what was embedded or answered, and what was not because it had been before."""
        lines = [desk.traffic.line() for desk in self._desks]
        lines += [desk.traffic.line() for desk in self._rerankers.values()]
        lines += [self._cutter.traffic, self.jury.traffic if self.jury else ""]
        return "; ".join(filter(None, lines))

    def close(self) -> None:
        """Close the caches of vectors and answers."""
        for desk in self._desks:
            desk.close()
        for pairs in self._rerankers.values():
            pairs.close()
        self._cutter.close()
        if self.jury:
            self.jury.close()

    @property
    def _desks(self) -> list[Desk]:
        """Every desk, each once: that of the texts, and those of the ways to make vectors."""
        desks = (self.desk, *(maker.desk for maker in self.makers.values()))
        return list({id(desk): desk for desk in desks}.values())

    def _embed_judged(self, texts: Sequence[str], kind: Embeds) -> Vectors:
        """Vectors of unit length of what a judge compares."""
        self.desk.prepare(texts, kind)
        return self.desk.vectors(texts, kind).unit().vectors


def _scaled(embedded: Embedded, search: Search) -> Embedded:
    """As the search takes vectors: for cosine of unit length, for dot products as the model gives them."""
    return embedded.unit() if search.metric == "cosine" else embedded


def _rerankers(searches: Sequence[Search], cache_dir: Path | None) -> dict[str, PairDesk]:
    """The cross-encoders that some configuration asks for. Raises BadInput with all that are not there."""
    names = dict.fromkeys(search.rerank for search in searches)
    opened, problems = dict[str, CrossEncoder](), list[Problem]()
    for name in names:
        try:
            if name is not None:
                opened[name] = open_cross_encoder(name)
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(problems)
    return {name: PairDesk(scorer, cache_dir) for name, scorer in opened.items()}


def own_version() -> str:
    """This project's version."""
    return _versions(("chunksweep",)).get("chunksweep", "unknown")


def _versions(names: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
