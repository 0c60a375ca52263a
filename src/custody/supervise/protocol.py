"""What the runtime and its server say to each other, and how."""

from __future__ import annotations

import os
from collections.abc import Mapping

import msgspec

from custody.model.record import ready
from custody.model.request import Command
from custody.sandbox.confinement import Confinement
from custody.supervise.command_list import End


class Start(msgspec.Struct, frozen=True, tag=True):
    """Run this chain."""

    commands: tuple[Command, ...]
    workspace: str
    environment: Mapping[str, str]
    confinement: Confinement | None = None
    stdin: str = ""
    """A file that the chain reads as its input; empty for none."""
    line: int = 0
    """By which its streams are known, see `custody.supervise.streams_handover`."""
    tools: tuple[str, ...] = ()
    """What of the workspace is a toolchain that no program can change."""
    spare: bool = False
    """Whether it goes to a sandbox that was laid out before anybody asked for it."""


class Stop(msgspec.Struct, frozen=True, tag=True):
    """End what runs, and start nothing more of the chain."""

    kill: bool


class Done(msgspec.Struct, frozen=True, tag=True):
    """The chain has ended, and so has everything it started."""

    end: End
    leftovers: int
    """Processes that outlived their command and were killed."""
    survivors: int
    """Processes that could not be killed."""
    exceeded: str = ""
    """The limit for which it was ended, as ``memory (4G)``; empty when it was not."""
    grouped: bool = False
    """Whether a control group held it."""
    last: bool = False
    """Whether the server has ended with it."""


class Outdated(msgspec.Struct, frozen=True, tag=True):
    """The sandbox does not show what is there now: the chain was not run."""


Message = Start | Stop | Done | Outdated

_decode = msgspec.msgpack.Decoder(ready(Message)).decode
_encode = msgspec.msgpack.Encoder().encode


class Channel:
    """Messages over a pair of pipes, each with its length in front."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming = incoming
        self._outgoing = outgoing

    def send(self, message: Message) -> None:
        """Hand over one message; raises `BrokenPipeError` when nobody reads any more."""
        data = _encode(message)
        rest = memoryview(len(data).to_bytes(4, "big") + data)
        while rest:
            rest = rest[os.write(self._outgoing, rest) :]

    def receive(self) -> Message | None:
        """Wait for one message; None when the other side is gone."""
        head = self._read(4)
        data = self._read(int.from_bytes(head, "big")) if head else b""
        return _decode(data) if data else None

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = os.read(self.incoming, count - len(data))
            if not part:
                return b""
            data += part
        return data

    def close(self) -> None:
        """Let go of both pipes; the other side notices."""
        os.close(self._outgoing)
        os.close(self.incoming)
