"""FAISS: an index in memory, written to a file. Text and metadata lie in files beside it, ids in both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from evaluation.footprint import StoredBytes, folder_bytes
from evaluation.stores.nearest import STEP, Scores, best, depth_score, float_error, nothing
from evaluation.stores.payloads import Payloads, check_numbers
from evaluation.stores.quantising import Quantiser, Signs, fitted
from evaluation.stores.store import Found, Rows, Similarity, Store, StoreError, VectorType
from evaluation.stores.ties import climbing
from strategies.document import Chunk
from strategies.errors import Problem
from strategies.parameters import settle
from strategies.sizes import within
from strategies.strategy import Vectors, parameter

INDEX = "index.faiss"

POINTS_PER_LIST = 39
"""Vectors a list that FAISS asks for to train on (`min_points_per_centroid`)."""

USES: Mapping[str, tuple[str, ...]] = {
    "flat": (),
    "hnsw": ("m", "ef_construction", "ef_search"),
    "ivf": ("nlist", "nprobe"),
    "pq": ("pq_m", "bits"),
    "ivf_pq": ("nlist", "nprobe", "pq_m", "bits"),
}
"""Index -> the parameters that mean something there."""

DEFAULTS: Mapping[str, int] = {"m": 32, "ef_construction": 200, "ef_search": 64, "nprobe": 8, "bits": 8}
"""What holds where nothing is said. Of `nlist` and `pq_m` it follows from the vectors."""

_QUANTISER = {"float16": "QT_fp16", "int8": "QT_8bit"}
_MORE = 16
"""Rows asked for beyond the depth, so that a tie with the last is seen to end."""

_INT32 = 2**31 - 1
"""FAISS counts in C's int."""
_LINKS = 2048
"""FAISS takes more, but they would weigh more than any vector."""
_CANDIDATES = 1_000_000
"""FAISS makes room for them all at each search, however few vectors there are."""


