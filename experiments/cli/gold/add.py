"""`chunksweep gold add`: questions with their evidence, asked for on a terminal or given as options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from experiments.cli import options

if TYPE_CHECKING:
    from evaluation.gold.adding import Draft


def add(
    path: Annotated[str, typer.Argument(help="Folder of a data set.")] = ".",
    question: Annotated[
        str | None,
        typer.Option("--question", help="The question: nothing is asked then.", show_default=False),
    ] = None,
    quote: Annotated[
        list[str] | None,
        typer.Option("--quote", help="Words of a document; again for more evidence.", show_default=False),
    ] = None,
    document: Annotated[
        str | None, typer.Option("--document", help="Where the quotes stand.", show_default=False)
    ] = None,
    no_evidence: Annotated[
        bool, typer.Option("--no-evidence", help="Nothing answers it: the question is not scored.")
    ] = False,
    every: Annotated[bool, typer.Option("--any", help="Any place of a quote that repeats will do.")] = False,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", help="A tag, or several with commas between.", show_default=False),
    ] = None,
    answer: Annotated[
        str, typer.Option("--answer", help="What a right answer says.", show_default=False)
    ] = "",
    id_: Annotated[
        str | None, typer.Option("--id", help="Default: words of the question.", show_default=False)
    ] = None,
    json: options.Json = False,
) -> int:
    """Add questions to a data set.

    Asks for each and its evidence, and saves it at once; or adds the one that options describe.
    """
    import sys

    from evaluation.gold.adding import begin, tags_of
    from strategies.errors import refuse

    given = [question, quote, document, no_evidence, every, tag, answer, id_, json]
    if not any(value not in (None, False, "", []) for value in given):
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise refuse("gold add", "asks on a terminal, and this is none", "Give --question and --quote")
        return _ask(path)
    if no_evidence and (quote or document or every):
        wrong = "--quote" if quote else "--document" if document else "--any"
        raise refuse("--no-evidence", f"does not go with {wrong}", "Leave out the one or the other")
    if question is None or not (quote or no_evidence):
        missing = "--question" if question is None else "--quote"
        remedy = "Give both, or no option at all to be asked. --no-evidence is for what nothing answers"
        raise refuse(missing, "is missing", remedy)
    tags = [part for text in tag or [] for part in tags_of(text) or ("",)]
    return _add(begin(path), question, quote or [], document, every, tags, answer, id_, json)


def _ask(path: str) -> int:
    from rich.console import Console

    from evaluation.gold.adding import begin
    from experiments.gold_dialogue import Dialogue
    from experiments.signals import gated_signals

    draft = begin(path)
    with gated_signals(goes_on=False) as gate:
        dialogue = Dialogue(draft, Console(highlight=False), gate.hold)
        try:
            dialogue.run()
        except EOFError:
            typer.echo("")
        finally:
            count = dialogue.added
            typer.echo(f"{count} question{'' if count == 1 else 's'} added.")
    return 0


def _add(
    draft: Draft,
    text: str,
    quotes: list[str],
    document: str | None,
    every: bool,
    tags: list[str],
    answer: str,
    name: str | None,
    json: bool,
) -> int:
    from json import dumps

    from rich.console import Console

    from evaluation.gold.adding import checked, evidence, ids, save, suggested_id, wrong
    from evaluation.gold.nouns import Question
    from evaluation.gold.showing import Surroundings
    from experiments.evidence_view import view
    from experiments.signals import gated_signals
    from strategies.errors import brief

    entries = evidence(draft, quotes, document, every=every)
    chosen = suggested_id(text, ids(draft.folder)) if name is None else name
    question = checked(Question(chosen, text, entries, tuple(tags), answer=answer))
    if others := len(list(wrong(draft.reading))):
        some = "a problem" if others == 1 else f"{others} problems"
        options.warn(f"The set has {some} elsewhere: see chunksweep gold check")
    if draft.copies(question):
        options.warn(
            "The question is in the words of its evidence, which flatters a search by words. "
            "Ask as users do, before they have read the answer"
        )
    for said in draft.cut(entries):
        options.warn(said)
    saved = False
    try:
        with gated_signals(goes_on=False) as gate, gate.hold():
            notes = save(draft, question)
            saved = True
        for note in notes:
            options.warn(str(note))
        around = Surroundings(draft.documents)
        if json:
            typer.echo(dumps([around.question(question)], indent=1))
        else:
            view(Console(highlight=False), question, around)
    except BaseException:
        if saved:  # or it would be added again
            options.warn(f"Saved {brief(question.id)}")
        raise
    return 0
