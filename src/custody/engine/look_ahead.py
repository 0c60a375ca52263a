"""What a pipeline needs of the machine, looked for before anything is made or run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from custody.errors import CustodyError, NotReady
from custody.handlers import handlers
from custody.model.finding import Finding
from custody.model.graph import Node, Pipeline, agent_of_role
from custody.model.need import Need
from custody.pipeline.messages import found
from custody.pipeline.subpipeline import all_nodes


def require_ready(
    pipeline: Pipeline,
    agent: str,
    environment: Mapping[str, str],
    roles: Mapping[str, str] = MappingProxyType({}),
    *,
    where: str = "",
) -> None:
    """Raise `NotReady` with everything that is missing, all at once."""
    findings = look_ahead(pipeline, agent, environment, roles)
    if findings:
        raise NotReady(
            f"{counted(findings)} missing, and nothing was started", findings, where=where
        )


def counted(findings: Sequence[Finding]) -> str:
    """Return ``1 thing is``, ``2 things are``."""
    return "1 thing is" if len(findings) == 1 else f"{len(findings)} things are"


def look_ahead(
    pipeline: Pipeline,
    agent: str,
    environment: Mapping[str, str],
    roles: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Finding, ...]:
    """Return a finding for each thing that is missing, at the first node that needs it."""
    from custody.executors.readiness import absent

    findings: list[Finding] = []
    askers: dict[Need, list[Node]] = {}
    for node in all_nodes(pipeline):
        try:
            asked = agent_of_role(node, agent, roles)
            for need in handlers()[node.type].needs(node, asked, environment):
                askers.setdefault(need, []).append(node)
        except CustodyError as error:
            what = f"{node.id}: {error}"
            findings.append(found("not_ready", what, node.position, error.hint))
    for need in absent(askers, environment):
        nodes = askers[need]
        what = f"{need.told()}, for {', '.join(node.id for node in nodes)}"
        at = nodes[0].position
        if need.kind == "server":
            findings.append(found("no_answer", what, at, need.hint))
        else:
            findings.append(found("missing", what, at, need.hint))
    return tuple(findings)
