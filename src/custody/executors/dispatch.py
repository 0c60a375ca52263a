"""Hands each request to the executor of its kind, imported when first needed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, assert_never

from custody.executors import Stage
from custody.model.request import (
    Ack,
    AgentRequest,
    AnyRequest,
    StepRequest,
    ToolRequest,
    VerificationRequest,
    WriteRequest,
)
from custody.model.session import RecordedSession
from custody.store.root import Root

if TYPE_CHECKING:
    from custody.checks.guards.secrets import Redactor
    from custody.executors.agents import AgentExecutor
    from custody.executors.commands import CommandRunner
    from custody.executors.sessions import Sessions, Tell


class Dispatch:
    """The executor of all requests; close it when the run is left."""

    def __init__(
        self,
        root: Root,
        recorded: Mapping[str, RecordedSession],
        redactor: Redactor,
        source: str = "",
    ) -> None:
        self._root = root
        self._source = source
        """The folder that the workspace was copied from."""
        self._redactor = redactor
        """Knows the secrets that no program may print."""
        self._recorded = recorded
        """What the journal says of sessions that earlier processes have opened."""
        self._open_sessions: Sessions | None = None
        self._agents: AgentExecutor | None = None
        self._runner: CommandRunner | None = None

    def execute(self, request: AnyRequest, stage: Stage) -> Ack:
        """Hand the request on."""
        match request:
            case AgentRequest():
                return self._agent_executor().execute(request, stage)
            case ToolRequest():
                from custody.executors.tool import ToolExecutor

                return ToolExecutor(self._command_runner()).execute(request, stage)
            case VerificationRequest():
                from custody.executors.verification import VerificationExecutor

                return VerificationExecutor(self._command_runner()).execute(request, stage)
            case WriteRequest():
                from custody.executors.document import DocumentExecutor

                return DocumentExecutor().execute(request, stage)
            case StepRequest():
                from custody.executors import steps

                return steps.carry_out(
                    request, stage, self._command_runner, self._sessions, self._source
                )
            case _:
                assert_never(request)

    def recover(self, request: AnyRequest, stage: Stage) -> Ack | None:
        """Ask the agent or the step that was at work; nothing is left of a process or document."""
        if isinstance(request, AgentRequest):
            return self._agent_executor().recover(request, stage)
        if isinstance(request, StepRequest):
            from custody.executors import steps

            return steps.recover(request, stage, self._command_runner, self._sessions)
        return None

    def leave(self, reason: str, tell: Tell) -> None:
        """Close every session of the run, because it is left."""
        if self._open_sessions is not None or any(one.open for one in self._recorded.values()):
            self._sessions().leave(reason, tell)

    def close(self) -> None:
        """End every process that is still there; sessions that were not closed may stay."""
        if self._open_sessions is not None:
            self._open_sessions.close()
        if self._runner is not None:
            self._runner.close()

    def _agent_executor(self) -> AgentExecutor:
        if self._agents is None:
            from custody.executors.agents import AgentExecutor

            self._agents = AgentExecutor(self._command_runner, self._sessions)
        return self._agents

    def _sessions(self) -> Sessions:
        if self._open_sessions is None:
            from custody.executors.sessions import Sessions

            self._open_sessions = Sessions(self._root, self._recorded, self._source)
        return self._open_sessions

    def _command_runner(self) -> CommandRunner:
        if self._runner is None:
            from custody.executors.commands import CommandRunner

            runs = os.path.dirname(self._root.path)
            self._runner = CommandRunner(self._redactor, source=self._source, runs=runs)
        return self._runner
