"""What a run came to, for whoever started it or asks."""

from __future__ import annotations

from custody.model.confinement import ChosenLevel
from custody.model.documents import Summary
from custody.model.record import Record


class RunResult(Record, frozen=True):
    """How a run ended, or how far it has come."""

    run_id: str
    path: str
    summary: Summary
    waiting: str = ""
    """The request that a person must answer before the run can go on; empty when there is none."""
    confinement: ChosenLevel | None = None
    """How its programs are confined; None when no stage starts one."""
