"""Memory and locks with a name for processes at L2, kept by their process server.

The C libraries keep them in /dev/shm and nowhere else, which all programs of the machine share:
what one leaves there the next one finds, and who knows a name reads what others wrote. At L2 no
mount can give a stage a folder of its own. So Landlock keeps all of it closed, and the filter has
the kernel ask the process server about the calls that these libraries make (`seccomp`). The server
reads the path, and if it is a name there, does itself what was asked, with memory that only it
holds; every other call goes on as it was. Nothing depends on the path staying as it was read: a
call that goes on meets Landlock.

The names of a line are known to its processes and to no other, and go with it.
"""

from __future__ import annotations

import errno
import os
import re

from custody.sandbox import notices
from custody.sandbox.notices import Notice

FOLDER = b"/dev/shm/"
MOST = 256
"""Names at a time; most programs remove theirs as soon as all have it open."""

_NAME = re.compile(rb"/dev/shm/([^/\0]{1,255})\0")
_LONGEST = len(FOLDER) + 256
_OPENED_WITH = os.O_ACCMODE | os.O_APPEND | os.O_TRUNC | os.O_NONBLOCK
_PATHS = {
    "open": (0,), "openat": (1,),
    "link": (0, 1), "linkat": (1, 3),
    "unlink": (0,), "unlinkat": (1,),
}  # fmt: skip
"""Which arguments of each call are paths."""
_FLAGS = {"open": 1, "openat": 2}


class NamedMemory:
    """The names of one line."""

    def __init__(self) -> None:
        self._files: dict[bytes, int] = {}

    def serve(self, notice: Notice) -> None:
        """Answer one call; raises nothing if its process is gone meanwhile."""
        names = [_name(notice, argument) for argument in _PATHS[notice.call]]
        if b"" in names or (notice.call == "unlinkat" and notice.arguments[2]):
            notices.let_go_on(notice)
            return
        try:
            if notice.call in _FLAGS:
                self._open(notice, names[0])
                return
            self._link(*names) if len(names) > 1 else self._unlink(*names)
        except OSError as error:
            notices.refuse(notice, error.errno or errno.EACCES)
        else:
            notices.answer(notice)

    def held(self) -> list[os.stat_result]:
        """Return the state of each file that has a name."""
        return [os.fstat(file) for file in set(self._files.values())]

    def close(self) -> None:
        """Forget every name."""
        for file in set(self._files.values()):
            os.close(file)
        self._files.clear()

    def _open(self, notice: Notice, name: bytes) -> None:
        flags, mode = notice.arguments[_FLAGS[notice.call] :][:2]
        if name not in self._files:
            if not flags & os.O_CREAT:
                raise _failure(errno.ENOENT)
            if len(self._files) >= MOST:
                raise _failure(errno.ENOSPC)
            self._files[name] = os.memfd_create(name.decode(errors="replace"))
            os.fchmod(self._files[name], mode & 0o777)
        elif flags & os.O_CREAT and flags & os.O_EXCL:
            raise _failure(errno.EEXIST)
        # One of its own: what is read from one place does not move another.
        file = os.open(f"/proc/self/fd/{self._files[name]}", flags & _OPENED_WITH | os.O_CLOEXEC)
        try:
            notices.hand_over(notice, file, close_on_exec=bool(flags & os.O_CLOEXEC))
        finally:
            os.close(file)

    def _link(self, name: bytes, other: bytes) -> None:
        if name not in self._files:
            raise _failure(errno.ENOENT)
        if other in self._files:
            raise _failure(errno.EEXIST)
        self._files[other] = self._files[name]

    def _unlink(self, name: bytes) -> None:
        if name not in self._files:
            raise _failure(errno.ENOENT)
        file = self._files.pop(name)
        if file not in self._files.values():
            os.close(file)


def _name(notice: Notice, argument: int) -> bytes:
    """Return which name in the folder a call means by a path; empty for another path."""
    try:
        memory = os.open(f"/proc/{notice.process}/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            found = _NAME.match(os.pread(memory, _LONGEST, notice.arguments[argument]))
        finally:
            os.close(memory)
    except (OSError, OverflowError):
        return b""  # it is gone, or lets nobody look at it
    return found[1] if found and found[1] not in {b".", b".."} else b""


def _failure(code: int) -> OSError:
    return OSError(code, os.strerror(code))
