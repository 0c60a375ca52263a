"""How a run stands right now: whether a process holds it, and if none does, how it was left.

The manifest tells how a run has ended. Until then it says RUNNING, whether anybody is at work or
not; that is told by the lock, which ends with the process that holds it, and by the last line of
the journal.
"""

from __future__ import annotations

import os
from typing import Literal

import msgspec

from custody.errors import CustodyError
from custody.model import layout
from custody.model.event import FACTS
from custody.model.record import ready
from custody.store import files
from custody.store.lock import is_locked
from custody.store.root import Root

RunState = Literal["RUNNING", "WAITING", "INTERRUPTED", "CRASHED", "PASS", "FAIL", "BROKEN"]
"""RUNNING only while a process holds the run. The first four can be resumed when none does."""

_CHUNK = 1024


class _Line(msgspec.Struct):
    """The part of a journal line that names its kind."""

    event: str


class _Reached(msgspec.Struct):
    """The part of a checkpoint that tells where a run is."""

    node: str


def state_of(run: Root) -> RunState:
    """Return how the run in an open directory stands; its manifest need not be there."""
    locked = is_locked(run)
    last = FACTS.get(last_event(run))
    if last is None:
        return "RUNNING" if locked else "BROKEN"
    if last.traits.ends_run is not None:
        return last.traits.ends_run
    if locked:
        return "RUNNING"
    if last.traits.waiting == "begins":
        return "WAITING"
    return "INTERRUPTED" if last.traits.last_word else "CRASHED"


def stage_of(run: Root) -> str:
    """Return the stage that a run has come to, as its checkpoint tells; empty when none does."""
    try:
        return msgspec.json.decode(run.read(layout.CHECKPOINT), type=ready(_Reached)).node
    except (CustodyError, msgspec.MsgspecError, UnicodeError, RecursionError):
        return ""


def last_event(run: Root) -> str:
    """Return the kind of the last whole line of a journal; empty when there is none."""
    try:
        descriptor = run.open_fd(layout.EVENTS, files.READ)
    except CustodyError:
        return ""
    try:
        raw = _last_line(descriptor, os.fstat(descriptor).st_size)
        return msgspec.json.decode(raw, type=ready(_Line)).event
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
        return ""
    finally:
        os.close(descriptor)


def _last_line(descriptor: int, size: int) -> bytes:
    """Return the last line that has its end; what was torn off behind it does not count."""
    data = b""
    at = size
    while at > 0 and data.count(b"\n") < 2:  # noqa: PLR2004 - its own end, and that of the one before
        step = min(_CHUNK, at)
        at -= step
        data = os.pread(descriptor, step, at) + data
    whole = data[: data.rfind(b"\n")] if b"\n" in data else b""
    return whole[whole.rfind(b"\n") + 1 :]
