"""The answer of every command that takes a run to its end."""

from __future__ import annotations

import os
import shlex
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping
from itertools import chain

from custody.api import RunResult
from custody.cli.render.report import Location, report, verdict
from custody.cli.render.terminal import room
from custody.cli.result import Line, Result
from custody.model.confinement import LEVELS, ChosenLevel


def run_result(result: RunResult, options: Namespace, failures: Mapping[str, str]) -> Result:
    """Return the report of a run that has just ended."""
    text = _brief if vars(options).get("quiet") else _report
    return Result(
        data=result,
        text=chain(
            text(result, options, failures),
            weaker(result.confinement),
            elsewhere(result.confinement, vars(options).get("workdir", "")),
            awaited(result, home(result, options)),
        ),
        status=result.summary.status,
    )


def _report(result: RunResult, options: Namespace, failures: Mapping[str, str]) -> Iterator[Line]:
    return report(
        result.summary,
        place(result, options),
        failures=failures,
        state=result.state,
        columns=room(sys.stdout, os.environ),
    )


def _brief(result: RunResult, options: Namespace, failures: Mapping[str, str]) -> Iterator[Line]:
    yield from verdict(result.summary, place(result, options), failures, state=result.state)
    yield Line(f"head:     {result.summary.head}")


def weaker(chosen: ChosenLevel | None) -> Iterator[Line]:
    """Say that programs were not confined as well as custody can, and why."""
    if chosen is None or chosen.level == LEVELS[-1]:
        return
    said = "not confined" if chosen.level == LEVELS[0] else f"confined at {chosen.level} only"
    reasons = "; ".join(f"{level}: {reason}" for level, reason in chosen.reasons.items())
    why = reasons or "as asked"
    yield Line(f"{said} ({why}); `custody doctor` says more", "warn", hang=2)


def elsewhere(chosen: ChosenLevel | None, source: str) -> Iterator[Line]:
    """Say that programs did not see the workspace at the path of its source, and why."""
    if chosen is None or chosen.level != LEVELS[-1] or not source:
        return
    from custody.sandbox.place import place_of

    place = place_of(source)
    if place.obstacle:
        what = f"stages saw the workspace at {place.path}: {place.obstacle}"
        yield Line(what, "warn", hang=2)


def awaited(result: RunResult, runsdir: str = "") -> Iterator[Line]:
    """Return what a person must do before the run can go on; ``runsdir`` is what he had to say.

    The run is named as its folder is: a copy beside the original has the same id.
    """
    if result.waiting:
        where = f" --runsdir {shlex.quote(runsdir)}" if runsdir else ""
        request = shlex.quote(f"{os.path.basename(result.path)}/{result.waiting}")
        command = f"custody answer {request} --edit{where}"
        yield Line(f"{result.waiting} waits for a person: {command}", "warn")


def home(result: RunResult, options: Namespace) -> str:
    """Return the folder of runs that the user has to say; empty where he need not."""
    by_path = os.sep in vars(options).get("run", "")
    return options.runsdir or (short(os.path.dirname(result.path)) if by_path else "")


def place(result: RunResult, options: Namespace) -> Location:
    """Return where a run is; its id finds it again unless the user had to say where it is."""
    path = short(result.path)
    elsewhere = options.runsdir or os.sep in vars(options).get("run", "")
    name = path if elsewhere else result.run_id
    return Location(path=path, name=name, source=result.source)


def short(path: str) -> str:
    """Return a path from the current folder, where it lies below."""
    if not path:
        return ""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative
