"""Where vectors are cached, unless the user says otherwise."""

from __future__ import annotations

import os
from pathlib import Path


def cache_place(given: Path | str | None = None) -> Path:
    """The folder of the vector cache: as given, `$CHUNKSWEEP_CACHE_DIR`, or the platform's cache folder."""
    from platformdirs import user_cache_path

    named = given or os.environ.get("CHUNKSWEEP_CACHE_DIR")
    return Path(named).expanduser() if named else user_cache_path("chunksweep", appauthor=False)
