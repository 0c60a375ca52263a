"""Removing runs: by name, or those of a folder that nobody needs any more.

A run that a process is at work on is never removed, and one that waits for a person only by name
and with ``force``. A run loses its name at once: killed half-way, what is left of it counts as a
start that was never finished, and the next run or `prune` clears it away. Contents that other runs
share are files with a name in each of them, and stay.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from custody.errors import PathRefused, Refused, RunError, RunLocked, RunNotFound, UsageError
from custody.model import layout
from custody.model.record import Record
from custody.store.index import RunRow, list_runs
from custody.store.lock import try_lock
from custody.store.process_times import epoch
from custody.store.resolve import own
from custody.store.root import Root
from custody.store.run_state import RunState, state_of
from custody.store.starts import clear_starts, list_starts, remove_start

PRUNED: tuple[RunState, ...] = ("PASS", "FAIL", "INTERRUPTED", "CRASHED")
"""States of the runs that are pruned where nothing else is asked for."""
_NEVER: frozenset[RunState] = frozenset({"RUNNING", "WAITING"})
_TRIES = 5
_PAUSE = 0.02


class RemovedRun(Record, frozen=True):
    """One run that is gone, or would be."""

    run_id: str
    path: str
    state: RunState


class Removal(Record, frozen=True):
    """What was removed."""

    runs: tuple[RemovedRun, ...]
    starts: tuple[str, ...] = ()
    """What killed starts, or removals, had left."""
    dry_run: bool = False


class Pruning(NamedTuple):
    """Which runs are to go: those that fit everything that is asked for."""

    older_than: float | None = None
    """Seconds since the run ended or, where it has not, began."""
    states: tuple[RunState, ...] = ()
    keep: int | None = None
    """How many of the newest stay, whatever else is asked for."""


def remove(paths: Sequence[str], *, force: bool = False) -> Removal:
    """Remove the runs in these directories; where one may not be, none is.

    Raises `RunLocked` for a run that is at work, `Refused` for one that waits, unless ``force``
    says so, and `RunNotFound` for what is no run.
    """
    unique = list(dict.fromkeys(map(os.path.abspath, paths)))
    found = [RemovedRun(run_id=os.path.basename(path), path=path, state=_state(path, force=force))
             for path in unique]  # fmt: skip
    for one in found:
        _remove(one.path)
    return Removal(runs=tuple(found))


def prune(runsdir: str, which: Pruning, *, dry_run: bool = False) -> Removal:
    """Remove the runs of a folder that are selected, and what killed starts have left there."""
    if which == Pruning():
        hint = "--older-than 30d, --keep 10, --state failed"
        raise UsageError("say which runs are to go", hint=hint)
    if refused := _NEVER.intersection(which.states):
        state = min(refused).lower()
        hint = "`custody rm RUN` removes one run by its name"
        raise UsageError(f"a {state} run is never pruned", hint=hint)
    rows = selected(list_runs(runsdir), which, time.time())
    starts = [start.path for start in list_starts(runsdir) if not start.at_work]
    gone = [row for row in rows if dry_run or _removed(row.path)]
    if starts and not dry_run:
        clear_starts(runsdir, but="")
    runs = (RemovedRun(run_id=row.run_id, path=row.path, state=row.state) for row in gone)
    return Removal(runs=tuple(runs), starts=tuple(starts), dry_run=dry_run)


def selected(rows: Iterable[RunRow], which: Pruning, now: float) -> list[RunRow]:
    """Return those of some runs, the latest last, that are to go."""
    states = which.states or PRUNED
    fit = [row for row in rows if row.state in states and row.state not in _NEVER]
    if which.keep is not None:
        fit = fit[: max(0, len(fit) - which.keep)]
    if which.older_than is None:
        return fit
    return [row for row in fit if _age(row, now) > which.older_than]


def _age(row: RunRow, now: float) -> float:
    """Return the seconds since a run ended, or began; of a broken one nobody knows them."""
    told = row.ended_at or row.started_at
    return now - epoch(told) if told else -1.0


def _removed(path: str) -> bool:
    """Remove a run if nobody took it up meanwhile, or removed it."""
    try:
        _remove(path)
    except (RunLocked, RunNotFound):
        return False
    return True


def _state(path: str, *, force: bool) -> RunState:
    try:
        with Root.open(path, resolver=own) as run:
            if not (run.exists(layout.EVENTS) or run.exists(layout.MANIFEST)):
                raise RunNotFound("it is not a run directory", where=path)
            state = state_of(run)
    except PathRefused as refused:
        raise RunNotFound(refused.what, where=path) from refused
    name = os.path.basename(path)
    if state == "RUNNING":
        raise _at_work(path)
    if state == "WAITING" and not force:
        what = f"run {name} waits for a person: nothing is removed"
        raise Refused("waiting", what, where=path, hint="--force removes it anyway")
    return state


def _remove(path: str) -> None:
    home, name = os.path.split(path)
    with Root.open(home, resolver=own) as above:
        try:
            folder = above.sub(name)
        except PathRefused as refused:
            raise RunNotFound(refused.what, where=path) from refused
        with folder:
            _lock(folder, path)
            aside = layout.unpublished(name)
            if above.exists(aside):
                what = f"{aside} is in the way"
                raise RunError(what, where=home, hint="`custody prune` clears what starts left")
            above.rename(name, aside)
            remove_start(above, aside, folder)


def _lock(folder: Root, path: str) -> None:
    for _ in range(_TRIES):
        if try_lock(folder):
            return
        time.sleep(_PAUSE)
    raise _at_work(path)


def _at_work(path: str) -> RunLocked:
    what = f"run {os.path.basename(path)} is at work: nothing is removed"
    return RunLocked(what, where=path, hint="wait for it, or end it first")
