"""Runs the command of a ``tool`` stage."""

from __future__ import annotations

from custody.executors import Stage
from custody.executors.commands import CommandRunner, status_of
from custody.model import layout
from custody.model.request import Ack, ToolRequest
from custody.sandbox.stage import network_access


class ToolExecutor:
    """Answers tool requests."""

    def __init__(self, runner: CommandRunner) -> None:
        self._runner = runner

    def execute(self, request: ToolRequest, stage: Stage) -> Ack:
        """Run the command and tell how it ended; whether that is good, a gate says."""
        ran = self._runner.run(
            request.line,
            stage,
            network_access(request),
            name=layout.tool_command(),
            timeout=request.timeout,
        )
        status = status_of(ran.result)
        return Ack(
            request_id=request.id,
            status=status,
            seconds=ran.result.seconds,
            exit_code=ran.result.exit_code,
            failure_reason="" if status == "ok" else ran.result.failure_reason,
            failure_summary="" if ran.result.succeeded else ran.summary(),
            notes=ran.note(),
            evidence=(ran.stdout, ran.stderr),
            redacted=ran.result.redacted,
        )
