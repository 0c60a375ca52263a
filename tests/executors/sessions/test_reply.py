"""What is told of a session's ack, and of one that never came."""

from __future__ import annotations

import pytest

from custody.executors.sessions.reply import SessionReply, how_it_ended, key_of
from custody.model.request import CommandLine, ToolRequest
from custody.model.session import Ended

REQUEST = ToolRequest(id="a.1.b/2.1", timeout=1.0, line=CommandLine(text="", commands=()))


@pytest.mark.parametrize(
    ("ended", "told"),
    [
        (None, ""),
        (Ended(reason="exited", exit_code=3), "exit code 3"),
        (Ended(reason="exited", exit_code=137, signal=9), "signal 9"),
        (Ended(reason="terminated", exit_code=143, signal=15), "terminated"),
        (Ended(reason="output_limit", exit_code=137, signal=9), "output_limit"),
        (Ended(reason="not_started", failure="tool_not_found: sta"), "tool_not_found: sta"),
        (Ended(reason="lease_expired"), "lease_expired"),
    ],
)
def test_how_a_session_ended(ended: Ended | None, told: str) -> None:
    assert how_it_ended(ended) == told


def test_files_are_named_by_the_request() -> None:
    assert key_of(REQUEST) == "a.1.b.2.1"


@pytest.mark.parametrize("status", ["failed", "timeout"])
def test_a_failure_becomes_an_ack(status: str) -> None:
    reply = SessionReply("timeout" if status == "timeout" else "failed", reason="why", seconds=2.0)
    ack = reply.failed(REQUEST)
    assert (ack.request_id, ack.status, ack.failure_reason) == (REQUEST.id, status, "why")
    assert ack.seconds == 2.0
