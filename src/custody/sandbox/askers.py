"""The processes that ask their process server to make a call for them, because it knows better."""

from __future__ import annotations

import os
import select

from custody.sandbox import notices, socket_broker
from custody.sandbox.named_memory import NamedMemory


class Askers:
    """The descriptors by which processes ask, served by whoever polls."""

    def __init__(self, poll: select.poll) -> None:
        self._poll = poll
        self._known: set[int] = set()
        self.memory = NamedMemory()
        """What processes of the current line have given names to."""

    def add(self, asker: int) -> None:
        """Serve one more, until no process is left that could ask."""
        notices.take_turns(asker)
        self._known.add(asker)
        self._poll.register(asker, select.POLLIN)

    def serve(self, found: list[tuple[int, int]]) -> None:
        """Serve those of them that a poll has found."""
        for asker, events in found:
            if asker not in self._known:
                continue
            if events & select.POLLIN:
                self._serve(asker)
            else:
                self._known.remove(asker)
                self._poll.unregister(asker)
                os.close(asker)

    def _serve(self, asker: int) -> None:
        notice = notices.receive(asker)
        if notice is None:
            return
        if notice.call == "socket":
            socket_broker.make_socket(notice)
        else:
            self.memory.serve(notice)
