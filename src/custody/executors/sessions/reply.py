"""What a session says to a request, or what is said of a session that does not."""

from __future__ import annotations

from typing import Literal, NamedTuple

from custody.executors import Stage
from custody.executors.sessions.generation import Generation
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.request import Ack, Request
from custody.model.session import Ended
from custody.supervise.streams import failure_summary


class SessionReply(NamedTuple):
    """What came of a request."""

    status: Literal["ok", "failed", "timeout"]
    data: bytes = b""
    """The ack as the program wrote it; empty without one."""
    reason: str = ""
    """One stable word for the failure, and what more is known."""
    summary: str = ""
    seconds: float = 0.0
    evidence: tuple[Evidence, ...] = ()

    def failed(self, request: Request) -> Ack:
        """Return what is told of a request that has failed."""
        return Ack(
            request_id=request.id,
            status="timeout" if self.status == "timeout" else "failed",
            seconds=self.seconds,
            failure_reason=self.reason,
            failure_summary=self.summary,
            evidence=self.evidence,
        )


def key_of(request: Request) -> str:
    """Return the name of a request's files in a session's box: ``<node>.<visit>.<attempt>``."""
    return request.id.replace("/", ".")


def read(generation: Generation, key: str, ack: bytes, stage: Stage) -> SessionReply:
    """Return an ack as it is, kept as evidence; one that is not stamped as it must be failed."""
    evidence = (stage.folder.write(layout.session_ack(generation.session), ack),)
    if wrong := generation.wrong_with(ack, key):
        return SessionReply("failed", ack, f"session_ack_refused: {wrong}", evidence=evidence)
    return SessionReply("ok", ack, evidence=evidence)


def failure(reason: str, how: str, generation: Generation) -> SessionReply:
    """Return what is told of a session that gave no ack, with the ends of what it printed."""
    stdout, stderr = generation.streams()
    told = f"{reason}: {how}" if how else reason
    headline = f"the session {generation.session} has failed: {told}"
    summary = failure_summary(headline, stdout=stdout, stderr=stderr)
    return SessionReply("failed", reason=told, summary=summary)


def how_it_ended(ended: Ended | None) -> str:
    """Return how a session ended, in a few words; empty when it is not known."""
    if ended is None or ended.failure:
        return "" if ended is None else ended.failure
    if ended.reason != "exited":
        return ended.reason
    return f"signal {ended.signal}" if ended.signal else f"exit code {ended.exit_code}"
