"""Which of the kernel's calls a confined process can make: a filter, written out by hand.

Refused calls fail as they would for lack of a right, so that programs go their usual other way.
`clone3` and `openat2` alone are said not to exist, because what they are asked for lies in memory
that a filter cannot read; whoever knows them can do with `clone` and `openat`.
"""

from __future__ import annotations

import ctypes
import errno
import stat
import struct
from collections.abc import Sequence
from functools import cache
from typing import Literal

from custody.sandbox import kernel
from custody.sandbox.confinement import Confinement

DENIED = (
    # other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp",
    # another view of the file system
    "mount", "umount2", "pivot_root", "chroot", "setns", "open_tree", "move_mount", "fsopen",
    "fsconfig", "fsmount", "fspick", "mount_setattr", "open_tree_attr",
    "name_to_handle_at", "open_by_handle_at", "quotactl", "quotactl_fd", "acct", "swapon",
    "swapoff", "lookup_dcookie", "fanotify_init",
    # large parts of the kernel that no tool of a stage needs
    "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open",
    "userfaultfd", "add_key", "request_key", "keyctl", "uselib", "modify_ldt",
    # the machine
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot",
    "settimeofday", "clock_settime", "sethostname", "setdomainname", "syslog", "vhangup",
    "iopl", "ioperm",
)  # fmt: skip
"""Calls that fail with EPERM whatever they are given."""

SHARED_MEMORY = (
    "shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd",
    "msgrcv", "msgctl", "mq_open", "mq_unlink",
)  # fmt: skip
"""Calls that fail with EPERM at L2: only a namespace tells whose memory and queues these are."""

NAMESPACE_FLAGS = 0x7E020080
"""CLONE_NEW: time, mount, cgroup, uts, ipc, user, pid and net."""
TERMINAL_INPUT = (0x5412, 0x541C)
"""ioctl: TIOCSTI and TIOCLINUX type into a terminal for its user."""
SET_USER_ID, SET_ANY_ID = 0o4000, 0o6000
"""Modes of files that run as their owner, or its group: left in a workspace, they would outside.

A folder hands its group's bit down to what is made in it, and tools that copy modes set it.
"""
MAKES_A_FILE = 0o100 | 0o20000000
"""open: O_CREAT and O_TMPFILE; without them a mode means nothing."""
LEAVES_A_WHITEOUT = 4
"""renameat2: RENAME_WHITEOUT makes a device in the place of the file."""
PERSONALITIES = (0, 0xFFFFFFFF)
"""The ordinary one, and the question which it is."""

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
NETLINK_ROUTE = 0
SOCK_STREAM, SOCKET_FLAGS, IPPROTO_TCP = 1, 0o2004000, 6
"""As the module `socket` has them, which takes longer to load than a program to start."""

FAST_OPEN = 0x20000000
SENDING = {"sendto": 3, "sendmsg": 2, "sendmmsg": 3}
"""A flag that makes a connection, in that argument of each call; Landlock does not see it."""

_Mode = Literal["closed", "gate", "asked gate", "open"]
"""What of the network there is. Listening without a port of one's own passes Landlock unseen."""

_LOAD, _EQUAL, _ANY_BIT, _AND, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x54, 0x35, 0x06
_ALLOW = 0x7FFF0000
_ASK = 0x7FC00000
_KILL = 0x80000000
_EPERM = 0x00050000 | errno.EPERM
_ENOSYS = 0x00050000 | errno.ENOSYS
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32 = 0x40000000
_SET_MODE_FILTER = 1
_NEW_LISTENER = 8
_COMPARED_IN_A_ROW = 3

Program = list[tuple[int, int, int, int]]
"""Code, jump if true, jump if false, operand."""


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("program", ctypes.c_char_p))


