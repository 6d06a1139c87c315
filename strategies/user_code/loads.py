"""Which code of a user runs: what a module was loaded from, which its file may no longer be."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from strategies.errors import refuse


class _Load(NamedTuple):
    """A module as it was loaded, which happens anew when it is reloaded."""

    module: ModuleType
    spec: object
    """Every load makes a new one."""
    digest: str | None
    """Of the file that was loaded; None where it is not known."""
    seen: str
    """Of the file when it was last looked at."""


_loads: dict[str, _Load] = {}


def digest_of(module: ModuleType, new: bool) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of what was loaded; without a file, Python's version.

    Python does not say from what a module was loaded. Its file as it is now is that if it was imported just
    now (`new`), if nobody touched the file since this process began, or if it looked the same before the
    module was loaded. Raises BadInput where the file is another, or may be.
    """
    file = getattr(module, "__file__", None)
    if not file:
        return f"python {sys.version.split()[0]}"
    seen = hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]
    spec = getattr(module, "__spec__", None)
    last = _loads.get(module.__name__)
    if last and last.module is module and last.spec is spec:
        digest = last.digest
    else:
        sure = new or (last is not None and last.seen == seen) or _touched(file) < _began()
        digest = seen if sure else None
    _loads[module.__name__] = _Load(module, spec, digest, seen)
    if digest != seen:
        what = f"{Path(file).name} {'was' if digest else 'may have been'} changed since it was imported"
        raise refuse("strategy", what, f"Start Python anew, or importlib.reload({module.__name__})")
    return digest


def _touched(file: str) -> float:
    """When a file was written, or put in its place."""
    found = os.stat(file)
    return max(found.st_mtime, found.st_ctime)


def _began() -> float:
    """When this process began."""
    import psutil

    return psutil.Process().create_time()
