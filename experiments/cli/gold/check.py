"""`chunksweep gold check`: whether a gold set can be used, and what it can tell."""

from __future__ import annotations

from typing import Annotated

import typer

from experiments.cli import options


def check(
    path: Annotated[str, typer.Argument(help="Folder of a data set, or a bundled set's name.")],
    difference: Annotated[
        float | None,
        typer.Option(
            "--difference",
            help="A difference between two configurations' means: say whether the set can show it.",
            show_default=False,
        ),
    ] = None,
    skip_bad: options.SkipBad = False,
    json: options.Json = False,
) -> int:
    """Check a gold set.

    Reports everything that is wrong with it, what spoils it as a benchmark, and what differences it can
    detect.
    """
    import sys
    from json import dumps

    from evaluation.gold.check import check as check_gold
    from evaluation.gold.check_lines import lines
    from experiments.paragraph import say
    from strategies.errors import refuse

    if difference is not None and not 0.001 <= difference <= 1:
        raise refuse("--difference", f"is {difference:g}", "Give a share from 0.001 to 1, as 0.05")
    report = check_gold(path, skip_bad=skip_bad, difference=difference)
    if json:
        typer.echo(dumps(report.as_dict(), allow_nan=False, indent=1))
    else:
        for line in lines(report):
            say(line, sys.stdout)
    return 0 if report.ok else 2
