"""The foreign formats of gold sets, one file each."""

from __future__ import annotations

from evaluation.gold.formats.beir import Beir
from evaluation.gold.formats.chroma import Chroma
from evaluation.gold.formats.format import Format
from evaluation.gold.formats.hugging_face import HuggingFace
from evaluation.gold.formats.legalbench_rag import LegalBenchRag
from evaluation.gold.formats.ragas_testset import RagasTestset
from evaluation.gold.formats.squad import Squad

FORMATS: dict[str, type[Format]] = {
    one.name: one for one in (Chroma, LegalBenchRag, Squad, Beir, RagasTestset, HuggingFace)
}
"""By name, in the order in which they are listed."""
