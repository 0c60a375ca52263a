"""Why a job failed: one of twelve words, which every failure of its kind has.

A failure reason of a stage begins with the word and a colon. Where it does not, nobody had thought
of what happened, and that is ``INTERNAL_ERROR``.
"""

from __future__ import annotations

from typing import Literal, get_args

ErrorType = Literal[
    "OK", "LOCATOR_FAIL", "SESSION_START_FAIL", "INNOVUS_CRASH", "HEARTBEAT_LOST", "QUEUE_TIMEOUT",
    "RESTORE_FAIL", "CMD_FAIL", "CONTRACT_INVALID", "OUTPUT_MISSING", "OUTPUT_EMPTY",
    "INTERNAL_ERROR",
]  # fmt: skip

ERROR_TYPES: tuple[ErrorType, ...] = get_args(ErrorType)

STOPPED = "the job was told to stop"
"""How the reason of a job begins that somebody ended."""

_OF_SESSION: dict[str, ErrorType] = {
    "session_start_failed": "SESSION_START_FAIL",
    "session_dead": "INNOVUS_CRASH",
    "session_lost": "HEARTBEAT_LOST",
    "session_hung": "HEARTBEAT_LOST",
    "session_hung: unclaimed": "QUEUE_TIMEOUT",
    "timeout": "QUEUE_TIMEOUT",
    "timeout: stopped": "HEARTBEAT_LOST",
    "timeout: silent": "HEARTBEAT_LOST",
}
"""What each failure of a session means for a job; the longer text counts where there is one."""


def told(error: ErrorType, what: str) -> str:
    """Return a failure reason."""
    return f"{error}: {what}"


def read(reason: str) -> tuple[ErrorType, str]:
    """Return what a failure reason says: its word, and the rest."""
    word, _, rest = reason.partition(":")
    for known in ERROR_TYPES:
        if word == known != "OK":
            return known, rest.strip()
    return "INTERNAL_ERROR", reason.strip()


def of_session(reason: str) -> ErrorType:
    """Return what it means for a job that a session gave this reason instead of an ack."""
    word = reason.partition(":")[0]
    return _OF_SESSION.get(reason) or _OF_SESSION.get(word, "INTERNAL_ERROR")
