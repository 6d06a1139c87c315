"""Which differences between configurations are real: intervals, paired tests, and a recommendation."""

from __future__ import annotations

from evaluation.statistics.units import Units, components, resampling_units

__all__ = ["Units", "components", "resampling_units"]
