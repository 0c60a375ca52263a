"""Many runs under one folder: their ids, and how a user names one of them."""

from __future__ import annotations

import os
import time
from typing import Final, cast

import msgspec

from custody.errors import PathRefused, RunNotFound, StorageFailed, UsageError
from custody.model import layout
from custody.model.record import Record, ready
from custody.patterns import later
from custody.store.resolve import own
from custody.store.root import Root
from custody.store.run_state import RunState, stage_of, state_of

LAST = "last"
BROKEN: Final = "BROKEN"
ENDED = frozenset({"PASS", "FAIL"})

_RUN_ID = later(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_SHOWN = 5
_UNREADABLE = (PathRefused, StorageFailed, msgspec.MsgspecError, UnicodeError, RecursionError)
"""Whatever a manifest may hold, it is listed."""
_HINT = "`custody runs` lists the runs; --runsdir names another folder"


class RunRow(Record, frozen=True):
    """One run of a folder, as its manifest tells it."""

    run_id: str
    path: str
    status: str
    """What its manifest says: RUNNING until the end, PASS or FAIL; BROKEN when it says nothing."""
    state: RunState
    """How it stands right now: RUNNING only while a process holds it."""
    pipeline: str = ""
    goal: str = ""
    started_at: str = ""
    ended_at: str = ""
    problem: str = ""
    """Why it counts as broken."""
    stage: str = ""
    """Where a run is that has not ended."""


def new_run_id(now: float | None = None) -> str:
    """Return ``YYYYMMDD_HHMMSS_<pid>_<rand4>``, in UTC."""
    moment = time.gmtime(time.time() if now is None else now)
    return f"{time.strftime('%Y%m%d_%H%M%S', moment)}_{os.getpid()}_{os.urandom(2).hex()}"


def check_run_id(text: str) -> str:
    """Return ``text`` if it can name a run; raises `UsageError` otherwise."""
    if _RUN_ID.fullmatch(text) is None or text == LAST:
        raise UsageError(
            f"{text!r} cannot be a run id",
            hint="letters, digits, _ . and -, at most 64, beginning with a letter or digit",
        )
    return text


def find_run(name: str, runsdir: str) -> str:
    """Return the path of the run that ``name`` means: an id, a unique prefix, a path or ``last``.

    Raises `RunNotFound` when there is none, or more than one.
    """
    if name == LAST:
        rows = [row for row in list_runs(runsdir) if row.status != BROKEN]
        if not rows:
            raise RunNotFound("there are no runs yet", where=runsdir)
        return rows[-1].path
    if not name:
        raise RunNotFound("no run is named", where=runsdir, hint=_HINT)
    if os.sep in name or name in {os.curdir, os.pardir}:
        return _found(os.path.abspath(name))
    candidates = [run for run in _names(runsdir) if run.startswith(name)]
    if name in candidates or len(candidates) == 1:
        return os.path.join(os.path.abspath(runsdir), name if name in candidates else candidates[0])
    if candidates:
        shown = ", ".join(candidates[:_SHOWN]) + (", …" if len(candidates) > _SHOWN else "")
        raise RunNotFound(f"{name!r} is not unique", where=runsdir, hint=f"it may be {shown}")
    if os.path.isdir(name):
        return os.path.abspath(name)
    raise RunNotFound(f"no run named {name!r} in {runsdir}", hint=_HINT)


def list_runs(runsdir: str) -> list[RunRow]:
    """Return the runs of a folder, the latest last; none when there is no such folder."""
    path = os.path.abspath(runsdir)
    names = _names(runsdir)
    if not names:
        return []
    with Root.open(path, resolver=own) as folder:
        rows = [_row(folder, name) for name in names]
    return sorted(rows, key=lambda row: (row.started_at, row.run_id))


def newest_runs(runsdir: Root) -> list[str]:
    """Return the names of the runs in an open folder, the one that was written last first."""
    with runsdir.scan() as entries:
        found = [
            (entry.stat(follow_symlinks=False).st_mtime_ns, entry.name)
            for entry in entries
            if _RUN_ID.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
        ]
    return [name for _, name in sorted(found, reverse=True)]


class _Head(msgspec.Struct):
    """What a list shows of a manifest, whatever else it holds."""

    run_id: str
    status: str
    pipeline: str
    goal: str
    started_at: str
    ended_at: str = ""


def _row(folder: Root, name: str) -> RunRow:
    path = f"{folder.path}/{name}"
    try:
        head = msgspec.json.decode(folder.read(f"{name}/{layout.MANIFEST}"), type=ready(_Head))
    except _UNREADABLE as error:
        return RunRow(run_id=name, path=path, status=BROKEN, state=BROKEN, problem=str(error))
    if head.status in ENDED:
        state, stage = cast("RunState", head.status), ""
    else:
        with folder.sub(name) as run:
            state = state_of(run)
            stage = "" if state in ENDED else stage_of(run)
    return RunRow(
        run_id=head.run_id,
        path=path,
        status=head.status,
        state=state,
        stage=stage,
        pipeline=head.pipeline,
        goal=head.goal,
        started_at=head.started_at,
        ended_at=head.ended_at,
    )


def _names(runsdir: str) -> list[str]:
    """Return the names in a folder that can be runs."""
    try:
        with Root.open(runsdir, resolver=own) as folder, folder.scan() as entries:
            return sorted(
                entry.name
                for entry in entries
                if _RUN_ID.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
            )
    except PathRefused as refused:
        if refused.code == "missing":
            return []
        raise


def _found(path: str) -> str:
    if not os.path.isdir(path):
        raise RunNotFound("no run directory", where=path, hint=_HINT)
    return path
