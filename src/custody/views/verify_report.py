"""The verdict about a round of a change, as the contract wants it written. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from msgspec import UNSET

from custody.model import layout
from custody.model.contracts.verify_report import (
    ReportedCommand,
    ReportedFailure,
    ReportPaths,
    VerifyReport,
)
from custody.model.evidence import Evidence
from custody.model.plan import CommandResult
from custody.model.record import encode_pretty
from custody.model.verdict import Verdict

ENDED_BY_RUNTIME = -1


class ChangeRound(NamedTuple):
    """Which round of a change is told of."""

    gate: str
    iteration: int
    max_iterations: int
    documents: Collection[str]
    """What documents there are."""


def report(
    now: ChangeRound,
    verdicts: Sequence[Verdict],
    commands: Sequence[CommandResult] = (),
    *,
    reason: str = "",
    bundle: bool = False,
) -> Evidence:
    """Return the report; it passed when there are neither verdicts nor a ``reason``."""
    failures = tuple(_failure(verdict) for verdict in verdicts)
    if reason and not failures:
        failures = (ReportedFailure(kind="stage", id="failed", message=reason),)
    document = VerifyReport(
        result="FAIL" if failures else "PASS",
        gate=now.gate,
        iteration=now.iteration,
        max_iterations=now.max_iterations,
        commands=tuple(_command(command) for command in commands),
        failures=failures,
        paths=ReportPaths(
            trace=layout.TRACE_PAGE,
            verify_report=layout.VERIFY_REPORT,
            stdout_log=layout.VERIFY_LOGS[0],
            stderr_log=layout.VERIFY_LOGS[1],
            bundle=layout.BUNDLE if bundle else UNSET,
            plan=layout.PLAN if layout.PLAN in now.documents else UNSET,
            patch=layout.PATCH if layout.PATCH in now.documents else UNSET,
        ),
    )
    return Evidence.of_text(layout.VERIFY_REPORT, encode_pretty(document).decode())


def _failure(verdict: Verdict) -> ReportedFailure:
    subject = f" ({verdict.subject})" if verdict.subject else ""
    return ReportedFailure(
        kind=verdict.check, id=verdict.code, message=f"{verdict.reason}{subject}"
    )


def _command(result: CommandResult) -> ReportedCommand:
    code = ENDED_BY_RUNTIME if result.exit_code is None else result.exit_code
    return ReportedCommand(cmd=result.command, exit_code=code)
