"""Listening to an answer that comes in pieces: on file as it arrives, within its limits."""

from __future__ import annotations

import asyncio
import io
import math
import os
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, NamedTuple

from custody.checks.guards.secrets import StreamRedactor, redactor_for
from custody.executors.agent_log import AgentLog
from custody.executors.chat.completions import ChatFailed, ChatReader
from custody.model.request import Usage
from custody.store import files
from custody.store.os_errors import failure
from custody.supervise.supervisor import Limits

_KEY = "CUSTODY_API_KEY"
"""By such a name the key is known as a secret, whatever the user calls it."""


class Heard(NamedTuple):
    """What came of it."""

    text: str
    usage: Usage | None
    late: str = ""
    """``timeout`` or ``inactivity``; empty when no limit ended it."""
    fault: str = ""
    redacted: int = 0
    """How many secrets were taken out of the file."""


class _Late(Exception):
    """A limit was reached."""


class Listening:
    """Listens to one answer."""

    def __init__(
        self, reader: ChatReader, out: io.FileIO, log: AgentLog, limits: Limits, key: str
    ) -> None:
        """``out`` takes the text; ``key`` is kept out of it."""
        self._reader = reader
        self._out = out
        self._log = log
        self._watch = Watch(limits, time.monotonic())
        secrets = {**os.environ, _KEY: key} if key else os.environ
        self._redactor = StreamRedactor(redactor_for(secrets))

    async def to(self, pieces: AsyncGenerator[Any, None]) -> Heard:
        """Listen to the end, whichever it is."""
        late = fault = ""
        try:
            async with aclosing(pieces):
                while (piece := await self._next(pieces)) is not None:
                    self._take(self._reader.chunk(piece))
        except _Late as reached:
            late = str(reached)
        except ChatFailed as failed:
            fault = str(failed)
        self._write(self._redactor.finish())
        reply = self._reader.reply()
        fault = "" if late else fault or reply.error
        return Heard(reply.text, reply.usage, late, fault, self._redactor.count)

    async def _next(self, pieces: AsyncGenerator[Any, None]) -> Any:
        """Return the next piece, None after the last; raises `_Late`."""
        coming = asyncio.ensure_future(anext(pieces, None))
        try:
            while True:
                await asyncio.wait({coming}, timeout=self._watch.pause(time.monotonic()))
                now = time.monotonic()
                if coming.done():
                    self._watch.hear(now)
                if reason := self._watch.late(now):
                    raise _Late(reason)
                if self._watch.beat(now):
                    seconds = round(now - self._watch.began, 3)
                    size = self._reader.size
                    self._log.write("agent.heartbeat", seconds=seconds, output_bytes=size)
                if coming.done():
                    return coming.result()
        finally:
            coming.cancel()
            await asyncio.wait({coming})

    def _take(self, said: str) -> None:
        if self._log.streams and said:
            self._log.stream("stdout", said)
        self._write(self._redactor.feed(said.encode(errors="replace")))

    def _write(self, data: bytes) -> None:
        try:
            files.write_all(self._out.fileno(), data)
        except OSError as error:
            raise failure(error, "the answer's file") from error


class Watch:
    """Knows when something is due. Pure: whoever asks says what time it is."""

    def __init__(self, limits: Limits, began: float) -> None:
        self.began = began
        self._limits = limits
        self._heard = math.inf
        """When the last piece came; silence counts from the first one on."""
        self._beat = began + limits.heartbeat

    def hear(self, now: float) -> None:
        """Note that a piece has come."""
        self._heard = now

    def late(self, now: float) -> str:
        """Return the limit that is reached; empty when none is."""
        if now >= self.began + self._limits.timeout:
            return "timeout"
        return "inactivity" if now >= self._heard + self._limits.quiet else ""

    def beat(self, now: float) -> bool:
        """Tell whether a heartbeat is due; it is not due again then for a while."""
        due = now >= self._beat
        if due:
            self._beat = now + self._limits.heartbeat
        return due

    def pause(self, now: float) -> float | None:
        """Return the seconds until something is due; None when nothing ever is."""
        due = min(self.began + self._limits.timeout, self._heard + self._limits.quiet, self._beat)
        return None if due == math.inf else max(0.0, due - now)
