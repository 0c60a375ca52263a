"""Run scenario scripts, or list what is wrong with them."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.model.finding import Finding
    from custody.scenarios import Scenario

ABOUT = (
    "Run scenario scripts, or list what is wrong with them. Each is run with\n"
    "SCENARIO_MODE=selftest and then, with --require-live or REQUIRE_LIVE=1, with live.\n"
    "A live failure that the environment explains (a key, the network, a quota) is `infra` and\n"
    "ends with 86; any other is `product` and ends with the script's own code."
)
EXAMPLES = (
    "custody scenario run scripts/scenarios/login.sh",
    "custody scenario run scripts/scenarios/login.sh --require-live",
    "custody scenario lint scripts/scenarios/login.sh",
)
SHOWN = 12
"""Lines of a failed script's output that a person sees."""


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("run", "lint"), help="what to do with the scripts")
    scripts = parser.add_argument("scripts", metavar="SCRIPT", nargs="+", help="a shell script")
    scripts.complete = declare.FILE
    parser.add_argument(
        "--require-live", action="store_true", help="also run live, once selftest has passed"
    )
    parser.add_argument(
        "--timeout", metavar="TIME", default="10m", help="time for each mode (default: 10m)"
    )


def execute(options: Namespace) -> Result:
    """Run them, or look at them."""
    return _run(options) if options.action == "run" else _lint(options)


def _run(options: Namespace) -> Result:
    from custody import api
    from custody.scenarios import LIVE_VARIABLE

    live = options.require_live or os.environ.get(LIVE_VARIABLE) == "1"
    results, code = api.preflight(options.scripts, live=live, timeout=_seconds(options.timeout))
    return Result(
        data={"scenarios": results, "exit_code": code},
        text=(line for result in results for line in _story(result)),
        status="FAIL" if code else "PASS",
        exit_code=code,
    )


def _lint(options: Namespace) -> Result:
    from custody import api

    found = {script: api.lint_scenario(script) for script in options.scripts}
    count = sum(map(len, found.values()))
    return Result(
        data={"files": [{"file": name, "findings": rows} for name, rows in found.items()]},
        text=_findings(found, count),
        status="FAIL" if count else "PASS",
    )


def _story(result: Scenario) -> Iterator[Line]:
    modes = ", ".join(
        f"{phase.mode} {phase.reason or 'passed'} ({phase.seconds:.1f} s)"
        for phase in result.phases
    )
    if result.passed:
        yield Line(f"PASS  {result.script}: {modes}", "good")
        return
    yield Line(f"FAIL  {result.script}: {result.fault}: {modes}", "bad")
    for text in result.phases[-1].output.splitlines()[-SHOWN:]:
        yield Line(f"  {text}")


def _findings(found: dict[str, tuple[Finding, ...]], count: int) -> Iterator[Line]:
    for name, rows in found.items():
        for row in rows:
            yield from (Line(text) for text in row.render(name).splitlines())
    scripts = "1 script" if len(found) == 1 else f"{len(found)} scripts"
    yield Line(
        f"{'FAIL' if count else 'PASS'}  {scripts}: {count} findings", "bad" if count else "good"
    )


def _seconds(text: str) -> float:
    from custody.model.graph import Duration

    try:
        return Duration.parse(text).seconds
    except ValueError:
        raise UsageError(f"--timeout takes a time such as 90s, not {text!r}") from None
