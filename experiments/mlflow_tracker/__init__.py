"""MLflow as the tracker. This folder is the only place that imports it."""

from experiments.mlflow_tracker.client import recorded_sweeps, ui_command
from experiments.mlflow_tracker.tracker import MlflowTracker

__all__ = ["MlflowTracker", "recorded_sweeps", "ui_command"]