def families(confinement: Confinement) -> tuple[int, ...]:
    """Return the families of sockets that can be made.

    A pair of connected sockets can always be made. A socket file outside is out of sight at
    L3; at L2 nothing but the filter keeps a process from connecting to it. Where there are
    listeners to a proxy, TCP can be had too, and no other protocol.
    """
    if confinement.network == "none":
        return (AF_UNIX,) if confinement.level == "L3" else ()
    return (AF_UNIX, AF_INET, AF_INET6)


def program(confinement: Confinement, machine: str = kernel.MACHINE) -> bytes:
    """Return the filter as the kernel reads it."""
    denied = DENIED if confinement.level == "L3" else DENIED + SHARED_MEMORY
    mode: _Mode = "open" if confinement.network != "none" else "closed"
    if mode == "closed" and confinement.listeners:
        mode = "asked gate" if asks_for_sockets(confinement) else "gate"
    return _assembled(families(confinement), denied, mode, machine)


def restrict(confinement: Confinement) -> int:
    """Put this process and all it starts under the filter, for good.

    Returns the descriptor by which it asks for sockets, see `custody.sandbox.socket_broker`;
    -1 where it asks nobody.
    """
    code = program(confinement)
    attributes = _Filter(len(code) // 8, code)
    flags = _NEW_LISTENER if asks_for_sockets(confinement) else 0
    found = kernel.call("seccomp", _SET_MODE_FILTER, flags, ctypes.byref(attributes))
    return found if flags else -1


def asks_for_sockets(confinement: Confinement) -> bool:
    """Whether the process server makes their sockets: they share the machine's network."""
    return (
        confinement.level == "L2" and confinement.network == "none" and bool(confinement.listeners)
    )


@cache
def _assembled(
    allowed: tuple[int, ...], denied: tuple[str, ...], mode: _Mode, machine: str
) -> bytes:
    numbers = kernel.NUMBERS[machine]
    lines: Program = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, kernel.AUDIT_ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":
        lines += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _ENOSYS)]
    rules: dict[str, Program] = {
        "openat": _refuse_bits_where(2, MAKES_A_FILE, 3, SET_ANY_ID),
        "open": _refuse_bits_where(1, MAKES_A_FILE, 2, SET_ANY_ID),
        "openat2": [(_RETURN, 0, 0, _ENOSYS)],
        "clone3": [(_RETURN, 0, 0, _ENOSYS)],
        "creat": _refuse_bits(1, SET_ANY_ID),
        "chmod": _refuse_bits(1, SET_USER_ID),
        "fchmod": _refuse_bits(1, SET_USER_ID),
        "fchmodat": _refuse_bits(2, SET_USER_ID),
        "fchmodat2": _refuse_bits(2, SET_USER_ID),
        "renameat2": _refuse_bits(4, LEAVES_A_WHITEOUT),
        "clone": _refuse_bits(0, NAMESPACE_FLAGS),
        "unshare": _refuse_bits(0, NAMESPACE_FLAGS),
        "socket": _sockets(allowed, mode),
        "socketpair": _only_values(0, (AF_UNIX,)),
        "ioctl": _refuse_values(1, TERMINAL_INPUT),
        "personality": _only_values(0, PERSONALITIES),
        "mknod": _refuse_devices(1),
        "mknodat": _refuse_devices(2),
    }
    if mode in {"gate", "asked gate"}:
        rules |= {name: _refuse_bits(at, FAST_OPEN) for name, at in SENDING.items()}
    if mode == "asked gate":
        rules["listen"] = [(_RETURN, 0, 0, _EPERM)]
    rules |= {name: [(_RETURN, 0, 0, _EPERM)] for name in denied}
    cases = sorted((numbers[name], rule) for name, rule in rules.items() if name in numbers)
    return b"".join(struct.pack("<HBBI", *line) for line in [*lines, *_found_by_halves(cases)])


