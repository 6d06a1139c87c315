"""What a strategy owes, and what it may ask for.

A strategy is a frozen dataclass whose fields are its parameters; it decides *where* to cut and
yields `Cut`s. `strategies.splitting.split` turns cuts into `Chunk`s, the same way for all.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from strategies.document import Document
from strategies.outline import Outline
from strategies.units.counting import Borders, Counter
from strategies.units.rulers import Ruler

if TYPE_CHECKING:
    from strategies.language_model.chat_model import ChatModel

Vectors = npt.NDArray[np.float32]
"""float32, shape (n, dim), rows of unit length."""

Need = Literal["embedder", "chat"]
"""What a strategy may ask for that a machine, or an account, pays for."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A range of the document that becomes a chunk, and what the strategy knows about it."""

    start: int
    end: int
    oversize: bool = False
    """The range exceeds the size because it holds an atom that cannot be cut."""
    section: tuple[str, ...] | None = None
    """Heading path, if the strategy knows better than the document's outline."""
    embedded_text: str | None = None
    """What the embedder sees, if not the text itself."""
    returned: tuple[int, int] | None = None
    """What a reader gets, if not the range itself."""


AnswerCheck = Callable[[str], str]
"""What is wrong with a language model's answer, or an empty text."""


@runtime_checkable
class SplitTools(Protocol):
    """What a strategy may ask for while it cuts."""

    def counter(self, unit: str) -> Counter:
        """The counter of a unit: `characters`, `words`, a tiktoken encoding, `embedder`, ..."""

    def borders(self, document: Document, unit: str) -> Borders:
        """`counter(unit).borders(document.text)`, read-only, computed once a document and unit."""

    def ruler(self, document: Document, unit: str) -> Ruler:
        """Counts any slice of the document exactly as `counter(unit)` would, at the price of its edges."""

    def outline(self, document: Document) -> Outline:
        """The headings and pages of the document, read once."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of passages, for strategies that cut by meaning."""

    def chat(self, model: ChatModel, prompts: Iterable[str], check: AnswerCheck) -> list[str]:
        """A language model's answers, in order; raises ChatError where one fails or `check` faults it."""


class Strategy(ABC):
    """Where to cut a document. Implementations are frozen dataclasses of plain parameters that derive from
    this class: what they do not say of themselves is as here."""

    __slots__ = ()

    name: ClassVar[str]
    """Key in `strategies.STRATEGIES` or `strategies.THIRD_PARTY`, and the word in a sweep file."""
    native: ClassVar[bool] = True
    """Whether it owes every law of the house; else only slices in their order, and an end."""
    many_to_one: ClassVar[bool] = False
    """Whether several cuts may share one range (texts made from a passage)."""
    embeds_more: ClassVar[bool] = False
    """Whether a cut's `embedded_text` may be another than the text of its range."""
    joinable: ClassVar[bool] = True
    """Whether neighbouring cuts may become one: they embed and return no more than their own text."""
    needs: ClassVar[tuple[Need, ...]] = ()
    """What it asks for while it cuts and what costs more than cutting: vectors, or a language model."""

    def versions(self) -> Mapping[str, str]:
        """What decides the cuts beside parameters and the core's own libraries: library -> version."""
        return {}

    def limit(self, document: Document) -> tuple[int, str] | None:
        """The largest chunk that it makes of a document, with the unit; None where nothing limits it."""
        size, unit = size_of(self), unit_of(self)
        return None if size is None or unit is None else (size, unit)

    @abstractmethod
    def cuts(self, document: Document, tools: SplitTools) -> Iterable[Cut]:
        """Yield the cuts of a document in order of their start.

        Ranges are never blank, never inside one another, and leave out only white space. A blank
        document yields nothing. Must not change the document, and must end on any input.
        """


def parameter(
    help: str,
    *,
    default: Any = dataclasses.MISSING,
    check: Callable[[Any], str] | None = None,
    own: bool = False,
    decides: bool = True,
    secret: bool = False,
) -> Any:
    """A dataclass field that documents itself: `size: int = parameter("largest chunk, in units")`.

    `check` takes a value of the right type and answers what is wrong with it, or an empty text. `own`
    says that the name is a user's: `size`, `overlap` and `unit` mean what their code makes of them.
    `decides` is false of what only says how the work is done, a time-out say: another value is no other
    experiment. `secret` says that a value of the wrong type is not shown: it may be what it should only name.
    """
    told = {"help": help, "check": check, "own": own, "decides": decides, "secret": secret}
    return field(default=default, metadata=told)


def unit_of(strategy: Strategy) -> str | None:
    """The unit that its `size` counts; None where it has none, or a user's code gives the word a meaning."""
    fields = {field.name: field for field in dataclasses.fields(strategy)}  # type: ignore[arg-type]
    if "unit" not in fields or fields["unit"].metadata.get("own"):
        return None
    unit: str = strategy.unit  # type: ignore[attr-defined]  # it has that field
    return unit


def size_of(strategy: Strategy) -> int | None:
    """Its size, in `unit_of` it; None where it has none, or a user's code gives the word a meaning."""
    size: int | None = getattr(strategy, "size", None)
    return None if unit_of(strategy) is None else size
