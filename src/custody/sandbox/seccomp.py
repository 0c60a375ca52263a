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

from custody.sandbox import kernel, landlock
from custody.sandbox.confinement import Confinement

DENIED = (
    # other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "process_madvise",
    "process_mrelease",
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

ATTRIBUTES = (
    "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr",
    "fremovexattr", "removexattrat", "file_setattr",
)  # fmt: skip
"""Calls that fail at L2 as if the file system had no attributes: nothing tells whose file it is."""

ON_ITSELF = ("sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler",
             "get_robust_list", "migrate_pages", "move_pages")  # fmt: skip
"""Calls that name a process first; at L2 they are for the caller alone, which is named 0."""
PRIORITIES = {"setpriority": (0, 1), "ioprio_set": (1, 2)}
"""The same, after what kind of thing is named: a process or a group of them, never a user."""
FLAGS_OF_FILES = (0x40086602, 0x40046602, 0x401C5820, 0x40087602)
"""ioctl: FS_IOC_SETFLAGS in both widths, FSSETXATTR and SETVERSION; reading is enough for them."""
TRUNCATES, ACCESS_MODE = 0o1000, 0o3
"""open: O_TRUNC, which does its work on a file opened for reading too."""
ABI_WITH_TRUNCATION = 3
"""Of Landlock; before it, a file that can be read could be emptied."""

NAMESPACE_FLAGS = 0x7E020080
"""CLONE_NEW: time, mount, cgroup, uts, ipc, user, pid and net."""
TERMINAL_INPUT = (0x5412, 0x541C)
"""ioctl: TIOCSTI and TIOCLINUX type into a terminal for its user."""
ON_FILES_OF_OTHERS = (1024, 1026, 1040)
"""fcntl: F_SETLEASE, F_NOTIFY and F_SETDELEG. A lease lets whoever may read a file keep others from
writing to it for a while, and a notice tells what they do in a folder."""
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
_JUMP, _FARTHEST = 0x05, 255
"""A condition cannot jump farther than that."""
_ALLOW = 0x7FFF0000
_ASK = 0x7FC00000
_KILL = 0x80000000
_EPERM = 0x00050000 | errno.EPERM
_ENOSYS = 0x00050000 | errno.ENOSYS
_ENOTSUP = 0x00050000 | errno.ENOTSUP
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


def program(
    confinement: Confinement, machine: str = kernel.MACHINE, *, abi: int | None = None
) -> bytes:
    """Return the filter as the kernel reads it; ``abi`` is Landlock's, by default this kernel's.

    It closes what an older Landlock leaves open and a filter can see.
    """
    shared = confinement.level != "L3"
    denied = DENIED + SHARED_MEMORY if shared else DENIED
    mode: _Mode = "open" if confinement.network != "none" else "closed"
    if mode == "closed" and confinement.listeners:
        mode = "asked gate" if asks_for_sockets(confinement) else "gate"
    older = shared and (landlock.abi() if abi is None else abi) < ABI_WITH_TRUNCATION
    return _assembled(families(confinement), denied, mode, machine, shared=shared, older=older)


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
    allowed: tuple[int, ...],
    denied: tuple[str, ...],
    mode: _Mode,
    machine: str,
    *,
    shared: bool,
    older: bool,
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
    rules = _rules_of_every_level(allowed, mode)
    if shared:
        rules |= _rules_of_a_shared_machine()
    if older:
        rules |= _rules_of_an_older_landlock(rules)
    if mode in {"gate", "asked gate"}:
        rules |= {name: _refuse_bits(at, FAST_OPEN) for name, at in SENDING.items()}
    if mode == "asked gate":
        rules["listen"] = [(_RETURN, 0, 0, _EPERM)]
    rules |= {name: [(_RETURN, 0, 0, _EPERM)] for name in denied}
    cases = sorted((numbers[name], rule) for name, rule in rules.items() if name in numbers)
    return b"".join(struct.pack("<HBBI", *line) for line in [*lines, *_found_by_halves(cases)])


def _rules_of_every_level(allowed: tuple[int, ...], mode: _Mode) -> dict[str, Program]:
    return {
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
        "fcntl": _refuse_values(1, ON_FILES_OF_OTHERS),
        "personality": _only_values(0, PERSONALITIES),
        "mknod": _refuse_devices(1),
        "mknodat": _refuse_devices(2),
        "prlimit64": _only_values(0, (0,)),
    }


def _rules_of_a_shared_machine() -> dict[str, Program]:
    """Return what keeps a process from others, and from files of others, that it can name."""
    return {
        "ioctl": _refuse_values(1, (*TERMINAL_INPUT, *FLAGS_OF_FILES)),
        **{name: [(_RETURN, 0, 0, _ENOTSUP)] for name in ATTRIBUTES},
        **{name: _only_values(0, (0,)) for name in ON_ITSELF},
        **{name: _only_itself(kinds) for name, kinds in PRIORITIES.items()},
    }


def _rules_of_an_older_landlock(rules: dict[str, Program]) -> dict[str, Program]:
    return {
        "truncate": [(_RETURN, 0, 0, _EPERM)],
        "openat": [*_refuse_emptying(2), *rules["openat"]],
        "open": [*_refuse_emptying(1), *rules["open"]],
    }


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
    first = cases[middle][0]
    if len(lower) <= _FARTHEST:
        return [(_AT_LEAST, len(lower), 0, first), *lower, *upper]
    return [(_AT_LEAST, 0, 1, first), (_JUMP, 0, 0, len(lower)), *lower, *upper]


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


def _only_itself(kinds: tuple[int, ...]) -> Program:
    """Allow a kind of thing that is named first, if what is named next is the caller."""
    first, second = kinds
    return [
        _argument(0),
        (_EQUAL, 1, 0, first),
        (_EQUAL, 0, 3, second),
        _argument(1),
        (_EQUAL, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _EPERM),
    ]


def _refuse_emptying(index: int) -> Program:
    """Refuse to open a file for reading and empty it; go on otherwise."""
    return [
        _argument(index),
        (_AND, 0, 0, TRUNCATES | ACCESS_MODE),
        (_EQUAL, 0, 1, TRUNCATES),
        (_RETURN, 0, 0, _EPERM),
    ]


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
