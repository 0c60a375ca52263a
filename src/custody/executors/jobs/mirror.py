"""``session/`` as people know it: the tool's heartbeat, state and logs, at names that stay.

What counts lies in the folder of the session's generation. This is for whoever looks with `ls` and
`tail`: links to the logs, and small files that the runtime renews while it waits for the tool.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from custody.errors import CustodyError, PathRefused
from custody.executors.jobs import utc_now
from custody.executors.sessions.condition import Condition
from custody.executors.sessions.generation import Generation
from custody.model import layout
from custody.model import session as names
from custody.model.record import decode, encode_pretty
from custody.model.skill import paths
from custody.model.skill.error_type import STOPPED
from custody.model.skill.job import SessionState
from custody.store.root import Root

_SAID = 4096
"""Bytes of a file that ends a job."""


class Mirror:
    """Keeps the files of one job's session; `see` is called whenever the session is looked at."""

    def __init__(self, root: Root, tool: str, generation: Callable[[], Generation | None]) -> None:
        self._root = root
        self._tool = tool
        self._state = last_state(root) or SessionState(state="STARTING", token=0, updated_at="")
        self._generation = generation
        self._beat, self._touched = -1, 0

    def link(self, generation: Generation) -> None:
        """Let the names lead to the logs of a generation."""
        here = generation.path.removeprefix(f"{layout.SESSIONS}/")
        stdout, stderr = paths.session_streams(self._tool)
        for path, name in (
            (layout.SUPERVISOR_LOG, names.WATCHER_LOG),
            (stdout, names.STDOUT),
            (stderr, names.STDERR),
            (layout.SESSION_READY, f"{names.BOX}/{names.STATE}/{names.READY}"),
        ):
            self._root.write_link(path, f"{here}/{name}")
        self._state = replace(self._state, token=generation.token)

    def see(self, condition: Condition) -> bool:
        """Take note of what is seen; False when the job is to end."""
        generation = self._generation()
        token = self._state.token if generation is None else generation.token
        now, state = utc_now(), replace(self._state, state=_STATES[condition], token=token)
        beat = None if generation is None else generation.beat()
        if generation is not None and self._has_touched(generation, now):
            state = replace(state, last_heartbeat=now)
        if beat is not None and beat.beat != self._beat:
            self._beat = beat.beat
            state = replace(
                state,
                last_node_heartbeat=now,
                pid=beat.program,
                process=beat.process,
                cpu_s=round(beat.cpu, 3),
            )
        if state != self._state:
            self._state = state
            self._root.write(layout.SESSION_STATE, encode_pretty(replace(state, updated_at=now)))
        return not is_stopped(self._root)

    def ended(self, generation: Generation) -> SessionState:
        """Write how it ended, and return that."""
        self.link(generation)
        ended, beat = generation.ended(), generation.beat()
        known, now = last_state(self._root) or self._state, utc_now()
        if self._has_touched(generation, now):  # and nobody has looked since
            known = replace(known, last_heartbeat=now)
        state = replace(
            known,
            state="ENDED",
            token=generation.token,
            updated_at=now,
            pid=known.pid if beat is None else beat.program,
            reason="unknown" if ended is None else ended.reason,
            exit_code=None if ended is None else ended.exit_code,
            signal=0 if ended is None else ended.signal,
        )
        self._root.write(layout.SESSION_STATE, encode_pretty(state))
        return state

    def _has_touched(self, generation: Generation, now: str) -> bool:
        """Tell whether the tool has touched its heartbeat again, and write down when."""
        touched = generation.heartbeat()
        if touched in {0, self._touched}:
            return False
        self._touched = touched
        self._root.write(layout.HEARTBEAT, f"{now}\n".encode())
        return True


_STATES: dict[Condition, str] = {
    "starting": "STARTING",
    "idle": "READY",
    "busy": "BUSY",
    "hung": "BUSY",
    "dead": "ENDED",
    "lost": "BUSY",
}


def is_stopped(root: Root) -> bool:
    """Whether somebody wants the job to end."""
    return root.exists(layout.SESSION_STOP)


def stopped_why(root: Root) -> str:
    """Return why a job ends that was told to, as whoever told it has written it down."""
    try:
        said = root.read(layout.SESSION_STOP, limit=_SAID).decode(errors="replace").strip()
    except PathRefused:
        said = ""
    return f"{STOPPED}: {said.splitlines()[0]}" if said else STOPPED


def last_state(root: Root) -> SessionState | None:
    """Return what was last seen of the tool; None when that is not known."""
    try:
        return decode(root.read(layout.SESSION_STATE), SessionState, where=layout.SESSION_STATE)
    except CustodyError:
        return None
