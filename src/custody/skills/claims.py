"""Whether a script of a job has really done its work: what the tool claims, and what its log says.

A script can return well although it has failed: some tools print an error and go on. So a claim
counts only together with a log of the request that is whole and has no error in it. The first of
these that holds is told:

    forged   the ack cannot be read, or answers another request
    failed   the tool itself says that the script has failed, or refused it
    log      the marks that stand around a request are missing
    pattern  a line that an error pattern is found in, and none that is to be ignored; the executor
             has a line of its own for an error that nobody has caught
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from custody.errors import MalformedDocument
from custody.model.record import decode
from custody.model.skill.error_type import ErrorType
from custody.model.skill.exchange import ToolClaim
from custody.model.skill.log_pattern import error_lines

SECURITY = "security violation"
"""How the message of an ack begins that refuses a request, or that nobody should have written."""
UNCAUGHT = "^@@custody an error in an event: "
"""What the executor says of an error that happened while no script was under way."""
LINE_LIMIT = 300
"""Characters of a line of the log that a message shows."""


class Told(NamedTuple):
    """What is wrong with a request; empty when nothing is."""

    code: str = ""
    error_type: ErrorType = "OK"
    message: str = ""


class Patterns(NamedTuple):
    """Which lines of a log say that something has failed."""

    error: Sequence[str]
    ignored: Sequence[str]

    def found_in(self, stream: bytes) -> Iterator[str]:
        """Yield the beginning of each line of a stream that says so."""
        text = stream.decode(errors="replace")
        for line in error_lines(text, (*self.error, UNCAUGHT), self.ignored):
            yield line.text.strip()[:LINE_LIMIT]


def judged(
    request_id: str,
    ack: bytes,
    log: Sequence[bytes],
    patterns: Patterns,
    *,
    restores: bool,
    marked: int = 2,
) -> Told:
    """Return what is wrong with a request.

    ``log`` are the streams as they were printed for it; the first ``marked`` of them have marks.
    """
    fails: ErrorType = "RESTORE_FAIL" if restores else "CMD_FAIL"
    try:
        claim = decode(ack, ToolClaim, where=request_id)
    except MalformedDocument as malformed:
        return Told("forged", "CMD_FAIL", f"{SECURITY}: the ack cannot be read: {malformed.what}")
    if claim.request_id != request_id:
        what = f"{SECURITY}: the ack answers {claim.request_id!r}"
        return Told("forged", "CMD_FAIL", what)
    if claim.status == "FAIL":
        message = claim.message.strip() or "the script has failed and says nothing"
        refused = message.startswith(SECURITY)
        return Told("failed", "CMD_FAIL" if refused else fails, message)
    if not all(_is_whole(request_id, stream) for stream in log[:marked]):
        what = "the marks around the request are missing in the log: what it printed is not known"
        return Told("log", fails, what)
    for stream in log:
        found = next(patterns.found_in(stream), None)
        if found is not None:
            return Told("pattern", fails, f"the log says: {found}")
    return Told()


def last_error(log: Sequence[bytes], patterns: Patterns) -> str:
    """Return the last line of a log that tells of an error; empty where none does.

    For a tool that has ended by itself: what it says last is why.
    """
    found = [line for stream in log for line in patterns.found_in(stream)]
    return found[-1] if found else ""


def _is_whole(request_id: str, stream: bytes) -> bool:
    lines = stream.split(b"\n")
    marks = [f"@@custody {mark} {request_id}".encode() for mark in ("begin", "end")]
    return all(mark in lines for mark in marks)
