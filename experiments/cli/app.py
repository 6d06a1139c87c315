"""The table of commands, and what becomes of their errors.

Exit codes: 0 done, 1 a configuration or a check failed, 2 bad input, 130 and 143 stopped by a signal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from errno import ENOSPC
from typing import Any

import typer
from typer.exceptions import TyperException

from experiments.cli import by_group, diagnose, export, gold, init, lists, plan, run_command, split, ui

COMMANDS: dict[str, Callable[..., Any]] = {
    "init": init.init,
    "run": run_command.run,
    "plan": plan.plan,
    "export": export.export,
    "by-group": by_group.by_group,
    "diagnose": diagnose.diagnose,
    "ui": ui.ui,
    "list": lists.list_,
    "split": split.split,
}
"""In the order in which a new user needs them."""

app = typer.Typer(
    name="chunksweep",
    help="Measure how to cut your documents for retrieval-augmented generation.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, function in COMMANDS.items():
    app.command(name)(function)
gold_app = typer.Typer(
    help="Make and check gold sets: documents with questions and evidence.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
for name, function in gold.COMMANDS.items():
    gold_app.command(name)(function)
app.add_typer(gold_app, name="gold")


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks; may stand anywhere."),
) -> None:
    """Measure how to cut your documents for retrieval-augmented generation."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"chunksweep {installed('chunksweep')}")
        raise typer.Exit


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns its exit code and prints no traceback unless asked to."""
    debug = "--debug" in arguments
    words = [word for word in arguments if word != "--debug"]
    try:
        code = app(words, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BaseException as error:
        if debug and not isinstance(error, (SystemExit, typer.Exit, KeyboardInterrupt)):
            raise
        return _explain(error)


def _explain(error: BaseException) -> int:
    from experiments.signals import Interrupted
    from strategies.errors import BadInput, ChunksweepError, visible

    if isinstance(error, typer.Exit):
        return int(error.exit_code)
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 1
    if isinstance(error, TyperException):  # a command line that cannot be understood
        shown: Any = error
        shown.message = visible(shown.message)
        shown.show()
        return int(shown.exit_code)
    if isinstance(error, BadInput):
        return _say(*(str(problem) for problem in error.problems), code=2)
    if isinstance(error, Interrupted):
        return _say(str(error), code=128 + error.number)
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return _say("Stopped.", code=130)
    if isinstance(error, ChunksweepError):
        return _say(str(error), code=1)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else "the output: " if error.errno == ENOSPC else ""
        return _say(f"{place}{error.strerror or error}", code=1)
    return _say(
        f"{type(error).__name__}: {error}",
        "This is a fault of chunksweep. Run the command again with --debug to see where, and report it.",
        code=1,
    )


def _say(*lines: str, code: int) -> int:
    from experiments.paragraph import say

    shown = list(lines)
    if len(shown) > MOST_PROBLEMS:
        shown = [*shown[:MOST_PROBLEMS], f"... and {len(lines) - MOST_PROBLEMS} more"]
    with suppress(OSError):  # standard error may be full or closed, too
        for line in shown:
            say(f"chunksweep: {line}", sys.stderr)
    return code


MOST_PROBLEMS = 30
"""Problems that are printed: one screen."""
