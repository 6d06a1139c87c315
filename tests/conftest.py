"""What holds for all tests."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Shells start what runs in their background with interrupts ignored; so would be what tests start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
