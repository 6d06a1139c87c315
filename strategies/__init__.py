"""How documents are cut: strategies, the nouns they speak, and the tools they may ask for."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from strategies.errors import BadInput, Problem, nearest, refuse
from strategies.fixed import Fixed
from strategies.markdown import Markdown
from strategies.paragraph import Paragraph
from strategies.parameters import JSON, as_json, parameters, problems_of
from strategies.recursive import Recursive
from strategies.sentence import Sentence
from strategies.strategy import Strategy

STRATEGIES: dict[str, type[Strategy]] = {
    "fixed": Fixed,
    "sentence": Sentence,
    "paragraph": Paragraph,
    "recursive": Recursive,
    "markdown": Markdown,
}
"""Every strategy, by the word that a sweep file uses."""

__all__ = ["STRATEGIES", "build", "canonical", "parameters"]


def build(name: str, params: Mapping[str, object]) -> Strategy:
    """The strategy of a sweep entry. Raises BadInput with every problem: name, keys, types, values."""
    if name not in STRATEGIES:
        raise refuse("strategy", f"{name!r} is not a strategy", nearest(str(name), STRATEGIES))
    cls = STRATEGIES[name]
    known = {parameter.name: parameter for parameter in parameters(cls)}
    problems = [
        Problem(str(key), f"is not a parameter of {name}", nearest(str(key), known))
        for key in params
        if key not in known
    ]
    missing = [p.name for p in known.values() if p.required and p.name not in params]
    problems += [Problem(key, f"is missing ({known[key].help})", f"{name} needs it") for key in missing]
    fitting, misfits = problems_of(cls, params)
    problems += misfits
    if all(parameter.name in fitting for parameter in known.values() if parameter.required):
        try:
            strategy = cls(**fitting)
        except BadInput as error:
            # A parameter that did not fit was left out: what its absence breaks is no news.
            misfitting = {problem.where for problem in misfits}
            problems += [problem for problem in error.problems if problem.where not in misfitting]
    if problems:
        raise BadInput(problems)
    return strategy


def canonical(strategy: Strategy) -> dict[str, JSON]:
    """Every parameter in its one form, under its name, and `strategy`: equal where cuts are equal."""
    fields = dataclasses.fields(strategy)  # type: ignore[arg-type]  # strategies are dataclasses
    return {"strategy": strategy.name} | {
        field.name: as_json(getattr(strategy, field.name)) for field in fields
    }
