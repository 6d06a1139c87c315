"""Where the distance of neighbours spikes: from distances to borders.

Sources: G. Kamradt, "5 Levels of Text Splitting" (2023), for the percentile; LangChain's `SemanticChunker`
(langchain-experimental) for the standard deviation, the interquartile range and the gradient, and for the
default of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

from strategies.meaning.similarity import Numbers

Kind = Literal["similarity", "percentile", "standard_deviation", "interquartile", "gradient"]

DEFAULTS: Mapping[Kind, float] = {
    "similarity": 0.75,
    "percentile": 95.0,
    "standard_deviation": 3.0,
    "interquartile": 1.5,
    "gradient": 95.0,
}

RANGES: Mapping[Kind, tuple[float, float]] = {
    "similarity": (-1.0, 1.0),
    "percentile": (0.0, 100.0),
    "standard_deviation": (0.0, np.inf),
    "interquartile": (0.0, np.inf),
    "gradient": (0.0, 100.0),
}
"""The least and the greatest threshold that means anything."""


def threshold_problem(kind: Kind, threshold: float) -> str:
    """What is wrong with a threshold of this kind, or nothing.

    >>> threshold_problem("percentile", 95), threshold_problem("similarity", 95)
    ('', 'is 95, and a similarity lies between -1 and 1')
    """
    low, high = RANGES[kind]
    if low <= threshold <= high:
        return ""
    wanted = f"between {low:g} and {high:g}" if high < np.inf else f"at {low:g} or above"
    return f"is {threshold:g}, and a {kind.replace('_', ' ')} lies {wanted}"


def borders(distances: Numbers, kind: Kind, threshold: float) -> npt.NDArray[np.bool_]:
    """Which distances of neighbours are borders; both have shape (n - 1,) for n sentences.

    A border lies where the distance (for `gradient`: its slope) is above a limit:

    - `similarity`: 1 - threshold;
    - `percentile`: that percentile of all distances of the document;
    - `standard_deviation`: their mean + threshold x their standard deviation;
    - `interquartile`: their mean + threshold x the range between their quartiles;
    - `gradient`: that percentile of the slopes. A single distance has none.

    >>> borders(np.array([0.1, 0.5, 0.1, 0.1]), "percentile", 80).tolist()
    [False, True, False, False]
    """
    values = distances
    if kind == "gradient":
        values = np.gradient(distances) if len(distances) > 1 else np.zeros_like(distances)
    if not len(values):
        return np.zeros(0, dtype=np.bool_)
    if kind == "similarity":
        limit = 1 - threshold
    elif kind == "standard_deviation":
        limit = values.mean() + threshold * values.std()
    elif kind == "interquartile":
        first, third = np.percentile(values, [25, 75])
        limit = values.mean() + threshold * (third - first)
    else:
        limit = np.percentile(values, threshold)
    # Distances are whole millionths. What is less is noise: the mean of equal numbers may be below them.
    above: npt.NDArray[np.bool_] = np.round(values - limit, 9) > 0
    return above
