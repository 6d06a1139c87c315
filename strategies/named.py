"""Parts that a file names, with parameters of their own: `{store: faiss, index: hnsw}`, or the bare word."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from typing import ClassVar

from strategies.errors import BadInput, Problem, brief, nearest, refuse


class Named(ABC):
    """One of a family. Implementations are frozen dataclasses whose fields are `parameter`s."""

    __slots__ = ()

    family: ClassVar[str]
    """The key that holds its name in a file."""
    name: ClassVar[str]
    """The word for it in a file."""

    @classmethod
    def members(cls) -> Mapping[str, type[Named]]:
        """The family's table, name -> class."""
        raise NotImplementedError


def read_named(family: type[Named], value: object) -> Named:
    """The member that a value of a file stands for.

    Raises BadInput with every problem, and TypeError where the value is no way to write one.
    """
    if isinstance(value, family):
        return value
    said = {family.family: value} if isinstance(value, str) else value
    if not isinstance(said, Mapping):
        raise TypeError(f"no {family.family}")
    from strategies.parameters import made  # reads parameters, of which a member may be one

    known, name = family.members(), said.get(family.family)
    if not isinstance(name, str):
        what = "is missing" if name is None else "is not a name"
        raise BadInput([Problem(family.family, what, f"Write one of {', '.join(known)}")])
    if name not in known:
        # An address or a connection string may hold a password.
        shown = "what stands there" if "://" in name or "=" in name else repr(brief(name))
        raise refuse(family.family, f"{shown} is not a {family.family}", nearest(name, known))
    return made(known[name], {key: given for key, given in said.items() if key != family.family}, name)
