"""What runtime and server say to each other arrives whole, or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from custody.model.request import Command
from custody.sandbox.confinement import Confinement, OverlayPaths
from custody.supervise.command_list import End
from custody.supervise.protocol import Channel, Done, Message, Start, Stop

Pair = tuple[Channel, Channel]

LAYERS = OverlayPaths(lower=("/l",), upper="/u", work="/w")
MESSAGES = (
    Start(
        commands=(
            Command(argv=("a", "b c", "")),
            Command(argv=("é",), workdir="d", environment={"X": "$PWD"}, joined_by="|"),
        ),
        workspace="/ws",
        environment={"PATH": "/bin", "ODD": "a\nb"},
        confinement=Confinement(level="L3", workspace="/ws", layers=LAYERS),
        stdin="/prompt",
    ),
    Start(commands=(), workspace="", environment={}),
    Stop(kill=True),
    Stop(kill=False),
    Done(End(1, 9, "why"), leftovers=2, survivors=3),
)


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Return the two ends of a channel."""
    down, up = os.pipe(), os.pipe()
    ends = Channel(up[0], down[1]), Channel(down[0], up[1])
    yield ends
    for end in ends:
        try:
            end.close()
        except OSError:
            continue  # the test has closed it


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_arrives_as_it_was_sent(pair: Pair, message: Message) -> None:
    runtime, server = pair
    runtime.send(message)
    runtime.send(message)
    assert [server.receive(), server.receive()] == [message, message]


def test_a_message_that_no_pipe_holds_at_once(pair: Pair) -> None:
    runtime, server = pair
    large = Start(commands=(Command(argv=("x" * 1_000_000,)),), workspace="/", environment={})
    sender = threading.Thread(target=runtime.send, args=(large,))
    sender.start()
    assert server.receive() == large
    sender.join()


def test_somebody_who_is_gone_says_nothing(pair: Pair) -> None:
    runtime, server = pair
    runtime.close()
    assert server.receive() is None
    with pytest.raises(BrokenPipeError):
        server.send(Stop(kill=True))


@pytest.mark.parametrize("half", [b"\0", b"\0\0\0\x09", b"\0\0\0\x09half"])
def test_half_a_message_is_none(pair: Pair, half: bytes) -> None:
    runtime, server = pair
    os.write(runtime._outgoing, half)
    runtime.close()
    assert server.receive() is None
