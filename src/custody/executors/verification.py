"""Carries out an admitted verification plan: files first, then commands, up to a failure."""

from __future__ import annotations

from custody.errors import PathRefused
from custody.executors import Stage
from custody.executors.commands import CommandRunner, Ran, status_of
from custody.model import layout
from custody.model.plan import CommandResult, FileResult, VerificationResults
from custody.model.record import encode_pretty
from custody.model.relpath import RelPath
from custody.model.request import Ack, VerificationRequest
from custody.sandbox.stage import network_access


class VerificationExecutor:
    """Answers verification requests."""

    def __init__(self, runner: CommandRunner) -> None:
        self._runner = runner

    def execute(self, request: VerificationRequest, stage: Stage) -> Ack:
        """Look at the files, run the commands, and record every result."""
        files = tuple(
            FileResult(path=path, present=_is_file(path, stage)) for path in request.required_files
        )
        complete = all(result.present for result in files)
        ran = self._run_commands(request, stage) if complete else []
        results = VerificationResults(files=files, commands=tuple(map(_command_result, ran)))
        recorded = stage.folder.write(layout.VERIFICATION_RESULTS, encode_pretty(results))
        last = ran[-1].result if ran else None
        return Ack(
            request_id=request.id,
            status="ok" if last is None else status_of(last),
            seconds=round(sum((item.result.seconds for item in ran), 0.0), 6),
            exit_code=None if last is None else last.exit_code,
            failure_reason="" if last is None or status_of(last) == "ok" else last.failure_reason,
            failure_summary="" if last is None or last.succeeded else ran[-1].summary(),
            notes="; ".join(f"{item.line.text}: {item.note()}" for item in ran if item.note()),
            evidence=(recorded, *(stream for item in ran for stream in (item.stdout, item.stderr))),
            redacted=sum(item.result.redacted for item in ran),
        )

    def _run_commands(self, request: VerificationRequest, stage: Stage) -> list[Ran]:
        ran: list[Ran] = []
        for number, line in enumerate(request.lines, 1):
            # An agent may have chosen a command, or the code that it starts: it prepares nothing
            # for those after it.
            if request.keeps_nothing:
                stage.sandbox.begin_anew()
            else:
                stage.sandbox.caches.end()
            name = layout.verification_command(number)
            ran.append(
                self._runner.run(
                    line,
                    stage,
                    network_access(request),
                    name=name,
                    timeout=request.timeout,
                    judges=True,
                )
            )
            if not ran[-1].result.succeeded:
                break
        return ran


def _command_result(ran: Ran) -> CommandResult:
    result = ran.result
    return CommandResult(
        command=ran.line.text,
        exit_code=result.exit_code if result.exit_code or result.succeeded else None,
        seconds=result.seconds,
        ended_by=result.failure_reason if result.exceeded else result.ended_by,
        stdout=ran.stdout.path,
        stderr=ran.stderr.path,
    )


def _is_file(path: str, stage: Stage) -> bool:
    try:
        stage.workspace.root.digest(RelPath.parse(path))
    except PathRefused:
        return False
    return True
