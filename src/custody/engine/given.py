"""Settings that are given to a run which has begun: those that would not count are refused."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from custody.engine.redaction import Passed, passed_in
from custody.errors import PathRefused, UsageError
from custody.handlers import catalog
from custody.model.graph import ROLE, Pipeline, agent_of_role
from custody.model.ingest import IngestSwitch
from custody.pipeline.document import document_path
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
    roles: Mapping[str, str] = MappingProxyType({})
    documents: Mapping[str, bytes] = MappingProxyType({})


def admit(given: Given, pipeline: Pipeline) -> Given:
    """Return what a new run is given, documents by the paths they will have.

    Raises `UsageError` for what the pipeline does not know, and for agents that are not there.
    """
    refuse_unknown(given.variables, pipeline)
    refuse_unknown_roles(given.roles, pipeline)
    refuse_missing_agents(pipeline, given.agent, given.roles)
    documents: dict[str, bytes] = {}
    for path, data in given.documents.items():
        try:
            known_as = str(document_path(path))
        except PathRefused as refused:
            raise UsageError(refused.what, hint=refused.hint) from None
        if known_as in documents:
            raise UsageError(f"the document {known_as} is handed in twice")
        documents[known_as] = data
    return given._replace(documents=documents)


def passed_in_all(given: Given, run_id: str = "") -> Passed:
    """Return what a run may know of all that is given; raises what `passed_in` raises."""
    return passed_in(
        variables=given.variables,
        agent=given.agent,
        workdir=given.workdir,
        run_id=run_id,
        roles=given.roles,
        documents=given.documents,
    )


def refuse_unknown(variables: Mapping[str, str], pipeline: Pipeline) -> None:
    """Raise `UsageError` for a variable that a pipeline does not have."""
    for name in variables:
        if name not in pipeline.variables:
            raise UsageError(
                f"the pipeline has no variable {name!r}",
                hint=f"it has: {', '.join(pipeline.variables) or 'none'}",
            )


def refuse_unknown_roles(roles: Mapping[str, str], pipeline: Pipeline) -> None:
    """Raise `UsageError` for a role that no node of a pipeline names."""
    known = sorted({role for node in all_nodes(pipeline) if (role := node.text(ROLE))})
    for role in roles:
        if role not in known:
            raise UsageError(
                f"the pipeline has no role {role!r}", hint=f"it has: {', '.join(known) or 'none'}"
            )


def refuse_missing_agents(
    pipeline: Pipeline, agent: str, roles: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Raise `UsageError` when a stage asks an agent that is not there, or nobody named one."""
    types = {node.type for node in all_nodes(pipeline)}
    asking = {
        name for name in types if any(rule.name == "agent" for rule in catalog()[name].attributes)
    }
    nodes = [node for node in all_nodes(pipeline) if node.type in asking]
    if not nodes:
        return
    from custody.executors.registry import check_agent, known_agents

    asked = {node.id: node.text("agent", agent_of_role(node, agent, roles)) for node in nodes}
    nameless = [node for node, spec in asked.items() if not spec]
    if nameless:
        more = ", …" if len(nameless) > _SHOWN else ""
        need = "needs one" if len(nameless) == 1 else "need one"
        raise UsageError(
            f"no agent is named, but {', '.join(nameless[:_SHOWN])}{more} {need}",
            hint="name one with --agent, with agent=… on the node, or in custody.toml; known: "
            f"{', '.join(known_agents())}",
        )
    for spec in sorted({*asked.values()}):
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
    passed = passed_in_all(given)
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
    for role, agent in passed.roles.items():
        if begun.roles.get(role) != agent:
            yield f"its {role} is {begun.roles.get(role, 'nobody')}, not {agent}"
    handed_in = {document.path: document.sha256 for document in begun.documents}
    for path, data in passed.documents.items():
        if handed_in.get(path) != hashlib.sha256(data).hexdigest():
            yield f"its {path} is another one"
    if given.ingest is not None and given.ingest != begun.ingest:
        yield f"its ingest is {begun.ingest}, not {given.ingest}"
