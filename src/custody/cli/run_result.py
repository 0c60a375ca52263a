"""The answer of every command that takes a run to its end."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from itertools import chain

from custody.api import RunResult
from custody.cli.render.report import Location, report
from custody.cli.result import Line, Result
from custody.model.confinement import LEVELS, ChosenLevel


def run_result(result: RunResult, options: Namespace, failures: Mapping[str, str]) -> Result:
    """Return the report of a run that has just ended."""
    text = report(result.summary, place(result, options), failures=failures, state=result.state)
    return Result(
        data=result,
        text=chain(text, weaker(result.confinement), awaited(result)),
        status=result.summary.status,
    )


def weaker(chosen: ChosenLevel | None) -> Iterator[Line]:
    """Say that programs were not confined as well as custody can, and why."""
    if chosen is None or chosen.level == LEVELS[-1]:
        return
    said = "not confined" if chosen.level == LEVELS[0] else f"confined at {chosen.level} only"
    reasons = "; ".join(f"{level}: {reason}" for level, reason in chosen.reasons.items())
    why = reasons or "as asked"
    yield Line(f"{said} ({why}); `custody doctor` says more", "warn")


def awaited(result: RunResult) -> Iterator[Line]:
    """Return what a person must do before the run can go on."""
    if result.waiting:
        request = f"{result.run_id}/{result.waiting}"
        yield Line(f"{result.waiting} waits for a person: custody answer {request} --edit", "warn")


def place(result: RunResult, options: Namespace) -> Location:
    """Return where a run is; its id finds it again unless the user had to say where it is."""
    path = short(result.path)
    elsewhere = options.runsdir or os.sep in vars(options).get("run", "")
    return Location(path=path, name=path if elsewhere else result.run_id)


def short(path: str) -> str:
    """Return a path from the current folder, where it lies below."""
    if not path:
        return ""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative
