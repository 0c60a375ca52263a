"""``manifest.json``: what ran, on what, and how it ended."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import UNSET

from custody.model.change import Tree
from custody.model.documents import Manifest
from custody.model.event import PipelineStarted, Position
from custody.model.evidence import Evidence
from custody.model.state import State


def opening_manifest(run_id: str, started: PipelineStarted, started_at: str) -> Manifest:
    """Return the manifest of a run that goes on."""
    return Manifest(
        run_id=run_id,
        pipeline=started.pipeline,
        pipeline_sha256=started.pipeline_sha256,
        goal=started.goal,
        variables=started.variables,
        agent=started.agent,
        workdir=started.workdir,
        workspace=started.workspace,
        versions=started.versions,
        started_at=started_at,
        status="RUNNING",
        forked_from=started.forked_from,
        confinement=started.confinement,
        parts=started.parts or UNSET,
        roles=started.roles or UNSET,
        documents=tuple(map(_without_text, started.documents)) or UNSET,
    )


def _without_text(document: Evidence) -> Evidence:
    return Evidence(path=document.path, sha256=document.sha256, bytes=document.bytes)


def closing_manifest(
    opening: Manifest,
    state: State,
    reached: Position,
    *,
    ended_at: str,
    workspace: Tree,
    answered_by: Collection[str] | None = None,
) -> Manifest:
    """Return the manifest of a run that has ended, with the journal's last hash.

    ``answered_by`` is None where the agents are not named.
    """
    from msgspec.structs import replace

    return replace(
        opening,
        pipeline_sha256=state.pipeline_sha256,
        confinement=state.confinement,
        parts=state.parts or UNSET,
        status=state.status,
        ended_at=ended_at,
        events=reached.events,
        head=reached.head,
        final_workspace=workspace,
        agent=opening.agent if answered_by is None else state.agent,
        answered_by=tuple(sorted(answered_by)) if answered_by else UNSET,
    )
