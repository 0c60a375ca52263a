"""What a process was at work on when it was killed: it is done again, and was spent all the same.

How long it took is not known, only up to when there are signs of life: lines of the journal, and
files of the attempt's folder, which nobody else writes.
"""

from __future__ import annotations

from custody.errors import PathRefused
from custody.model import layout
from custody.model.attempt_event import AttemptLost
from custody.model.request import Spent
from custody.store.history import History
from custody.store.process_times import epoch
from custody.store.rundir import RunDirectory


def lost_attempts(history: History) -> tuple[AttemptLost, ...]:
    """Return the attempts that the last process has left without a word."""
    times = history.times
    if times.left or not history.version.attempts_kept:
        return ()
    lost = []
    for line, started in history.open_attempts():
        request = started.request
        if request is None or history.arrived(request.id) is not None:
            continue
        began = epoch(max(line.ts, times.taken_up_at))
        seen = max(epoch(times.last_at), _last_change(history.run, request.id))
        seconds = round(min(max(0.0, seen - began), request.timeout), 3)
        spent = Spent(seconds=seconds)
        lost.append(AttemptLost(node=started.node, request_id=request.id, spent=spent))
    return tuple(lost)


def _last_change(run: RunDirectory, request: str) -> float:
    """Return when a file of an attempt's folder was last written; 0 when there is none."""
    folder = layout.request_folder(request)
    try:
        names = run.root.names(folder)
        return max((run.root.stat(f"{folder}/{name}").st_mtime for name in names), default=0.0)
    except PathRefused:
        return 0.0
