"""List every finding about pipelines, without running them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

if TYPE_CHECKING:
    from custody.model.finding import Finding

ABOUT = (
    "Read pipelines and list everything that is wrong or odd about them, as\n"
    "`file:line:col CODE message`. The exit code is 1 if one of them cannot be run."
)
EXAMPLES = ("custody check pipeline.dot",)

Findings = Mapping[str, "tuple[Finding, ...]"]


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    argument = parser.add_argument(
        "pipelines",
        metavar="PIPELINE",
        nargs="+",
        help="a .dot file, or the name of a packaged pipeline",
    )
    argument.complete = declare.FILE


def execute(options: Namespace) -> Result:
    """List the findings of every file."""
    findings = {name: _findings(name) for name in options.pipelines}
    errors, warnings = _count(findings, "error"), _count(findings, "warning")
    return Result(
        data={
            "files": [{"file": name, "findings": found} for name, found in findings.items()],
            "errors": errors,
            "warnings": warnings,
        },
        text=_lines(findings, errors, warnings),
        status="FAIL" if errors else "PASS",
    )


def _findings(name: str) -> tuple[Finding, ...]:
    """Return what is wrong with one file; one that cannot be read must not hide the others."""
    from custody import api
    from custody.errors import CustodyError
    from custody.model.finding import Finding

    try:
        _pipeline, findings = api.check(name)
    except CustodyError as error:
        return (Finding(code="unreadable", message=error.what, line=0, column=0, hint=error.hint),)
    return findings


def _count(findings: Findings, severity: str) -> int:
    return sum(item.severity == severity for found in findings.values() for item in found)


def _lines(findings: Findings, errors: int, warnings: int) -> Iterator[Line]:
    from custody.cli.render.table import count

    for name, found in findings.items():
        for item in found:
            first, *rest = item.render(name).split("\n")
            yield Line(first, "bad" if item.severity == "error" else "warn", hang=4)
            yield from (Line(line, hang=4) for line in rest)
    files = count(len(findings), "pipeline")
    yield Line(
        f"{files}: {count(errors, 'error')}, {count(warnings, 'warning')}",
        "bad" if errors else "good",
    )
