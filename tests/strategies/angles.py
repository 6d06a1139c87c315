"""Vectors whose similarities are worked by hand: a text points in the direction that the test gives it."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence

import numpy as np

from strategies.strategy import Vectors
from strategies.tools import Tools


class Angles:
    """Embeds texts as unit vectors at angles in degrees, and remembers what it was asked for."""

    def __init__(self, degrees: Mapping[str, float]) -> None:
        self.degrees = degrees
        self.calls: list[list[str]] = []
        self.most_held = 0
        """Answers of earlier calls that were still in use when the next call came, at most."""
        self._given: list[weakref.ref[Vectors]] = []

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.most_held = max(self.most_held, sum(given() is not None for given in self._given))
        self.calls.append(list(texts))
        radians = np.radians([self.degrees[text] for text in texts])
        vectors = np.stack((np.cos(radians), np.sin(radians)), axis=1).astype(np.float32)
        self._given.append(weakref.ref(vectors))
        return vectors

    @property
    def texts(self) -> list[str]:
        """Every text that was asked for, in order."""
        return [text for call in self.calls for text in call]

    @property
    def tools(self) -> Tools:
        """Tools that embed this way."""
        return Tools(embed=self)
