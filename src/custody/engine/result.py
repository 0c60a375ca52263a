"""What a run came to, for whoever started it or asks."""

from __future__ import annotations

from custody.model.confinement import ChosenLevel
from custody.model.documents import Summary
from custody.model.record import Record
from custody.store.run_state import RunState


class RunResult(Record, frozen=True):
    """How a run ended, or how far it has come."""

    run_id: str
    path: str
    summary: Summary
    state: RunState
    """How the run stands right now: RUNNING only while a process holds it."""
    waiting: str = ""
    """The request that a person must answer before the run can go on; empty when there is none."""
    at_work: tuple[str, ...] = ()
    """The attempts that have begun and have no answer yet, where a process holds the run."""
    source: str = ""
    """The folder that its workspace was copied from; empty for none."""
    confinement: ChosenLevel | None = None
    """How its programs are confined; None when no stage starts one."""
