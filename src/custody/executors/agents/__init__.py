"""Agents: who is asked when a stage needs judgement.

An agent is named by a word, with an argument after a colon where it takes one: ``stub``,
``fake:answers.json``, ``codex:MODEL``. Others are added by installing a package that declares an
entry point in the group ``custody.agents``: a callable that takes the argument and returns an
`Agent`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from custody.errors import UsageError
from custody.executors import Stage
from custody.model.request import Ack, AgentRequest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from custody.executors.agents.coding_cli import CodingCli
    from custody.executors.commands import CommandRunner

ENTRY_POINTS = "custody.agents"


class Agent(Protocol):
    """Works on a prompt, in a workspace."""

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Do the work and say what came of it."""
        ...


Runner = Callable[[], "CommandRunner"]
"""Gives what starts programs, made when it is first needed."""


def _stub(_argument: str, _runner: Runner) -> Agent:
    from custody.executors.agents.stub import StubAgent

    return StubAgent()


def _fake(argument: str, _runner: Runner) -> Agent:
    from custody.executors.agents.fake import FakeAgent

    return FakeAgent(argument)


def _replay(argument: str, _runner: Runner) -> Agent:
    from custody.executors.agents.replay import ReplayAgent

    return ReplayAgent(argument)


def _outbox(_argument: str, _runner: Runner) -> Agent:
    from custody.executors.agents.outbox import OutboxAgent

    return OutboxAgent()


def _codex(argument: str, runner: Runner) -> Agent:
    from custody.executors.agents.codex import CODEX

    return _coding_agent(CODEX, argument, runner)


def _claude(argument: str, runner: Runner) -> Agent:
    from custody.executors.agents.claude import CLAUDE

    return _coding_agent(CLAUDE, argument, runner)


def _opencode(argument: str, runner: Runner) -> Agent:
    from custody.executors.agents.opencode import OPENCODE

    return _coding_agent(OPENCODE, argument, runner)


def _coding_agent(cli: CodingCli, model: str, runner: Runner) -> Agent:
    from custody.executors.agents.coding_cli import CodingAgent
    from custody.executors.agents.program import ProgramRunner

    return CodingAgent(cli, ProgramRunner(runner()), model)


def _api(argument: str, _runner: Runner) -> Agent:
    from custody.executors.agents.api import ApiAgent, openai_server

    return ApiAgent("api", openai_server, argument)


def _ollama(argument: str, _runner: Runner) -> Agent:
    from custody.executors.agents.api import ApiAgent, ollama_server

    return ApiAgent("ollama_agent", ollama_server, argument)


def _command(argument: str, runner: Runner) -> Agent:
    from custody.executors.agents.command import CommandAgent
    from custody.executors.agents.program import ProgramRunner

    return CommandAgent(ProgramRunner(runner()), "command", argument)


def _local_exec(argument: str, runner: Runner) -> Agent:
    from custody.executors.agents.command import CommandAgent
    from custody.executors.agents.program import ProgramRunner

    return CommandAgent(ProgramRunner(runner()), "local_exec", argument)


BUILT_IN: dict[str, Callable[[str, Runner], Agent]] = {
    "stub": _stub,
    "fake": _fake,
    "replay": _replay,
    "outbox": _outbox,
    "manual_outbox": _outbox,
    "codex": _codex,
    "claude": _claude,
    "opencode": _opencode,
    "api": _api,
    "ollama_agent": _ollama,
    "command": _command,
    "api_agent": _command,
    "local_exec": _local_exec,
}


def find_agent(spec: str, runner: Runner) -> Agent:
    """Return the agent that ``spec`` names; raises `UsageError` when there is none."""
    name, _, argument = spec.partition(":")
    if name in BUILT_IN:
        return BUILT_IN[name](argument, runner)
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

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._agents: dict[str, Agent] = {}

    def execute(self, request: AgentRequest, stage: Stage) -> Ack:
        """Ask the agent."""
        agent = self._agents.get(request.agent)
        if agent is None:
            agent = self._agents[request.agent] = find_agent(request.agent, self._runner)
        return agent.work(request, stage)
