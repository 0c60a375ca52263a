"""The facts about sessions, programs that stay between requests: none is a decision of the engine.

Each is durable before anything follows from it. So the last of them tells a later process which
token counts, and whether there is a session to go on with.
"""

from __future__ import annotations

from typing import ClassVar

from custody.model.confinement import Confined
from custody.model.fact import Fact, Traits

_TRAITS = Traits(
    about="run",
    changes_state=False,
    traced_as=None,
    shown_live=False,
    decision=False,
    shared_by_fork=False,
)


class SessionFact(Fact, frozen=True, kw_only=True):
    """Something that happened to a session."""

    session: str
    token: int
    """Number of its generation; a higher one takes the place of all before."""


class SessionOpened(SessionFact, frozen=True, kw_only=True):
    """A session is about to be started; no older one of its name is listened to any more."""

    traits: ClassVar[Traits] = _TRAITS
    argv: tuple[str, ...]
    launcher: tuple[str, ...] = ()
    """The command that starts it elsewhere; empty for this machine."""
    confined: Confined
    """What holds for its programs; what can be changed is told relative to the session's box."""


class SessionAttached(SessionFact, frozen=True, kw_only=True):
    """A session that an earlier process had opened was found alive and is gone on with."""

    traits: ClassVar[Traits] = _TRAITS
    program: int
    """Its process, on the machine that it runs on."""


class SessionClosed(SessionFact, frozen=True, kw_only=True):
    """A session is not gone on with; unless it is lost, nothing of it runs any more."""

    traits: ClassVar[Traits] = _TRAITS
    reason: str
    """``run_ended``, ``waiting`` or ``interrupted`` when the run was left; ``timeout``, ``hung`` or
    ``lost`` when it was given up; ``outdated`` when a changed pipeline has set work aside that it
    had done; ``start_failed``; or why it ended by itself."""
    exit_code: int | None = None
    signal: int = 0


class SessionAckIgnored(SessionFact, frozen=True, kw_only=True):
    """An ack came from a session that had been given up; it does not count."""

    traits: ClassVar[Traits] = Traits(
        about="run",
        changes_state=False,
        traced_as=None,
        shown_live=True,
        level="warning",
        decision=False,
        shared_by_fork=False,
    )
    request_id: str
    sha256: str


AnySessionFact = SessionOpened | SessionAttached | SessionClosed | SessionAckIgnored
