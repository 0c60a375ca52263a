"""Agents: who is asked when a stage needs judgement.

An agent is named by a word, with an argument after a colon where it takes one: ``stub``,
``fake:answers.json``. Others are added by installing a package that declares an entry point
in the group ``custody.agents``: a callable that takes the argument and returns an `Agent`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from custody.errors import UsageError
from custody.executors import Stage
from custody.model.request import Ack, AgentRequest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "custody.agents"


class Agent(Protocol):
    """Works on a prompt, in a workspace."""

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Do the work and say what came of it."""
        ...


def _stub(_argument: str) -> Agent:
    from custody.executors.agents.stub import StubAgent

    return StubAgent()


def _fake(argument: str) -> Agent:
    from custody.executors.agents.fake import FakeAgent

    return FakeAgent(argument)


def _outbox(_argument: str) -> Agent:
    from custody.executors.agents.outbox import OutboxAgent

    return OutboxAgent()


BUILT_IN: dict[str, Callable[[str], Agent]] = {
    "stub": _stub,
    "fake": _fake,
    "outbox": _outbox,
    "manual_outbox": _outbox,
}


def find_agent(spec: str) -> Agent:
    """Return the agent that ``spec`` names; raises `UsageError` when there is none."""
    name, _, argument = spec.partition(":")
    if name in BUILT_IN:
        return BUILT_IN[name](argument)
    agent: Agent = _installed(name).load()(argument)
    return agent


def check_agent(spec: str) -> None:
    """Raise `UsageError` when there is no agent that ``spec`` names; none is made."""
    name = spec.partition(":")[0]
    if name not in BUILT_IN:
        _installed(name)


def _installed(name: str) -> EntryPoint:
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINTS, name=name):
        return entry
    raise UsageError(f"no agent is called {name!r}", hint=f"built in: {', '.join(BUILT_IN)}")


class AgentExecutor:
    """Hands each agent request to the agent it names, made once."""

    def __init__(self) -> None:
        self._agents: dict[str, Agent] = {}

    def execute(self, request: AgentRequest, stage: Stage) -> Ack:
        """Ask the agent."""
        agent = self._agents.get(request.agent)
        if agent is None:
            agent = self._agents[request.agent] = find_agent(request.agent)
        ack = agent.work(request, stage)
        if ack.status != "ok" or not request.response_context:
            return ack
        from custody.executors.agents.response import with_json_block

        return with_json_block(ack, request.response_context)
