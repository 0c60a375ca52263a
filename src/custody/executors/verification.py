"""Carries out an admitted verification plan: files first, then commands, up to the first failure."""

from __future__ import annotations

from custody.errors import PathRefused
from custody.executors import Stage
from custody.executors.commands import CommandRunner, Ran
from custody.model.evidence import Evidence
from custody.model.plan import CommandResult, FileResult, VerificationResults
from custody.model.record import encode_pretty
from custody.model.relpath import RelPath
from custody.model.request import Ack, VerificationRequest

RESULTS_NAME = "verification.results.json"


class VerificationExecutor:
    """Answers verification requests."""

    def __init__(self, runner: CommandRunner) -> None:
        self._runner = runner

    def execute(self, request: VerificationRequest, stage: Stage) -> Ack:
        """Check the plan against the workspace and record every result."""
        files = tuple(
            FileResult(path=path, present=_is_file(path, stage)) for path in request.required_files
        )
        missing = [result.path for result in files if not result.present]
        if missing:
            reason = f"required file missing: {missing[0]}"
            return self._answer(
                request,
                stage,
                files,
                [],
                reason,
                "\n".join(f"required file missing: {path}" for path in missing),
            )
        ran: list[Ran] = []
        for number, line in enumerate(request.lines, 1):
            name = f"verification.{number}"
            ran.append(self._runner.run(line, stage, name=name, timeout=request.timeout))
            if not ran[-1].result.succeeded:
                reason = f"verification command failed: {line.text}"
                return self._answer(request, stage, files, ran, reason, ran[-1].summary())
        return self._answer(request, stage, files, ran, "", "")

    def _answer(
        self,
        request: VerificationRequest,
        stage: Stage,
        files: tuple[FileResult, ...],
        ran: list[Ran],
        reason: str,
        summary: str,
    ) -> Ack:
        results = VerificationResults(
            passed=not reason,
            files=files,
            commands=tuple(_command_result(item) for item in ran),
            failure_reason=reason,
        )
        recorded = stage.folder.write(RESULTS_NAME, encode_pretty(results))
        streams: list[Evidence] = [e for item in ran for e in (item.stdout, item.stderr)]
        timed_out = bool(ran) and ran[-1].result.ended_by == "timeout"
        return Ack(
            request_id=request.id,
            status="timeout" if timed_out else "failed" if reason else "ok",
            seconds=round(sum(item.result.seconds for item in ran), 6),
            exit_code=ran[-1].result.exit_code if ran else None,
            failure_reason=reason,
            failure_summary=summary,
            evidence=(recorded, *streams),
        )


def _command_result(ran: Ran) -> CommandResult:
    return CommandResult(
        command=ran.line.text,
        exit_code=ran.result.exit_code,
        seconds=ran.result.seconds,
        stdout=ran.stdout.path,
        stderr=ran.stderr.path,
    )


def _is_file(path: str, stage: Stage) -> bool:
    try:
        stage.workspace.root.digest(RelPath.parse(path))
    except PathRefused:
        return False
    return True
