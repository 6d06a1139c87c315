"""What Chonkie asks for, made of the tools of a run: a tokenizer, and embeddings."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from strategies.document import Document
from strategies.strategy import SplitTools, Vectors


def imported() -> Any:
    """Chonkie, which begins to log to the terminal when it is imported."""
    import chonkie

    logging.getLogger("chonkie").setLevel(logging.ERROR)
    return chonkie


def tokenizer(document: Document, tools: SplitTools, unit: str) -> Any:
    """A unit as Chonkie's tokenizer. Its tokens are slices of the text, so that they join back to it."""
    from chonkie.tokenizer import Tokenizer

    counter = tools.counter(unit)

    class Units(Tokenizer):  # type: ignore[misc]  # the library is not typed here
        """A unit of ours."""

        def __repr__(self) -> str:
            return f"Units({unit!r})"

        def encode(self, text: str) -> list[str]:
            """A slice for each unit; what stands before the first one belongs to it."""
            whole = text == document.text  # whose borders are at hand
            borders = (tools.borders(document, unit) if whole else counter.borders(text)).tolist()
            if len(borders) == 1:  # no unit, but white space perhaps
                return [text] if text else []
            return [text[start:end] for start, end in zip([0, *borders[1:-1]], borders[1:], strict=True)]

        tokenize = encode

        def decode(self, tokens: Iterable[str]) -> str:
            """The text of slices."""
            return "".join(tokens)

        def count_tokens(self, text: str) -> int:
            """Units of a text on its own."""
            return counter.count(text)

    return Units()


def embeddings(document: Document, tools: SplitTools, unit: str) -> Any:
    """The sweep's embedder as Chonkie's embeddings."""
    from chonkie.embeddings import BaseEmbeddings

    class Desk(BaseEmbeddings):  # type: ignore[misc]  # the library is not typed here
        """The sweep's embedder."""

        def embed(self, text: str) -> Any:
            """One vector."""
            return self.embed_batch([text])[0]

        def embed_batch(self, texts: list[str]) -> Vectors:
            """Unit vectors, one a row."""
            return tools.embed(texts)

        def similarity(self, u: Any, v: Any) -> float:
            """Cosine of unit vectors; a blank text may have none, and is like nothing."""
            return float(u @ v)

        @property
        def dimension(self) -> int:
            """Of vectors; nothing here asks for it."""
            return int(tools.embed(["a"]).shape[1])

        def get_tokenizer(self) -> Any:
            """The unit of the size."""
            return tokenizer(document, tools, unit)

    return Desk()