def _found_by_halves(cases: Sequence[tuple[int, Program]]) -> Program:
    """Return the rules of calls behind a search for the call's number.

    When a filter is set, the kernel tries it on every call there is; compared with every rule in
    a row, that was a third of what a start at L2 costs over a plain one.
    """
    if len(cases) <= _COMPARED_IN_A_ROW:
        tests = [((_EQUAL, 0, len(rule), number), *rule) for number, rule in cases]
        return [*(line for test in tests for line in test), (_RETURN, 0, 0, _ALLOW)]
    middle = len(cases) // 2
    lower, upper = _found_by_halves(cases[:middle]), _found_by_halves(cases[middle:])
    return [(_AT_LEAST, len(lower), 0, cases[middle][0]), *lower, *upper]


def _argument(index: int) -> tuple[int, int, int, int]:
    """Load the lower half of an argument; the kernel reads no more of these."""
    return _LOAD, 0, 0, _ARGUMENTS + 8 * index


def _refuse_bits(index: int, bits: int) -> Program:
    return [
        _argument(index),
        (_ANY_BIT, 0, 1, bits),
        (_RETURN, 0, 0, _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _refuse_bits_where(index: int, condition: int, other: int, bits: int) -> Program:
    """Refuse bits of an argument if there is one of ``condition`` in another."""
    return [
        _argument(index),
        (_ANY_BIT, 1, 0, condition),
        (_RETURN, 0, 0, _ALLOW),
        *_refuse_bits(other, bits),
    ]


def _refuse_values(index: int, values: tuple[int, ...]) -> Program:
    tests = [(_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
    return [_argument(index), *tests, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM)]


def _only_values(index: int, values: tuple[int, ...]) -> Program:
    tests = [(_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
    return [_argument(index), *tests, (_RETURN, 0, 0, _EPERM), (_RETURN, 0, 0, _ALLOW)]


def _sockets(allowed: tuple[int, ...], mode: _Mode) -> Program:
    if mode == "closed":
        return _only_values(0, allowed)
    if mode == "open":
        return _families_and_routes(allowed)
    return _families_and_tcp(allowed, _ASK if mode == "asked gate" else _ALLOW)


def _families_and_tcp(allowed: tuple[int, ...], tcp: int) -> Program:
    """Allow TCP as every client asks for it; its relatives know ways around Landlock."""
    found = [(_EQUAL, 0, 1, family) for family in allowed]
    return [
        _argument(0),
        *(line for test in found for line in (test, (_RETURN, 0, 0, _ALLOW))),
        (_EQUAL, 1, 0, AF_INET),
        (_EQUAL, 0, 7, AF_INET6),
        _argument(1),
        (_AND, 0, 0, 0xFFFFFFFF & ~SOCKET_FLAGS),
        (_EQUAL, 0, 4, SOCK_STREAM),
        _argument(2),
        (_EQUAL, 1, 0, 0),
        (_EQUAL, 0, 1, IPPROTO_TCP),
        (_RETURN, 0, 0, tcp),
        (_RETURN, 0, 0, _EPERM),
    ]


def _families_and_routes(allowed: tuple[int, ...]) -> Program:
    # Resolvers ask for the machine's addresses by netlink; its other protocols stay shut.
    route: Program = [
        (_EQUAL, 0, 3, AF_NETLINK),
        _argument(2),
        (_EQUAL, 0, 1, NETLINK_ROUTE),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _EPERM),
    ]
    found = [(_EQUAL, 0, 1, family) for family in allowed]
    allow = [line for test in found for line in (test, (_RETURN, 0, 0, _ALLOW))]
    return [_argument(0), *allow, *route]


def _refuse_devices(index: int) -> Program:
    return [
        _argument(index),
        (_ANY_BIT, 3, 0, SET_ANY_ID),
        (_AND, 0, 0, stat.S_IFMT(0xFFFF)),
        (_EQUAL, 1, 0, stat.S_IFCHR),
        (_EQUAL, 0, 1, stat.S_IFBLK),
        (_RETURN, 0, 0, _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
