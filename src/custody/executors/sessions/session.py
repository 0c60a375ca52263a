"""One session of a run: opened when it is first needed, gone on with, given up or closed.

Every step that somebody else could act on is durable before it is taken. A new token is taken, and
with it every older one is fenced; then the fact is told; then the watcher is started; then requests
are put into the queue. So whatever is killed at whichever point, the next process knows from the
journal which token counts, finds what the session has done meanwhile, and starts nothing twice.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable

from custody.checks.guards.secrets import Redactor
from custody.errors import PathRefused
from custody.executors import Stage
from custody.executors.sessions.condition import Condition
from custody.executors.sessions.generation import Generation, tokens
from custody.executors.sessions.lease import Leases
from custody.executors.sessions.live import GIVEN_UP, LiveSession, Watch
from custody.executors.sessions.reply import SessionReply, failure, how_it_ended, key_of, read
from custody.model import layout
from custody.model import session as names
from custody.model.confinement import Confined, Level
from custody.model.request import Request
from custody.model.session import RecordedSession, SessionKind, SessionOrder
from custody.model.session_event import (
    AnySessionFact,
    SessionAckIgnored,
    SessionAttached,
    SessionClosed,
    SessionOpened,
)
from custody.store.root import Root

Tell = Callable[[AnySessionFact], None]
"""Writes a fact to the journal; it is durable on return."""

_NOT_READY = (*GIVEN_UP, "starting")
_AT_LARGE = ("hung", "lost", "timeout", "stopped")
"""Why a session is given up that may still be at work."""


class Session:
    """The session of one name; it works on one request at a time."""

    def __init__(
        self,
        kind: SessionKind,
        root: Root,
        recorded: RecordedSession | None,
        leases: Leases,
        source: str = "",
    ) -> None:
        self._kind = kind
        self._root = root
        self._recorded = recorded
        """What an earlier process has left; None once it was looked after."""
        self._leases = leases
        self._source = source
        self._live: LiveSession | None = None
        self._watch: Watch | None = None
        self._lock = threading.Lock()

    def open(self, stage: Stage) -> SessionReply:
        """Open it, unless it is open; the reply has no data.

        For sessions that a stage of their own opens: `ask` opens one as well.
        """
        began = time.monotonic()
        with self._lock:
            live = self._found(stage) or self._open(stage)
            reply = live if isinstance(live, SessionReply) else SessionReply("ok")
            return reply._replace(seconds=round(time.monotonic() - began, 6))

    def ask(
        self,
        request: Request,
        data: bytes,
        stage: Stage,
        *,
        key: str = "",
        again: bool = True,
    ) -> SessionReply:
        """Hand a request in as ``data`` and wait for its ack, for as long as the request allows.

        It is known to the session by ``key``, or by what `key_of` says. A session that is not open
        is opened first; without ``again`` that is a failure.
        """
        began = time.monotonic()
        key = key or key_of(request)
        with self._lock:
            asked = stage.folder.write(layout.exchange(self._kind.name), data)
            live = self._found(stage) or (self._open(stage) if again else self._gone())
            if isinstance(live, SessionReply):
                reply = live
            else:
                _put(live.generation, key, data)
                reply = self._hear(live, request, key, stage)
            seconds = round(time.monotonic() - began, 6)
            return reply._replace(seconds=seconds, evidence=(asked, *reply.evidence))

    def recover(
        self, request: Request, stage: Stage, *, key: str = "", again: bool = True
    ) -> SessionReply | None:
        """Return what came of a request that an earlier process has handed in; None to ask anew.

        That is when it never reached the session, or the session is gone and has left no ack.
        """
        began = time.monotonic()
        key = key or key_of(request)
        with self._lock:
            left = self._left()
            data = None if left is None else left.mailbox.requests.get(key)
            if left is None or data is None:
                return None
            reply = _heard_before(left, key, stage)
            if reply is None and (live := self._found(stage)) is not None:
                reply = self._hear(live, request, key, stage)
            if reply is None or (reply.status == "failed" and not reply.data):
                reply = _heard_before(left, key, stage) or (None if again else reply)
            if reply is None:
                return None
            asked = stage.folder.write(layout.exchange(self._kind.name), data)
            seconds = round(time.monotonic() - began, 6)
            return reply._replace(seconds=seconds, evidence=(asked, *reply.evidence))

    def watched_by(self, watch: Watch) -> None:
        """Let ``watch`` see the session whenever it is looked at, and end the waiting for it."""
        self._watch = watch
        if self._live is not None:
            self._live.watch = watch

    @property
    def generation(self) -> Generation | None:
        """The last one that was opened; None as long as none was."""
        if self._live is not None:
            return self._live.generation
        if self._recorded is None:
            return None
        last = Generation(self._root, self._kind.name, self._recorded.token)
        return last if last.is_whole() else None

    def accept(self, key: str, ack: bytes, stage: Stage) -> None:
        """Let an ack be the one that counts, and tell of all that can be none.

        That is an ack to a request that was never made, and one that has taken another's place.
        """
        with self._lock:
            generation = self.generation
            if generation is None or generation.fenced() is not None:
                return
            if ack:
                generation.accept(key, hashlib.sha256(ack).hexdigest())
            for stranger, data in generation.strangers():
                _tell_of(generation, stranger, data, stage.tell)

    def leave(self, reason: str, tell: Tell) -> None:
        """Close the session, also one that only an earlier process has used."""
        with self._lock:
            if self._live is None and (left := self._left_open()) is not None:
                self._live = LiveSession(left, self._kind, self._leases)
            self._give_up(reason, tell)
            self._tell_of_late_acks(tell)

    def _left(self) -> Generation | None:
        """Return what requests may have been handed to before, if it may be gone on with."""
        if self._live is not None:
            return self._live.generation
        outdated = self._recorded is not None and self._recorded.outdated
        return None if outdated else self._left_open()

    def _left_open(self) -> Generation | None:
        """Return what an earlier process has opened and nobody has closed."""
        if self._recorded is None or not self._recorded.open:
            return None
        left = Generation(self._root, self._kind.name, self._recorded.token)
        return left if left.is_whole() and left.fenced() is None else None

    def _found(self, stage: Stage) -> LiveSession | None:
        """Return the session that is open and well; one that is not well is closed."""
        if self._live is not None:
            if (condition := self._live.look()) not in GIVEN_UP:
                return self._live
            self._give_up(condition, stage.tell)
        left = self._left_open()
        if left is None:
            return None
        outdated = self._left() is None
        live = self._live = self._alive(left)
        if outdated:
            self._give_up("outdated", stage.tell)
            return None
        condition = live.until_ready()
        if condition in _NOT_READY:
            self._give_up("start_failed" if condition == "starting" else condition, stage.tell)
            return None
        attached = SessionAttached(
            session=self._kind.name, token=left.token, program=live.observer.program
        )
        stage.tell(attached)
        return live

    def _alive(self, generation: Generation) -> LiveSession:
        live = LiveSession(generation, self._kind, self._leases)
        if self._watch is not None:
            live.watch = self._watch
        return live

    def _gone(self) -> SessionReply:
        """Return what is told of a session that is not open and is not opened again."""
        generation = self.generation
        if generation is None:
            return SessionReply("failed", reason="session_dead: it was never opened")
        ended = generation.ended()
        reason = "session_lost" if ended is None else "session_dead"
        return failure(reason, how_it_ended(ended), generation)

    def _open(self, stage: Stage) -> LiveSession | SessionReply:
        """Open a new one; return why that has failed, where it has."""
        older = tokens(self._root, self._kind.name)
        token = 1 + max(*older, self._recorded.token if self._recorded else 0, 0)
        order = SessionOrder(
            token=token, level=stage.sandbox.level, kind=self._kind, source=self._source
        )
        generation = Generation.create(self._root, order)
        for each in older:
            Generation(self._root, self._kind.name, each).fence(token)
        self._tell_of_late_acks(stage.tell)
        stage.tell(_opened(self._kind, token, order.level))
        live = self._live = self._alive(generation)
        why = live.launch(self._root.path)
        condition = live.until_ready()
        if condition not in _NOT_READY:
            return live
        why = why or how_it_ended(generation.ended()) or self._not_ready(live, condition)
        self._give_up("start_failed", stage.tell)
        return failure("session_start_failed", why, generation)

    def _not_ready(self, live: LiveSession, condition: Condition) -> str:
        """Return why there is nothing to ask, of a session whose watcher has told no end."""
        if condition == "starting":
            return f"not ready after {self._kind.start:g} s"
        if live.observer.begun:
            return condition
        said = live.launcher_said()
        never = f"nothing was heard of it in {self._kind.start:g} s"
        return f"its launcher has ended ({said})" if said else never

    def _hear(self, live: LiveSession, request: Request, key: str, stage: Stage) -> SessionReply:
        """Wait for an ack; a session that does not give one is given up."""
        ack, condition, hung, stopped = live.listen(key, request.timeout)
        if ack is not None:
            return read(live.generation, key, ack, stage)
        if stopped:
            self._give_up("stopped", stage.tell)
            return SessionReply("failed", reason="session_stopped")
        if condition not in GIVEN_UP:
            self._give_up("timeout", stage.tell)
            return SessionReply("timeout", reason=f"timeout: {hung}" if hung else "timeout")
        how = hung if condition == "hung" else how_it_ended(live.generation.ended())
        self._give_up(condition, stage.tell)
        return failure(f"session_{condition}", how, live.generation)

    def _give_up(self, reason: str, tell: Tell) -> None:
        """End the session if there is one, and tell how it ended; ``dead`` is told as it was."""
        live = self._live
        if live is None:
            return
        ended = live.end(fence=reason in _AT_LARGE)
        self._live = None
        self._recorded = RecordedSession(token=live.generation.token, open=False)
        tell(
            SessionClosed(
                session=self._kind.name,
                token=live.generation.token,
                reason=ended.reason if ended is not None and reason == "dead" else reason,
                exit_code=None if ended is None else ended.exit_code,
                signal=0 if ended is None else ended.signal,
            )
        )

    def _tell_of_late_acks(self, tell: Tell) -> None:
        for token in tokens(self._root, self._kind.name):
            generation = Generation(self._root, self._kind.name, token)
            for key, data in generation.late():
                _tell_of(generation, key, data, tell)


def _tell_of(generation: Generation, key: str, ack: bytes, tell: Tell) -> None:
    """Tell of an ack that does not count."""
    digest = hashlib.sha256(ack).hexdigest()
    tell(
        SessionAckIgnored(
            session=generation.session, token=generation.token, request_id=key, sha256=digest
        )
    )
    generation.set_aside(key)


def _heard_before(left: Generation, key: str, stage: Stage) -> SessionReply | None:
    ack = left.counted(key)
    return None if ack is None else read(left, key, ack, stage)


def _put(generation: Generation, key: str, data: bytes) -> None:
    requests = generation.mailbox.requests
    if not requests.put(key, data) and requests.get(key) != data:
        raise PathRefused(
            "exists", "the session was asked something else", where=requests.path(key)
        )
    generation.wake.tell(key)


def _opened(kind: SessionKind, token: int, level: Level) -> SessionOpened:
    free = level == "L1"
    return SessionOpened(
        session=kind.name,
        token=token,
        argv=Redactor({}).redact_argv(kind.argv)[0],
        launcher=kind.launcher,
        confined=Confined(
            level=level,
            unconfined=free,
            network="host" if free else kind.network,
            reach=() if free else kind.reach,
            changeable=("",) if free else names.WRITABLE,
        ),
    )
