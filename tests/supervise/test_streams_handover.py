"""The streams of a line are its own, and reach whoever starts its programs."""

from __future__ import annotations

import os
import socket

import pytest

from custody.supervise.streams_handover import receive_streams, send_streams
from support.sandboxes import LEVELS, Site


def pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def test_the_streams_of_the_line_come_and_no_others() -> None:
    here, there = pair()
    with here, there:
        for line in (1, 2, 3):
            reader, writer = os.pipe()
            os.write(writer, str(line).encode())
            send_streams(here.fileno(), line, (reader, writer))
            os.close(reader)
            os.close(writer)
        reader, writer = receive_streams(there.fileno(), 3)
        os.write(writer, b"x")
        assert os.read(reader, 2) == b"3x"
        os.close(reader)
        os.close(writer)


def test_whoever_is_gone_is_missed_by_the_one_who_waits() -> None:
    here, there = pair()
    with there:
        here.close()
        with pytest.raises(OSError, match="streams"):
            receive_streams(there.fileno(), 1)
        send_streams(there.fileno(), 1, (0, 1))


SPOILS = """
import fcntl, os, stat
for number in (0, 1, 2):
    assert stat.S_ISFIFO(os.fstat(number).st_mode)
    os.fchmod(number, 0)
    os.set_blocking(number, False)
fcntl.fcntl(1, 1031, 4096)
"""
LOOKS = """
import fcntl, os, stat
print([oct(os.fstat(n).st_mode) for n in (0, 1, 2)], fcntl.fcntl(1, 1032), os.get_blocking(1))
"""


@pytest.mark.req("G-05")
@pytest.mark.parametrize("level", LEVELS)
def test_nothing_done_to_a_stream_is_found_by_the_next_line(site: Site, level: str) -> None:
    before = site.run(site.confinement(level), "python3", "-c", LOOKS)
    assert site.run(site.confinement(level), "python3", "-c", SPOILS).result.succeeded
    after = site.run(site.confinement(level), "python3", "-c", LOOKS)
    assert before.stdout == after.stdout
    assert after.result.succeeded, after
