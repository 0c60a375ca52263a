"""How the output streams of a line get from the runtime to whoever starts its programs.

They are pipes made for the line: a program can change what is about the pipe that it holds, its
mode and its size for instance, and no other line is to find it so.
"""

from __future__ import annotations

import _socket
import errno
import os
import struct

_STREAMS = 2
_NUMBERS = struct.Struct(f"{_STREAMS}i")
_LINE = struct.Struct("I")


def send_streams(way: int, line: int, streams: tuple[int, int]) -> None:
    """Hand two descriptors over, for a line; one that nobody takes any more is not missed."""
    door = _socket.socket(fileno=os.dup(way))
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, _NUMBERS.pack(*streams))]
    try:
        door.sendmsg([_LINE.pack(line)], rights, _socket.MSG_NOSIGNAL)
    except (BrokenPipeError, ConnectionError):
        return
    finally:
        door.close()


def receive_streams(way: int, line: int) -> tuple[int, int]:
    """Take the descriptors of a line; those of lines before that were not started are let go."""
    door = _socket.socket(fileno=os.dup(way))
    try:
        while True:
            told, rights, _, _ = door.recvmsg(
                _LINE.size, _socket.CMSG_SPACE(_NUMBERS.size), _socket.MSG_CMSG_CLOEXEC
            )
            if not told:
                raise OSError(errno.EPIPE, "the streams of a line are missing")
            found = [number for _, _, data in rights for number in _numbers(data)]
            if _LINE.unpack(told)[0] == line and len(found) == _STREAMS:
                return found[0], found[1]
            for descriptor in found:
                os.close(descriptor)
            if _LINE.unpack(told)[0] == line:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    finally:
        door.close()


def _numbers(data: bytes) -> tuple[int, ...]:
    """Read the descriptors that came; the kernel leaves out those for which there is no room."""
    count = len(data) // struct.calcsize("i")
    return struct.unpack_from(f"{count}i", data)
