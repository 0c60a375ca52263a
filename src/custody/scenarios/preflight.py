"""Runs scenario scripts: selftest first, live when it is wanted."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from custody.checks.guards.secrets import secret_values
from custody.errors import UsageError
from custody.model.request import Command, CommandLine
from custody.scenarios import INFRA_EXIT, MODE_VARIABLE, Fault, Mode, Phase, Scenario
from custody.scenarios.faults import infrastructure_fault
from custody.store.places import is_file
from custody.supervise.streams import readable
from custody.supervise.supervisor import Launch, Limits, ProcessResult, Supervisor

OUTPUT = 1 << 20
"""Bytes of each stream that are read for what they complain of."""
TIMED_OUT = 124


def preflight(
    script: str, environment: Mapping[str, str], *, live: bool, timeout: float
) -> Scenario:
    """Run one script in the current folder; what it prints is read, not shown.

    In ``selftest`` it sees no secret variable: a script that needs one there is wrong.
    """
    if not is_file(script):
        raise UsageError(f"no scenario script at {script!r}")
    with Supervisor() as supervisor:
        hidden = secret_values(environment)
        plain = {name: value for name, value in environment.items() if name not in hidden}
        first = _phase(supervisor, script, "selftest", plain, timeout)
        phases = [first]
        if live and not first.reason:
            phases.append(_phase(supervisor, script, "live", environment, timeout))
    return _judged(script, tuple(phases))


def overall(results: tuple[Scenario, ...]) -> int:
    """Return one exit code for many scripts: a broken product counts before the rest."""
    codes = [result.exit_code for result in results]
    return next((code for code in codes if code not in (0, INFRA_EXIT)), max(codes, default=0))


def _judged(script: str, phases: tuple[Phase, ...]) -> Scenario:
    last = phases[-1]
    fault: Fault = ""
    if last.reason:
        complaint = infrastructure_fault(f"{last.reason}\n{last.output}")
        fault = "infra" if last.mode == "live" and complaint else "product"
    return Scenario(
        script=script,
        passed=not last.reason,
        fault=fault,
        exit_code=INFRA_EXIT if fault == "infra" else last.exit_code,
        phases=phases,
    )


def preflight_all(
    scripts: Sequence[str], environment: Mapping[str, str], *, live: bool, timeout: float
) -> tuple[tuple[Scenario, ...], int]:
    """Run each script, selftest first; return what came of each, and one exit code for all."""
    results = tuple(
        preflight(script, environment, live=live, timeout=timeout) for script in scripts
    )
    return results, overall(results)


def _phase(
    supervisor: Supervisor, script: str, mode: Mode, environment: Mapping[str, str], timeout: float
) -> Phase:
    name = script if "/" in script else f"./{script}"
    line = CommandLine(text=name, commands=(Command(argv=(name,)),))
    place = Launch(workspace=os.getcwd(), environment={**environment, MODE_VARIABLE: mode})
    streams = os.memfd_create("stdout"), os.memfd_create("stderr")
    try:
        result = supervisor.run(
            line, place, Limits(timeout, OUTPUT), stdout=streams[0], stderr=streams[1]
        )
        printed = "\n".join(_printed(stream) for stream in streams) if result.failure_reason else ""
    finally:
        for stream in streams:
            os.close(stream)
    return Phase(
        mode=mode,
        exit_code=_exit_code(result),
        seconds=result.seconds,
        reason=_reason(result),
        output=printed.strip(),
    )


def _printed(stream: int) -> str:
    return readable(os.pread(stream, OUTPUT, 0))


def _exit_code(result: ProcessResult) -> int:
    if result.ended_by == "timeout":
        return TIMED_OUT
    return result.exit_code or int(not result.succeeded)


def _reason(result: ProcessResult) -> str:
    if result.ended_by == "timeout":
        return "time-out"
    return result.failure_reason.replace("tool_exit_code_", "exit code ")
