"""Who runs a sweep: enough to tell later whether that process is still alive."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import asdict, dataclass

import psutil

_SAME_START_S = 2.0
"""A start time is computed from the clock, which may have been set since."""


@dataclass(frozen=True, slots=True)
class Owner:
    """One process on one machine. A process number is used again; with its start time it is not."""

    host: str
    pid: int
    started_at: float
    """Seconds since 1970-01-01 UTC."""

    @staticmethod
    def myself() -> Owner:
        """This process."""
        return Owner(socket.gethostname(), os.getpid(), psutil.Process().create_time())

    def to_json(self) -> str:
        """The form kept with a run."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Owner | None:
        """The owner that `to_json` wrote; None for anything else."""
        try:
            content = json.loads(text)
            return Owner(str(content["host"]), int(content["pid"]), float(content["started_at"]))
        except (ValueError, TypeError, KeyError):
            return None

    def is_dead(self) -> bool:
        """Whether the process is known to be gone. On another machine nothing is known, so False."""
        if self.host != socket.gethostname():
            return False
        try:
            process = psutil.Process(self.pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return True
            return bool(abs(process.create_time() - self.started_at) > _SAME_START_S)
        except psutil.NoSuchProcess:
            return True
        except psutil.AccessDenied:
            return False
