"""Tries, before any work, whether a store takes what a sweep will write."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from experiments.mlflow_tracker.client import OTHER_STORE, errors, sentence
from experiments.mlflow_tracker.writing import own_tags
from strategies.errors import refuse


def probe(client: Any, experiment_id: str) -> None:
    """Write a run with one artifact and delete both; raises `BadInput` where either cannot be written.

    A client may reach a server and still not the place where that server wants artifacts to be put.
    """
    try:
        run = client.create_run(experiment_id, tags=own_tags({"kind": "probe"}), run_name="probe")
    except errors() as error:
        raise refuse("tracking store", f"takes no runs: {sentence(error)}", OTHER_STORE) from error
    try:
        client.log_text(run.info.run_id, "Can artifacts be written?", "probe.txt")
        client.list_artifacts(run.info.run_id)
    except errors() as error:
        what = f"artifacts cannot be written to {run.info.artifact_uri}: {sentence(error)}"
        remedy = "Make that place writable; if it is a server's, start that with --serve-artifacts"
        raise refuse("tracking store", what, remedy) from error
    finally:
        with suppress(Exception):
            _delete_artifacts(run.info.artifact_uri)
        with suppress(Exception):
            client.set_terminated(run.info.run_id, "FINISHED")
            client.delete_run(run.info.run_id)


def _delete_artifacts(uri: str) -> None:
    from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

    get_artifact_repository(uri).delete_artifacts()
