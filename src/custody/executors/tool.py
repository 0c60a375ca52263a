"""Runs the command of a ``tool`` stage."""

from __future__ import annotations

from custody.executors import Stage
from custody.executors.commands import CommandRunner
from custody.model.request import Ack, ToolRequest
from custody.sandbox.stage import network_access


class ToolExecutor:
    """Answers tool requests."""

    def __init__(self, runner: CommandRunner) -> None:
        self._runner = runner

    def execute(self, request: ToolRequest, stage: Stage) -> Ack:
        """Run the command and tell how it ended."""
        ran = self._runner.run(
            request.line, stage, network_access(request), name="tool", timeout=request.timeout
        )
        result = ran.result
        if result.succeeded:
            return Ack(
                request_id=request.id,
                status="ok",
                seconds=result.seconds,
                exit_code=result.exit_code,
                notes=ran.note(),
                evidence=(ran.stdout, ran.stderr),
                redacted=result.redacted,
            )
        return Ack(
            request_id=request.id,
            status="timeout" if result.ended_by == "timeout" else "failed",
            seconds=result.seconds,
            exit_code=result.exit_code,
            failure_reason=result.failure_reason,
            failure_summary=ran.summary(),
            notes=ran.note(),
            evidence=(ran.stdout, ran.stderr),
            redacted=result.redacted,
        )
