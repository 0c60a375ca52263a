"""Listening to an answer that comes in pieces."""

from __future__ import annotations

import asyncio
import io
import math
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from custody.errors import StorageFailed
from custody.executors.agent_log import AgentLog
from custody.executors.chat.completions import ChatReader
from custody.executors.chat.listening import Listening, Watch
from custody.supervise.supervisor import Limits


def test_a_disk_that_is_full_is_told() -> None:
    async def pieces() -> AsyncGenerator[Any, None]:
        yield {"choices": [{"delta": {"content": "hello\n"}, "finish_reason": "stop"}]}

    with io.FileIO("/dev/full", "wb") as out:
        log = AgentLog(lambda _line: None)
        listening = Listening(ChatReader("m"), out, log, Limits(timeout=10.0), "")
        with pytest.raises(StorageFailed):
            asyncio.run(listening.to(pieces()))


class TestWatch:
    LIMITS = Limits(timeout=10.0, quiet=2.0, heartbeat=3.0)

    def test_silence_counts_from_the_first_piece_on(self) -> None:
        watch = Watch(self.LIMITS, 100.0)
        assert watch.late(109.0) == ""
        watch.hear(101.0)
        assert watch.late(102.9) == ""
        assert watch.late(103.0) == "inactivity"
        assert watch.late(110.0) == "timeout"

    def test_a_heartbeat_is_due_now_and_then(self) -> None:
        watch = Watch(self.LIMITS, 100.0)
        assert watch.pause(100.0) == 3.0
        assert [watch.beat(now) for now in (102.9, 103.0, 103.1, 106.0)] == [
            False, True, False, True,
        ]  # fmt: skip

    def test_nothing_is_ever_due_without_limits(self) -> None:
        off = Limits(timeout=math.inf, quiet=math.inf, heartbeat=math.inf)
        assert Watch(off, 100.0).pause(100.0) is None
