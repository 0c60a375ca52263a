"""Whether what a stage needs is there, as far as can be told without doing its work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from custody.errors import UsageError
from custody.model.need import Need, NeedKind
from custody.model.request import Ack, AgentRequest
from custody.model.verdict import Verdict
from custody.store.places import is_file, is_program

PATIENCE = 3.0
"""Seconds that a server has to let us in."""
LACKS: Mapping[NeedKind, str] = {"program": "agent_not_found", "variable": "agent_key_missing"}
"""What is looked for again before each attempt, and the reason of one that cannot be made."""


def absent(needs: Iterable[Need], environment: Mapping[str, str]) -> list[Need]:
    """Return those of which nothing is there."""
    return [
        need
        for need in dict.fromkeys(needs)
        if not any(_LOOKS[need.kind](name, environment) for name in need.names)
    ]


def agents_there(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the packaged agents that are programs, and whose program is there."""
    from custody.executors.registry import needs_of, packaged_types

    found = []
    for kind in packaged_types():
        try:
            needs = needs_of(kind.name, {}, environment)
        except UsageError:
            continue  # it is nobody without an argument
        programs = [need for need in needs if need.kind == "program"]
        if programs and not absent(programs, environment):
            found.append(kind.name)
    return tuple(found)


def not_there(request: AgentRequest) -> Ack | None:
    """Return the answer to a request whose agent is not there, which no retry brings back."""
    from custody.executors.registry import needs_of

    needs = needs_of(request.agent, request.settings, os.environ)
    missing = absent((need for need in needs if need.kind in LACKS), os.environ)
    if not missing:
        return None
    code = LACKS[missing[0].kind]
    reason = f"{code}: {', '.join(missing[0].names)}"
    told = [f"{need.told()} is missing\n{need.hint}".rstrip() for need in missing]
    verdict = Verdict(check="executor", allowed=False, code=code, reason=reason)
    return Ack(
        request_id=request.id,
        status="refused",
        failure_reason=reason,
        failure_summary="\n".join(told),
        verdicts=(verdict,),
    )


def _has_program(name: str, environment: Mapping[str, str]) -> bool:
    if name.startswith("/"):
        return is_program(name)
    if "/" in name:
        return True  # of the workspace, where a stage before may make it
    from custody.sandbox.environment import base_environment

    folders = base_environment(environment)["PATH"].split(":")
    return any(is_program(f"{folder}/{name}") for folder in folders)


def _has_package(name: str, _environment: Mapping[str, str]) -> bool:
    from importlib.util import find_spec

    return find_spec(name) is not None


def _is_set(name: str, environment: Mapping[str, str]) -> bool:
    return bool(environment.get(name))


def _answers(name: str, environment: Mapping[str, str]) -> bool:
    """Whether a server lets us in, or the proxy does that stands before it."""
    import socket

    from custody.egress.upstream import UnknownProxy, upstream_of
    from custody.model.endpoint import parse_endpoint

    try:
        server = parse_endpoint(name)
        proxy = upstream_of(server, environment, tunnel=True)
        first = proxy.server if proxy else server
        socket.create_connection((first.host, first.port), timeout=PATIENCE).close()
    except (OSError, ValueError, UnknownProxy):
        return False
    return True


_LOOKS: Mapping[NeedKind, Callable[[str, Mapping[str, str]], bool]] = {
    "program": _has_program,
    "package": _has_package,
    "variable": _is_set,
    "file": lambda name, _environment: is_file(name),
    "server": _answers,
}
