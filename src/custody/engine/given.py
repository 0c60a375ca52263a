"""Settings that are given to a run which has begun: those that would not count are refused."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from custody.engine.redaction import passed_in
from custody.errors import UsageError
from custody.handlers import catalog
from custody.model.graph import Pipeline
from custody.model.ingest import IngestSwitch
from custody.pipeline.subpipeline import all_nodes
from custody.store.history import History

_SHOWN = 5
"""How many stages that need an agent are named."""


class Given(NamedTuple):
    """What somebody asked for by name; empty where nothing was."""

    agent: str = ""
    workdir: str = ""
    variables: Mapping[str, str] = MappingProxyType({})
    confinement: str = ""
    ingest: IngestSwitch | None = None


def refuse_unknown(variables: Mapping[str, str], pipeline: Pipeline) -> None:
    """Raise `UsageError` for a variable that a pipeline does not have."""
    for name in variables:
        if name not in pipeline.variables:
            raise UsageError(
                f"the pipeline has no variable {name!r}",
                hint=f"it has: {', '.join(pipeline.variables) or 'none'}",
            )


def refuse_missing_agents(pipeline: Pipeline, agent: str) -> None:
    """Raise `UsageError` when a stage asks an agent that is not there, or nobody named one."""
    asking = {
        kind.name
        for kind in catalog().values()
        if any(rule.name == "agent" for rule in kind.attributes)
    }
    nodes = [node for node in all_nodes(pipeline) if node.type in asking]
    if not nodes:
        return
    from custody.executors.registry import check_agent, known_agents

    nameless = [node.id for node in nodes if not node.text("agent", agent)]
    if nameless:
        more = ", …" if len(nameless) > _SHOWN else ""
        need = "needs one" if len(nameless) == 1 else "need one"
        raise UsageError(
            f"no agent is named, and {', '.join(nameless[:_SHOWN])}{more} {need}",
            hint="name it by --agent, by agent=… on the node, or in custody.toml; there are "
            f"{', '.join(known_agents())}",
        )
    for spec in sorted({node.text("agent", agent) for node in nodes}):
        check_agent(spec)


def named(given: Given, names: Collection[str] | None) -> Given:
    """Return what was given by name; with None for ``names``, everything that is no default."""

    def is_meant(name: str) -> bool:
        return names is None or name in names

    return given._replace(
        agent=given.agent if is_meant("agent") else "",
        workdir=given.workdir if is_meant("workdir") else "",
        confinement=given.confinement if is_meant("confinement") else "",
        ingest=given.ingest if given.ingest != "off" and is_meant("ingest") else None,
    )


def refuse_others(given: Given, history: History) -> None:
    """Raise `UsageError` for settings that are not those which the run was begun with."""
    others = list(_others(given, history))
    if others:
        raise UsageError(
            f"run {history.run.run_id} was begun otherwise: {'; '.join(others)}",
            hint="leave them out, or start another run; "
            "`custody fork RUN NODE` goes on with another agent",
        )


def _others(given: Given, history: History) -> Iterator[str]:
    begun = history.genesis
    passed = passed_in(
        variables=given.variables, agent=given.agent, workdir=given.workdir, run_id=""
    )
    if given.agent and passed.agent != history.agent:
        yield f"its agent is {history.agent}, not {passed.agent}"
    if given.workdir and os.path.abspath(passed.workdir) != os.path.abspath(begun.workdir):
        yield f"its source is {begun.workdir or 'none'}, not {passed.workdir}"
    for name, value in passed.variables.items():
        if begun.variables.get(name) != value:
            yield f"its {name} is {begun.variables.get(name, '')!r}, not {value!r}"
    chosen = history.confinement
    if given.confinement and (chosen is None or chosen.level != given.confinement):
        yield f"its level is {'none' if chosen is None else chosen.level}, not {given.confinement}"
    if given.ingest is not None and given.ingest != begun.ingest:
        yield f"its ingest is {begun.ingest}, not {given.ingest}"
