"""What strategies that ask a language model have in common: a prompt, passages, and answers read strictly.

Texts of documents are data: whatever they say, an answer counts only if it has the form asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import ClassVar

from strategies.document import Document
from strategies.errors import ChatError, Problem, SplitError
from strategies.language_model.chat_model import ChatModel
from strategies.strategy import AnswerCheck, Need, SplitTools, Strategy, parameter, size_of, unit_of

_FENCED = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompted(ChatModel, Strategy):
    """A strategy whose cuts depend on what a language model answers to its prompt."""

    needs: ClassVar[tuple[Need, ...]] = ("chat",)
    required: ClassVar[tuple[str, ...]]
    """Fields that a prompt must hold, in braces: `{document}`."""
    optional: ClassVar[tuple[str, ...]] = ()
    """Fields that it may hold."""

    prompt: str = parameter("what the model is asked, with its fields in braces")

    def between_parameters(self, known: set[str]) -> Iterator[Problem]:
        """What is wrong between parameters."""
        yield from ChatModel.between_parameters(self, known)
        missing = [f"{{{name}}}" for name in self.required if f"{{{name}}}" not in str(self.prompt)]
        if missing and "prompt" not in known:
            yield Problem("prompt", f"lacks {' and '.join(missing)}", "Say where the text goes")

    def chat_model(self) -> ChatModel:
        """The model alone, of all the parameters."""
        return ChatModel(**{field.name: getattr(self, field.name) for field in fields(ChatModel)})

    def filled(self, **values: str) -> str:
        """The prompt with values in place of its fields; braces around anything else stay."""
        names = "|".join((*self.required, *self.optional))
        return re.sub(rf"\{{({names})\}}", lambda field: values[field[1]], self.prompt)

    def asked(
        self,
        document: Document,
        tools: SplitTools,
        prompts: Iterable[str],
        called: Callable[[int], str],
        check: AnswerCheck = lambda answer: "",
    ) -> list[str]:
        """The answers, or SplitError with what failed: `called` says what the prompt of a number is about."""
        try:
            return tools.chat(self.chat_model(), prompts, check)
        except ChatError as error:
            raise SplitError(f"{document.id}: {self.name}, {error.told(called)}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedOnPassages(Prompted):
    """A strategy that asks about each passage of another one."""

    size: int | None = parameter("largest chunk, in units; or say it in `base`", default=None)
    overlap: int | str = parameter(
        'units repeated from the chunk before, or a share such as "10%"; or say it in `base`', default=0
    )
    unit: str = parameter("what `size` and `overlap` count", default="cl100k_base")
    base: Strategy = parameter(
        "strategy that cuts the chunks, or the passages to be taken apart", default="recursive"
    )

    def between_parameters(self, known: set[str]) -> Iterator[Problem]:
        """What is wrong between parameters. Sizes become those of the base: equal cuts compare equal."""
        yield from Prompted.between_parameters(self, known)
        if not isinstance(self.base, Strategy):  # something else was wrong before it was made
            return
        size = size_of(self.base)
        if self.size is not None and self.size != size:
            what = f"is {size}" if size else f"{self.base.name} has none"
            yield Problem("base.size", f"{what}, beside size {self.size}", "Say it once")
        object.__setattr__(self, "size", size)
        unit = unit_of(self.base)
        object.__setattr__(self, "overlap", 0 if unit is None else getattr(self.base, "overlap", 0))
        object.__setattr__(self, "unit", unit or "cl100k_base")


def json_list(answer: str) -> list[object] | None:
    """The JSON list that an answer is, or holds in its one fence; None where there is none.

    >>> json_list('[1, 2]'), json_list('Here it is:\\n```json\\n["a"]\\n```'), json_list("1, 2")
    ([1, 2], ['a'], None)
    """
    fenced = _FENCED.findall(answer)
    try:
        value = json.loads(fenced[0] if len(fenced) == 1 else answer)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None
