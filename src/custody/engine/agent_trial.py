"""One real call of an agent, as a stage would make it: confined, on an empty folder, once."""

from __future__ import annotations

import os
from typing import NamedTuple

from msgspec.structs import replace

from custody.engine import begin
from custody.engine.given import Given
from custody.engine.look_ahead import counted, look_ahead
from custody.errors import NotReady
from custody.handlers import catalog
from custody.model import layout
from custody.model.event import AnyFact, JournalLine, RequestAnswered
from custody.model.graph import Pipeline
from custody.model.request import Ack, Usage
from custody.pipeline.read import load_pipeline
from custody.store.root import read_file
from custody.store.scratch import scratch

PIPELINE = b"""digraph trial {
    start [shape=Mdiamond]
    ask   [
        prompt="Change nothing. Answer with the one word: ready",
        timeout=3m,
        claude.server_retries=2
    ]
    done  [shape=Msquare]
    start -> ask -> done
}
"""
_FOR_IT = ", for ask"
SHOWN = 500
"""Characters of an answer that are told."""


class AgentTrial(NamedTuple):
    """What came of it."""

    agent: str
    answered: bool
    said: str
    """The beginning of the answer."""
    reason: str
    """Why there is none; empty when it answered."""
    summary: str
    """What else is known of the failure."""
    seconds: float
    usage: Usage | None
    level: str
    """How it was confined; empty for an agent that starts nothing."""
    waits: bool = False
    """Whether a person would have to answer."""


def try_agent(agent: str, *, confinement: str = "") -> AgentTrial:
    """Ask an agent one thing and return what came of it; raises `NotReady`.

    Nothing is left of it. Raises whatever a run may raise.
    """
    pipeline = load_pipeline(PIPELINE, catalog(), "trial")
    _require_ready(pipeline, agent)
    acks: list[Ack] = []

    def hear(_line: JournalLine, fact: AnyFact) -> None:
        if isinstance(fact, RequestAnswered):
            acks.append(fact.ack)

    with scratch() as folder:
        folder.make_dirs("project")
        result = begin.begin(
            pipeline,
            Given(agent=agent, workdir=f"{folder.path}/project", confinement=confinement),
            runsdir=f"{folder.path}/runs",
            run_id="trial",
            listeners=(hear,),
        )
        level = "" if result.confinement is None else result.confinement.level
        if not acks:
            return AgentTrial(agent, False, "", "", "", 0.0, None, level, waits=True)  # noqa: FBT003
        ack = acks[-1]
        said = [item.path for item in ack.evidence if layout.is_response(item.path)]
        text = read_file(f"{result.path}/{said[0]}").decode(errors="replace") if said else ""
    return AgentTrial(
        agent=agent,
        answered=ack.status == "ok",
        said=text.strip()[:SHOWN],
        reason=ack.failure_reason,
        summary=ack.failure_summary,
        seconds=ack.seconds,
        usage=ack.usage,
        level=level,
    )


def _require_ready(pipeline: Pipeline, agent: str) -> None:
    """Raise `NotReady` with what is missing; nobody wrote the pipeline, so no place is told."""
    missing = look_ahead(pipeline, agent, os.environ)
    if missing:
        told = tuple(
            replace(found, message=found.message.removesuffix(_FOR_IT), line=0, column=0)
            for found in missing
        )
        raise NotReady(f"agent {agent} cannot be asked: {counted(told)} missing", told)
