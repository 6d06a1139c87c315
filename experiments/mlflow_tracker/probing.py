"""Tries, before any work, whether a store takes what a sweep will write."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from experiments.mlflow_tracker.calling import quiet
from experiments.mlflow_tracker.failures import errors, remedy, sentence
from experiments.mlflow_tracker.writing import own_tags
from experiments.owner import Owner
from strategies.errors import refuse


def probe(client: Any, experiment_id: str, owner: Owner) -> None:
    """Write a run with one artifact and delete both; raises `BadInput` where either cannot be written.

    A client may reach a server and still not the place where that server wants artifacts to be put. The
    owner is noted with the run, so that a later process can tell a probe that was killed.
    """
    tags = own_tags({"kind": "probe", "owner": owner.to_json()})
    try:
        run = client.create_run(experiment_id, tags=tags, run_name="probe")
    except errors() as error:
        raise refuse("tracking store", f"takes no runs: {sentence(error)}", remedy(error)) from error
    try:
        client.log_text(run.info.run_id, "Can artifacts be written?", "probe.txt")
        client.list_artifacts(run.info.run_id)
    except errors() as error:
        what = f"artifacts cannot be written to {run.info.artifact_uri}: {sentence(error)}"
        otherwise = "Make that place writable; if it is a server's, start that with --serve-artifacts"
        raise refuse("tracking store", what, remedy(error, otherwise)) from error
    finally:
        with suppress(Exception):
            client.set_terminated(run.info.run_id, "FINISHED")
            delete_probe(client, run)


def delete_probe(client: Any, run: Any) -> None:
    """Delete a probe's run, and its artifact if that can be reached."""
    from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

    with suppress(Exception), quiet():
        get_artifact_repository(run.info.artifact_uri).delete_artifacts()
    client.delete_run(run.info.run_id)