@dataclass(frozen=True, slots=True)
class Faiss(Store):
    """FAISS, with the index of your choice: flat is exact, the others trade recall for time or bytes.

    What an index has no use for is refused.
    """

    name: ClassVar[str] = "faiss"
    vector_types: ClassVar[tuple[VectorType, ...]] = ("float32", "float16", "int8", "binary")
    extra: ClassVar[str | None] = "faiss"
    packages: ClassVar[tuple[str, ...]] = ("faiss",)
    distributions: ClassVar[tuple[str, ...]] = ("faiss-cpu",)

    index: Literal["flat", "hnsw", "ivf", "pq", "ivf_pq"] = parameter(
        "kind of index: all vectors, a graph, inverted lists, product quantisation, or lists of the latter",
        default="flat",
    )
    m: int | None = parameter(
        f"hnsw: links of a vector; {DEFAULTS['m']} unless said", default=None, check=within(2, _LINKS)
    )
    ef_construction: int | None = parameter(
        f"hnsw: candidates while the graph is built; {DEFAULTS['ef_construction']} unless said",
        default=None,
        check=within(1, _CANDIDATES),
    )
    ef_search: int | None = parameter(
        f"hnsw: candidates of a search; {DEFAULTS['ef_search']} unless said",
        default=None,
        check=within(1, _CANDIDATES),
    )
    nlist: int | None = parameter(
        "ivf, ivf_pq: lists that vectors are parted into; unless said, 4 x the root of their number, "
        f"or as many as leave {POINTS_PER_LIST} vectors a list",
        default=None,
        check=within(1, _INT32),
    )
    nprobe: int | None = parameter(
        f"ivf, ivf_pq: lists of a search; {DEFAULTS['nprobe']} unless said",
        default=None,
        check=within(1, _INT32),
    )
    pq_m: int | None = parameter(
        "pq, ivf_pq: parts of a vector, each with one code; must divide the dimensions; unless said, "
        "the most that leave a part 8 dimensions",
        default=None,
        check=within(1, _INT32),
    )
    bits: int | None = parameter(
        f"pq, ivf_pq: bits of a code; {DEFAULTS['bits']} unless said", default=None, check=within(1, 8)
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem. Defaults are written down where the index uses them."""
        settle(self, self._between)

    def _between(self, known: set[str]) -> Iterator[Problem]:
        if "index" in known:
            return
        for name in dict.fromkeys(name for names in USES.values() for name in names):
            if name in USES[self.index]:
                if getattr(self, name) is None:
                    object.__setattr__(self, name, DEFAULTS.get(name))
            elif name not in known and getattr(self, name) is not None:
                users = " or ".join(index for index, names in USES.items() if name in names)
                yield Problem(
                    name, f"means nothing for index: {self.index}", f"Leave it out; it is for {users}"
                )

    def unfit(self, vector_type: VectorType, metric: Similarity) -> tuple[str, str] | None:
        """Product quantisation has numbers of its own; signs keep no length."""
        if self.index in ("pq", "ivf_pq") and vector_type != "float32":
            return (
                f"{vector_type} means nothing for index: {self.index}, whose codes take pq_m x bits a vector",
                "Leave it out there, or use index: flat, hnsw or ivf",
            )
        return Store.unfit(self, vector_type, metric)

    def open(
        self,
        folder: Path,
        *,
        vector_type: VectorType = "float32",
        metric: Similarity = "cosine",
    ) -> FaissStore:
        """An index in memory, written to the folder when it is measured."""
        return FaissStore(self, folder, vector_type)


class FaissStore:
    """One index by inner product, or by Hamming distance for `binary`."""

    def __init__(self, settings: Faiss, folder: Path, vector_type: VectorType) -> None:
        _library()  # is loaded before anything is timed
        self._settings, self._folder, self._vector_type = settings, folder, vector_type
        self._payloads = Payloads(folder)
        self._quantiser: Quantiser = fitted(np.zeros((0, 0), np.float32), vector_type)
        self._index: Any = None
        self._longest = 0.0

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Train and fill an index, in one thread, so that the same vectors give the same index.

        Raises StoreError for parameters that such vectors, or so few of them, cannot have.
        """
        check_numbers(vectors, chunks)
        self._quantiser = fitted(vectors, self._vector_type)
        self._index = None
        # Vectors as their type leaves them: each then has the code that `quantising` gives it, whatever
        # way FAISS rounds.
        kept = self._quantiser.decode(self._quantiser.encode(vectors))
        if len(kept):
            with _one_thread():
                self._index = self._trained(kept)
        self._fill(kept, chunks)

    def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
        """As FAISS finds them, in the thread that asks."""
        rows = self._payloads.rows_of(documents)
        depth = min(depth, len(rows))
        if depth < 1:
            return nothing()
        among = None if documents is None else rows
        with _one_thread():
            if self._settings.index == "hnsw":
                return self._climb(query, depth, among)
            return self._exhaust(query, depth, among)

    def replace_document(self, document: str, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """What was trained stays; vectors are added anew, for a graph loses none."""
        check_numbers(vectors, chunks)
        rows = self._payloads.rows_without(document)
        if not len(rows):
            self.build(vectors, chunks)
            return
        others = [self._payloads.chunks[row] for row in rows.tolist()]
        kept = [self._vectors()[rows]]
        if len(vectors):
            kept.append(self._quantiser.decode(self._quantiser.encode(vectors)))
        self._map(False)
        self._index.reset()
        self._fill(np.concatenate(kept), [*others, *chunks])

    def stored(self) -> StoredBytes:
        """Written to the folder and measured; index is what the file holds beside codes of vectors."""
        text, metadata = self._payloads.write()
        path = self._folder / INDEX
        path.unlink(missing_ok=True)
        codes = written = 0
        if self._index is not None:
            faiss = _library()

            binary = isinstance(self._quantiser, Signs)
            self._map(False)
            (faiss.write_index_binary if binary else faiss.write_index)(self._index, str(path))
            self._map(True)
            codes, written = len(self._payloads) * self._code_bytes, path.stat().st_size
        return StoredBytes(codes, written - codes, text, metadata, folder_bytes(self._folder))

    def payloads(self) -> list[dict[str, Any]]:
        """Read from the files that are measured."""
        return self._payloads.read()

    def close(self) -> None:
        """Let go of the index."""
        self._index = None
        self._payloads.take(())

    # Building

    def _trained(self, vectors: Vectors) -> Any:
        """A new index that is trained, and empty."""
        index = (_binary if isinstance(self._quantiser, Signs) else _float)(
            self._settings, self._vector_type, *vectors.shape
        )
        if hasattr(index, "cp"):
            index.cp.min_points_per_centroid = 1  # how many there must be is checked here
        if self._settings.index in ("pq", "ivf_pq"):
            index.pq.cp.min_points_per_centroid = 1
        index.train(self._given(vectors))
        if len(self._quantiser.ranges):
            faiss = _library()

            home = faiss.downcast_index(index.storage) if self._settings.index == "hnsw" else index
            faiss.copy_array_to_vector(self._quantiser.ranges.ravel(), home.sq.trained)
        return index

    def _fill(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Into the empty index."""
        self._payloads.take(chunks)
        self._longest = float(np.linalg.norm(vectors, axis=1).max(initial=0.0))
        if self._settings.index in ("pq", "ivf_pq"):
            self._longest *= 4  # of a list's centre, and of what is left of a vector there
        if self._index is not None and len(vectors):
            with _one_thread():
                self._index.add(self._given(vectors))
            self._map(True)

    def _map(self, on: bool) -> None:
        """Where each row lies in the lists: to read vectors back. It is kept in memory, not in the file."""
        if hasattr(self._index, "set_direct_map_type") and not isinstance(self._quantiser, Signs):
            faiss = _library()

            self._index.set_direct_map_type(faiss.DirectMap.Array if on else faiss.DirectMap.NoMap)

    def _given(self, vectors: Vectors) -> Any:
        """As FAISS takes them: signs packed, else the numbers."""
        if isinstance(self._quantiser, Signs):
            return self._quantiser.encode(vectors)
        return np.ascontiguousarray(vectors, dtype=np.float32)

    def _vectors(self) -> Vectors:
        """All that is stored, as vectors, in order of rows."""
        stored = self._index.reconstruct_n(0, len(self._payloads))
        return self._quantiser.decode(stored) if isinstance(self._quantiser, Signs) else stored

    @property
    def _code_bytes(self) -> int:
        """Of one vector."""
        if self._settings.index in ("pq", "ivf_pq"):
            return int(self._index.pq.code_size)
        return int(self._quantiser.encode(np.zeros((1, self._index.d), np.float32)).nbytes)

    # Searching

    def _exhaust(self, query: Vectors, depth: int, among: Rows | None) -> Found:
        """Of an index that scores all it looks at: more and more, until a tie with the last has ended."""
        count = len(self._payloads)
        k = min(count, depth + _MORE)
        while True:
            rows, raw, scores = self._ask(query, k, among)
            if k == count or len(rows) < k:
                return best(rows, scores, depth)
            # FAISS computes in float32: what it left out may be this much better than it thought.
            if raw.min() + float_error(query, self._longest) < depth_score(scores, depth) - STEP:
                return best(rows, scores, depth)
            k = min(count, 4 * k)

    def _climb(self, query: Vectors, depth: int, among: Rows | None) -> Found:
        """Of a graph: what `ef_search` finds, then below it what twice as much finds, and so on.

        FAISS widens a search to the number of neighbours that is asked for, so a deep list would begin with
        chunks that a search of the first few misses. Here a deeper list only goes on where one ended.
        """
        first = self._settings.ef_search or DEFAULTS["ef_search"]

        def nearest(ef: int) -> tuple[Rows, Scores]:
            rows, _, scores = self._ask(query, ef, among, ef)
            return rows, scores

        return climbing(nearest, depth, first, len(self._payloads))

    def _ask(self, query: Vectors, k: int, among: Rows | None, ef: int = 0) -> tuple[Rows, Scores, Scores]:
        """Rows that FAISS gives for its k best, what it computed, and their scores."""
        faiss = _library()

        kind, binary = self._settings.index, isinstance(self._quantiser, Signs)
        # These two take no selector: all that they have is asked for, and then looked through.
        apart = among is not None and (kind == "pq" or (kind == "ivf" and binary))
        told: dict[str, Any] = {}
        if among is not None and not apart:
            mask = np.zeros(len(self._payloads), dtype=np.bool_)
            mask[among] = True
            told["sel"] = faiss.IDSelectorBitmap(np.packbits(mask, bitorder="little"))
        if kind == "hnsw":
            params = faiss.SearchParametersHNSW(efSearch=ef, **told)
        elif kind in ("ivf", "ivf_pq"):
            family = faiss.IVFPQSearchParameters if kind == "ivf_pq" else faiss.SearchParametersIVF
            params = family(nprobe=self._settings.nprobe, **told)
        else:
            params = faiss.SearchParameters(**told) if told else None
        found = self._index.search(
            self._given(query[None]), len(self._payloads) if apart else k, params=params
        )
        raw, rows = found[0][0], found[1][0].astype(np.int64)
        kept = rows >= 0  # FAISS pads with -1
        if apart and among is not None:
            kept &= np.isin(rows, among)
        rows, raw = rows[kept], raw[kept].astype(np.float64)
        if isinstance(self._quantiser, Signs):
            scores = self._quantiser.of_distances(raw.astype(np.int64))
            return rows, scores, scores
        # Encoded anew, so that the last digits are ours.
        codes = self._quantiser.encode(self._index.reconstruct_batch(rows))
        return rows, raw, self._quantiser.scores(codes, query)


def _float(settings: Faiss, vector_type: VectorType, count: int, dimensions: int) -> Any:
    """An index by inner product that is not trained."""
    faiss = _library()

    metric = faiss.METRIC_INNER_PRODUCT
    word = _QUANTISER.get(vector_type)
    stored = [getattr(faiss.ScalarQuantizer, word)] if word else []
    match settings.index:
        case "flat":
            family = faiss.IndexScalarQuantizer if stored else faiss.IndexFlat
            return family(dimensions, *stored, metric)
        case "hnsw":
            family = faiss.IndexHNSWSQ if stored else faiss.IndexHNSWFlat
            index = family(dimensions, *stored, settings.m, metric)
            index.hnsw.efConstruction = settings.ef_construction
            return index
        case "ivf":
            lists = faiss.IndexFlatIP(dimensions), dimensions, _lists(settings, count)
            if not stored:
                return faiss.IndexIVFFlat(*lists, metric)
            return faiss.IndexIVFScalarQuantizer(*lists, *stored, metric, False)  # the vector, no residual
        case "pq":
            return faiss.IndexPQ(dimensions, *_parts(settings, count, dimensions), metric)
        case "ivf_pq":
            lists = faiss.IndexFlatIP(dimensions), dimensions, _lists(settings, count)
            return faiss.IndexIVFPQ(*lists, *_parts(settings, count, dimensions), metric)


def _binary(settings: Faiss, vector_type: VectorType, count: int, dimensions: int) -> Any:
    """An index by Hamming distance that is not trained; bits that fill up the last byte are 0 everywhere."""
    faiss = _library()

    bits = 8 * ((dimensions + 7) // 8)
    if settings.index == "hnsw":
        index = faiss.IndexBinaryHNSW(bits, settings.m)
        index.hnsw.efConstruction = settings.ef_construction
        return index
    flat = faiss.IndexBinaryFlat(bits)
    return faiss.IndexBinaryIVF(flat, bits, _lists(settings, count)) if settings.index == "ivf" else flat


def _lists(settings: Faiss, count: int) -> int:
    """How many lists; each needs one vector at least."""
    if settings.nlist is None:
        return max(1, min(round(4 * math.sqrt(count)), count // POINTS_PER_LIST))
    if settings.nlist > count:
        raise StoreError(
            f"faiss cannot part {count:,} chunks into nlist: {settings.nlist} lists. "
            "Leave nlist out, or take fewer"
        )
    return settings.nlist


def _parts(settings: Faiss, count: int, dimensions: int) -> tuple[int, int]:
    """Parts of a vector, and bits of their codes; each code needs a vector to learn from."""
    bits = settings.bits or DEFAULTS["bits"]
    if count < 2**bits:
        raise StoreError(
            f"faiss learns {2**bits} codes of {bits} bits from as many chunks at least, and here are "
            f"{count:,}. Use index: flat for so few, or fewer bits"
        )
    divisors = [part for part in range(1, dimensions + 1) if dimensions % part == 0]
    if settings.pq_m is None:
        return max(part for part in divisors if part <= max(1, dimensions // 8)), bits
    if settings.pq_m not in divisors:
        raise StoreError(
            f"pq_m: {settings.pq_m} does not divide the {dimensions} dimensions of a vector. "
            f"Use one of {', '.join(map(str, divisors))}"
        )
    return settings.pq_m, bits


def _library() -> Any:
    """The library, as untyped as it is: what it declares of its own types is not so."""
    import faiss

    return faiss


@contextmanager
def _one_thread() -> Iterator[None]:
    """FAISS works in this thread alone: its own would be as many again for each that searches."""
    faiss = _library()

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
