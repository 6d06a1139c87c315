"""`chunksweep gold generate`: questions by a language model, with evidence that was found in its document."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.cli import asking, options
from strategies.errors import BadInput, Problem, brief, nearest, refuse

if TYPE_CHECKING:
    from evaluation.gold.making.estimating import Counting, Estimate
    from evaluation.gold.making.making import Maker
    from evaluation.gold.making.span_exact import Made
    from evaluation.gold.nouns import GoldSet, Question
    from strategies.language_model.chat import Chat
    from strategies.language_model.chat_model import ChatModel

_OPTIONS = {"base_url": "--base-url", "model": "--model", "api_key_env": "--api-key-env"}


def generate(
    path: Annotated[str, typer.Argument(help="Folder of a data set; it may hold no question yet.")],
    base_url: Annotated[
        str,
        typer.Option(
            "--base-url",
            help="Endpoint of OpenAI's chat protocol, as http://localhost:11434/v1; passages are sent there.",
        ),
    ],
    model: Annotated[str, typer.Option("--model", help="Name of the model, as the endpoint knows it.")],
    api_key_env: Annotated[
        str | None,
        typer.Option(
            "--api-key-env",
            help="Environment variable that holds the key, if one is needed.",
            show_default=False,
        ),
    ] = None,
    questions: Annotated[
        int,
        typer.Option(
            "--questions", min=1, max=1_000_000, help="Questions wanted; those of an earlier run count."
        ),
    ] = 50,
    generator: Annotated[
        str, typer.Option("--generator", help="span-exact, or ragas: its TestsetGenerator.")
    ] = "span-exact",
    seed: Annotated[int, typer.Option("--seed", help="Draws the passages; another one gives others.")] = 7,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Another parameter of the model, as concurrency=8 or price_per_million_input_tokens=0.2.",
            show_default=False,
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether to go on.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be asked and what it would take, and stop.")
    ] = False,
    cache_dir: options.CacheDir = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Add questions that a language model makes of a set's own documents.

    Says first how many requests and tokens that takes. Every answer is kept on disk: the same command
    goes on where it stopped, and asks nothing twice.
    """
    from evaluation.gold.making.making import MAKERS
    from evaluation.gold.making.opening import open_for_questions
    from experiments.cache_place import cache_place
    from strategies.language_model.chat import Chat

    asked = _model({"base_url": base_url, "model": model, "api_key_env": api_key_env}, set_ or [])
    if generator not in MAKERS:
        raise refuse("--generator", f"there is no {brief(generator)}", nearest(generator, MAKERS))
    folder, gold = open_for_questions(path)
    if not dry_run:
        _check_key(asked)
    cache = cache_place(cache_dir)
    maker = MAKERS[generator](gold, questions, seed, asked.concurrency, cache)
    chat = Chat(cache)
    try:
        expected = _estimated(maker, chat, asked)
        if dry_run or (expected.most.requests and not yes):
            person = not dry_run and sys.stdin.isatty()
            _show_estimate(expected, gold, asked, questions, json=json, person=person)
            if not dry_run and not person:
                raise refuse("--yes", "is missing, and nobody can be asked", "Add it if that may be spent")
            if dry_run or not typer.confirm("Go on?", err=True):
                return 0
        return _make(maker, chat, asked, folder, gold, expected, quiet=quiet, json=json)
    finally:
        chat.close()


def _model(said: dict[str, Any], sets: Sequence[str]) -> ChatModel:
    """The model of the options. Raises BadInput with every problem, under the names of the options."""
    from evaluation.yaml_reading import parse_scalar
    from strategies.language_model.chat_model import ChatModel
    from strategies.parameters import made

    more = {key: parse_scalar(value) for key, value in asking.pairs(list(sets)).items()}
    if twice := [key for key in more if key in _OPTIONS]:
        raise BadInput([Problem("--set", f"{key} has an option", f"Use {_OPTIONS[key]}") for key in twice])
    try:
        return made(ChatModel, said | more, "a language model")
    except BadInput as error:
        raise BadInput(
            [
                Problem(_OPTIONS.get(problem.where, f"--set {problem.where}"), problem.what, problem.remedy)
                for problem in error.problems
            ]
        ) from None


def _check_key(model: ChatModel) -> None:
    from strategies.language_model.chat_client import Failure, key_of_environment

    if isinstance(key := key_of_environment(model), Failure):
        raise refuse("--api-key-env", key.what)


def _estimated(maker: Maker, chat: Chat, model: ChatModel) -> Estimate:
    """What the maker would ask beside what is kept."""
    from evaluation.gold.making.estimating import Counting, estimate

    counting: Counting = Counting(lambda prompt: chat.kept(model, prompt))
    made = maker.make(counting.ask)
    return estimate(maker.weights(counting.pending, made), model)


def _show_estimate(
    expected: Estimate, gold: GoldSet, model: ChatModel, wanted: int, *, json: bool, person: bool
) -> None:
    """To a person who is then asked on standard error, where the question stands."""
    from dataclasses import asdict
    from json import dumps

    from experiments.generation import estimate_lines
    from experiments.paragraph import say

    if json and not person:
        typer.echo(dumps({"estimate": asdict(expected)}, allow_nan=False, indent=1))
    else:
        for line in estimate_lines(expected, gold.name, model, wanted):
            say(line, sys.stderr if person else sys.stdout)


def _make(
    maker: Maker,
    chat: Chat,
    model: ChatModel,
    folder: Path,
    gold: GoldSet,
    expected: Estimate,
    *,
    quiet: bool,
    json: bool,
) -> int:
    from json import dumps

    from evaluation.gold.changing import add_questions
    from evaluation.gold.writing import question_line
    from experiments.generation import as_dict, report_lines
    from experiments.paragraph import say
    from experiments.signals import gated_signals

    texts = {document.id: document for document in gold.documents}

    with gated_signals() as gate, _progress(maker.wanted, quiet) as tell:

        def save(new: Sequence[Question]) -> None:
            if new:
                with gate.hold():
                    add_questions(folder, [question_line(question, texts) for question in new])

        def ask(step: str, prompt: str) -> str:
            (answer,) = chat.answers(model, [prompt], lambda answer: "")
            return answer

        chat.spent()  # from here on
        made = maker.make(ask, save, tell)
    spent = chat.spent()
    if json:
        typer.echo(dumps(as_dict(made, spent, expected), allow_nan=False, indent=1))
    else:
        for line in report_lines(made, spent, gold.name):
            say(line, sys.stdout)
    return 1 if made.failures else 0


def _progress(wanted: int, quiet: bool) -> AbstractContextManager[Callable[[Made], None]]:
    """A bar on a terminal; gives what is to be told of every passage."""
    from contextlib import contextmanager

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    @contextmanager
    def shown() -> Iterator[Callable[[Made], None]]:
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        silent = quiet or not console.is_terminal
        with Progress(*columns, console=console, transient=True, disable=silent) as bar:
            task = bar.add_task("questions", total=wanted)

            def tell(made: Made) -> None:
                lost = len(made.refused) + len(made.failures)
                bar.update(task, completed=len(made.kept), description=f"questions ({lost} dropped)")

            yield tell

    return shown()
