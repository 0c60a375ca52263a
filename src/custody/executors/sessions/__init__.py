"""Sessions: programs that stay between the requests of a run.

An executor that needs one asks `Sessions` for it by its kind, hands its requests to the `Session`,
and never sees whether it was opened just now, was open, or was found alive after the runtime had
been killed. A session may outlive the runtime, for as long as its lease says; it never outlives the
run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from custody.errors import UsageError
from custody.executors.sessions.generation import Generation
from custody.executors.sessions.lease import Leases
from custody.executors.sessions.reply import SessionReply
from custody.executors.sessions.session import Session, Tell
from custody.model.session import RecordedSession, SessionKind
from custody.store.root import Root

__all__ = ["Session", "SessionKind", "SessionReply", "Sessions", "Tell"]

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_HINT = "letters, digits, `_`, `.` and `-`; the first is no `.` or `-`"


class Sessions:
    """The sessions of one run, each made when it is first asked for."""

    def __init__(
        self, root: Root, recorded: Mapping[str, RecordedSession], source: str = ""
    ) -> None:
        """Show programs nothing of the ``source`` but what is a toolchain's."""
        self._root = root
        self._recorded = recorded
        """What the journal says of those that earlier processes have opened."""
        self._source = source
        self._made: dict[str, Session] = {}
        self._leases = Leases()

    def get(self, kind: SessionKind) -> Session:
        """Return the session of a kind; there is one of each name.

        Raises `UsageError` for a name that cannot be one.
        """
        if kind.name not in self._made:
            if _NAME.fullmatch(kind.name) is None:
                raise UsageError(f"{kind.name!r} cannot be the name of a session", hint=_HINT)
            recorded = self._recorded.get(kind.name)
            session = Session(kind, self._root, recorded, self._leases, self._source)
            self._made[kind.name] = session
        return self._made[kind.name]

    def named(self, name: str) -> Session | None:
        """Return the session of a name that this process or an earlier one has opened.

        None when there is none: for requests of a stage that does not open it.
        """
        if name in self._made:
            return self._made[name]
        recorded = self._recorded.get(name)
        if recorded is None:
            return None
        left = Generation(self._root, name, recorded.token)
        return self.get(left.order.kind) if left.is_whole() else None

    def leave(self, reason: str, tell: Tell) -> None:
        """Close every session that is open, also those that nobody has asked for by now."""
        for name, recorded in self._recorded.items():
            left = Generation(self._root, name, recorded.token)
            if recorded.open and left.is_whole():
                self.get(left.order.kind)
        for session in self._made.values():
            session.leave(reason, tell)

    def close(self) -> None:
        """Renew no lease any more; what was not closed ends when its own has run out."""
        self._leases.close()
