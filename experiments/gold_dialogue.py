"""Questions asked for on a terminal, one after the other, each saved at once."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress

from rich.console import Console
from rich.text import Text

from evaluation.gold.adding import Draft, checked, ids, save, suggested_id, tags_of, wrong
from evaluation.gold.near import NearMatch, alike
from evaluation.gold.nouns import Evidence, Passage, Question
from evaluation.gold.quotes import Quote
from evaluation.gold.showing import Surroundings
from experiments.evidence_view import excerpt, one_line, place, view, write
from strategies.errors import BadInput

SHOWN_PLACES = 9
"""Places of a repeated quote that can be chosen from."""
SHOWN_PROBLEMS = 3
ANOTHER = "e to type the quote again, g to give it up"


class Dialogue:
    """Asks for questions until there is no more input; `added` counts what was saved."""

    def __init__(
        self,
        draft: Draft,
        console: Console,
        hold: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """`hold`: a context in which signals wait."""
        self.draft = draft
        self.console = console
        self.hold = hold
        self.added = 0
        self._around = Surroundings(draft.documents)
        self._close = Surroundings(draft.documents, context=60)
        with suppress(ImportError):  # lines can then be edited, and be longer than a terminal's own 4,096
            importlib.import_module("readline")

    def run(self) -> None:
        """Ask for one question after the other. Raises EOFError at the end of input."""
        self._begin()
        while True:
            self._say("")
            text = self._ask("Question: ")
            if text:
                self._question(text)

    def _begin(self) -> None:
        gold = self.draft.reading.gold
        name = gold.name or self.draft.folder
        self._say(f"{name}: questions {len(gold.questions)}, documents {len(gold.documents)}.")
        problems = list(wrong(self.draft.reading))
        if problems:
            self._say(f"The set has problems beside what is added now, {len(problems)} in all:")
            for problem in problems[:SHOWN_PROBLEMS]:
                self._say(str(problem), 2)
        self._say("Ctrl-D ends. Each question is saved before the next.")

    def _question(self, text: str) -> None:
        entries: list[Evidence] = []
        while True:
            for entry in self._evidence():
                if entry in entries:
                    self._say("That is among the evidence already.")
                else:
                    entries.append(entry)
            question = Question("", text, tuple(entries))
            if entries and self.draft.copies(question):
                self._say(
                    "Careful: the question is in the words of its evidence, which flatters a search by "
                    "words. Ask as users do, before they have read the answer."
                )
            if not self._agreed("More evidence? [y/N] ", default=False):
                break
        if not entries:
            self._say("Without evidence the question is not scored.")
        tags = tags_of(self._ask("Tags, with commas between (none): "))
        answer = self._ask("Answer, in your own words (none): ")
        while True:
            name = self._id(text)
            question = Question(name, text, tuple(entries), tags, answer=answer)
            try:
                question = checked(question)
                self._say("")
                view(self.console, question, self._around)
                self._say("")
                if not self._agreed("Save? [Y/n] ", default=True):
                    self._say("Not saved.")
                    return
                with self.hold():
                    notes = save(self.draft, question)
                    self.added += 1
            except BadInput as error:  # its id was taken meanwhile, or is no text
                self._tell(error.problems)
                if not all(problem.where == "id" for problem in error.problems):
                    return
                continue
            except OSError as error:  # what was typed is not lost: the disk may be made to have room
                self._say(f"It could not be saved ({error.strerror or error}).")
                continue
            self._tell(notes)
            self._say(f"Saved {question.id}.")
            return

    def _id(self, text: str) -> str:
        taken = ids(self.draft.folder)
        suggested = suggested_id(text, taken)
        while True:
            name = self._ask(f"Id [{suggested}]: ") or suggested
            if name not in taken:
                return name
            self._say("That id is taken.")

    def _evidence(self) -> Sequence[Evidence]:
        """Entries for one quote; none if it was given up."""
        while True:
            quote = self._quote()
            if not quote.text:
                return ()
            places = self.draft.places(quote)
            chosen = self._one_of(quote, places) if places else self._near(quote)
            if chosen is not None:
                for entry in chosen:
                    self._excerpt("Evidence: ", entry.passages[0])
                    if len(entry.passages) > 1:
                        self._say(f"or any of {len(entry.passages) - 1} other places", 2)
                    for said in self.draft.cut([entry])[:SHOWN_PROBLEMS]:
                        self._say(f"Careful: {said}")
                return chosen

    def _quote(self) -> Quote:
        self._say("Quote from a document, ended by an empty line:")
        lines: list[str] = []
        while line := input("> ").rstrip("\r\n"):
            lines.append(line)
        return Quote("\n".join(lines))

    def _one_of(self, quote: Quote, places: Sequence[Passage]) -> Sequence[Evidence] | None:
        """The place of a quote that is meant, or any; None: another quote is asked for."""
        documents = list(dict.fromkeys(passage.document for passage in places))
        document = None
        if len(documents) > 1:
            self._say(f"It stands in {len(documents)} documents:")
            for number, name in enumerate(documents[:SHOWN_PLACES], start=1):
                self._say(f"{number}  {one_line(name)}", 2)
            chosen = self._choose(documents, "a for any place of any of them")
            if isinstance(chosen, str):
                return self._other(chosen, lambda: self.draft.every(quote))
            document = documents[chosen]
            places = [passage for passage in places if passage.document == document]
        if len(places) == 1:
            return [Evidence((places[0],))]
        self._say(f"It stands in {len(places)} places:")
        for number, passage in enumerate(places[:SHOWN_PLACES], start=1):
            self._excerpt(f"{number}  ", passage)
        chosen = self._choose(places, "a for any of them")
        if isinstance(chosen, str):
            return self._other(chosen, lambda: self.draft.every(quote, document or places[0].document))
        return [Evidence((places[chosen],))]

    def _near(self, quote: Quote) -> Sequence[Evidence] | None:
        found = self.draft.near.find(quote)
        if not found:
            self._say("It stands nowhere, and nothing reads much like it. Copy the words from the document.")
            return None
        self._say("It stands nowhere as it is. What reads most like it:")
        for number, near in enumerate(found, start=1):
            for passage in _passages(near):
                self._excerpt(f"{number}  {alike(near)}: ", passage)
        chosen = self._choose(found, "")
        if isinstance(chosen, str):
            return self._other(chosen, None)
        return [Evidence((passage,)) for passage in _passages(found[chosen])]

    def _choose(self, items: Sequence[object], every: str) -> int | str:
        """The place in the list, or one of the letters a, e and g."""
        count = min(len(items), SHOWN_PLACES)
        if count < len(items):
            self._say(f"and {len(items) - count} more, which a longer quote tells apart", 2)
        numbers = {str(place + 1): place for place in range(count)}
        letters = "aeg" if every else "eg"
        options = ", ".join(filter(None, ["a number", every, ANOTHER]))
        while True:
            answer = self._ask(f"Which? ({options}) ").lower()
            if answer in numbers:
                return numbers[answer]
            if len(answer) == 1 and answer in letters:
                return answer
            self._say(f"Give a number from 1 to {count}, or one of the letters.")

    def _other(self, letter: str, every: Callable[[], Evidence] | None) -> Sequence[Evidence] | None:
        if letter == "a" and every is not None:
            return [every()]
        return None if letter == "e" else ()

    def _excerpt(self, head: str, passage: Passage) -> None:
        found = self._close.of(passage)
        self._say(f"{head}{place(found)}", 2)
        excerpt(self.console, found, 4)

    def _ask(self, prompt: str) -> str:
        return input(prompt).strip()

    def _agreed(self, prompt: str, *, default: bool) -> bool:
        while True:
            answer = self._ask(prompt).lower()
            if answer in ("", "y", "yes", "n", "no"):
                return answer.startswith("y") if answer else default
            self._say("Answer y or n.")

    def _tell(self, problems: Iterable[object]) -> None:
        for problem in problems:
            self._say(str(problem))

    def _say(self, line: str, indent: int = 0) -> None:
        write(self.console, Text(one_line(line)), indent)


def _passages(near: NearMatch) -> list[Passage]:
    return [Passage(near.document, start, end) for start, end in near.ranges]
