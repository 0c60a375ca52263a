"""Namespaces of their own for processes, and the rights they lose on the way in."""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import struct

from custody.model.confinement import Network
from custody.sandbox import kernel
from custody.sandbox.seccomp import AF_INET

INSIDE_ID = 1000
"""Who the processes are inside, whoever runs custody: nobody with a right of root."""
HOST_NAME = "custody"

CLONE_NEW_MOUNTS = 0x00020000
_NEW = CLONE_NEW_MOUNTS | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000
"""CLONE_NEW: mount, cgroup, uts, ipc, user and pid."""
_NEW_NETWORK = 0x40000000
_SET_PARENT_DEATH_SIGNAL, _SET_DUMPABLE, _SET_SECURE_BITS = 1, 4, 28
_NO_ROOT_LOCKED = 0b11
_CAPABILITY_VERSION = 0x20080522
_HEADER, _NO_CAPABILITY = ctypes.c_uint32 * 2, (ctypes.c_uint32 * 6)()
_DATAGRAM = 2
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1


def clone(network: Network) -> int:
    """Fork into new namespaces, as their first process; return 0 in the child.

    The caller must have a single thread. The kernel ends everything in the namespaces with
    their first process.
    """
    parts = _NEW if network == "host" else _NEW | _NEW_NETWORK
    return kernel.call("clone", parts | signal.SIGCHLD, 0, 0, 0, 0)


def die_with_parent() -> None:
    """Be killed when the parent is gone; one that is gone already is not noticed."""
    kernel.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def take_identity(user: int, group: int) -> None:
    """Be `INSIDE_ID` inside and ``user`` outside, in a user namespace just made."""
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{INSIDE_ID} {user} 1")
    _write("/proc/self/gid_map", f"{INSIDE_ID} {group} 1")
    kernel.set_host_name(HOST_NAME)


def bring_up_loopback() -> None:
    """Let processes in a network namespace of their own talk to each other."""
    door = kernel.call("socket", AF_INET, _DATAGRAM | os.O_CLOEXEC, 0)
    try:
        request = bytearray(struct.pack("16sh22x", b"lo", 0))
        fcntl.ioctl(door, _GET_FLAGS, request)
        flags = struct.unpack_from("h", request, 16)[0]
        struct.pack_into("h", request, 16, flags | _UP)
        fcntl.ioctl(door, _SET_FLAGS, request)
    finally:
        os.close(door)


def hide_memory() -> None:
    """Let nobody read this process's memory, which a fork shares with the runtime."""
    kernel.prctl(_SET_DUMPABLE, 0)


def become(user: int) -> None:
    """Leave root for an ordinary user and the group of the same number, in this thread alone."""
    kernel.call("setgroups", 0, 0)
    kernel.call("setresgid", user, user, user)
    kernel.call("setresuid", user, user, user)


def drop_capabilities() -> None:
    """Give up every right of root, in this thread, and the way to get one by a program.

    Being user 0 gives a program nothing any more, nor does a file: see `landlock.restrict`.
    """
    if os.geteuid() == 0:
        _make_root_nobody()
    header = _HEADER(_CAPABILITY_VERSION, 0)
    kernel.call("capset", ctypes.byref(header), ctypes.byref(_NO_CAPABILITY))


def _make_root_nobody() -> None:
    """Let being user 0 mean nothing, as far as this process has the right to.

    Root of many a container has not. It gains nothing by a program all the same: whoever may gain
    no privileges gets no more capabilities from a program than it had, which is none.
    """
    try:
        kernel.prctl(_SET_SECURE_BITS, _NO_ROOT_LOCKED)
    except PermissionError:
        return


def _write(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, text.encode())
    except OSError as error:
        raise OSError(error.errno, f"{path}: {error.strerror}") from None
    finally:
        os.close(file)
