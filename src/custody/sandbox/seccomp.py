"""Which of the kernel's calls a confined process can make: a filter, written out by hand.

Refused calls fail as they would for lack of a right, so that programs go their usual other way.
`clone3` and `openat2` alone are said not to exist, because what they are asked for lies in memory
that a filter cannot read; whoever knows them can do with `clone` and `openat`.
"""

from __future__ import annotations

import ctypes
import errno
from functools import cache
from itertools import chain
from typing import Literal

from custody.sandbox import bpf, kernel, landlock
from custody.sandbox.bpf import ALLOWED, ASKED, REFUSED, UNKNOWN, UNSUPPORTED, Program
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
OF_FILE_SYSTEMS = (0x66, 0x76, 0x58, 0x94, 0xF5, 0xBC, 0x6E, 0x6F, 0x97, 0xCF)
"""ioctl: the kinds of commands to file systems: of all of them and ext4, and their versions, XFS,
Btrfs, F2FS, bcachefs, NILFS, OCFS2, Ceph and CIFS.

A file that may be read is enough for most of them, and Landlock judges none. They make snapshots of
all that lies around a file, leave keys with a file system, seal files for good.
"""
ASKED_OF_FILES = (
    0x80086601, 0x80046601, 0x80087601, 0xC020660B, 0x801C581F, 0x800C581E, 0x81009431,
    0x40049409, 0x4020940D,
)  # fmt: skip
"""Those that tools need: FS_IOC_GETFLAGS in both widths, GETVERSION, FIEMAP, FSGETXATTR, DIOINFO
and GETFSLABEL ask; FICLONE and FICLONERANGE need a file that may be written to."""
FLAGS_OF_FILES = (0x40086602, 0x40046602, 0x401C5820, 0x40087602)
"""FS_IOC_SETFLAGS in both widths, FSSETXATTR and SETVERSION; where mounts say which files may be
changed, they too."""
TRUNCATES, ACCESS_MODE = 0o1000, 0o3
"""open: O_TRUNC, which does its work on a file opened for reading too."""
ABI_WITH_TRUNCATION = 3
"""Of Landlock; before it, a file that can be read could be emptied."""

NAMESPACE_FLAGS = 0x7E020080
"""CLONE_NEW: time, mount, cgroup, uts, ipc, user, pid and net."""
TERMINAL_INPUT = (0x5412, 0x541C)
"""ioctl: TIOCSTI and TIOCLINUX type into a terminal for its user."""
ON_FILES_OF_OTHERS = (1024, 1026, 1036, 1040)
"""fcntl: F_SETLEASE, F_NOTIFY, F_SET_RW_HINT and F_SETDELEG. A lease lets whoever may read a file
keep others from writing to it for a while, a notice tells what they do in a folder, and a hint how
long a file will live stays with the file."""
SET_USER_ID, SET_ANY_ID = 0o4000, 0o6000
"""Modes of files that run as their owner, or its group: left in a workspace, they would outside.

A folder hands its group's bit down to what is made in it, and tools that copy modes set it.
"""
MAKES_A_FILE = 0o100 | 0o20000000
"""open: O_CREAT and O_TMPFILE; without them a mode means nothing."""
OPENING = {"open": 1, "openat": 2}
"""Calls that open files, each with the argument that holds its flags; a mode comes next."""
NOT_TO_BE_RUN = 0x8
"""memfd_create: MFD_NOEXEC_SEAL. No mount says of other memory files that nothing in them is run,
or loaded as a library, and any process may open them below /proc."""
LEAVES_A_WHITEOUT = 4
"""renameat2: RENAME_WHITEOUT makes a device in the place of the file."""
PERSONALITIES = (0, 0xFFFFFFFF)
"""The ordinary one, and the question which it is."""

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
NETLINK_ROUTE = 0
SOCK_STREAM, SOCK_SEQPACKET, SOCKET_FLAGS, IPPROTO_TCP = 1, 5, 0o2004000, 6
"""As the module `socket` has them, which takes longer to load than a program to start."""

FAST_OPEN = 0x20000000
SENDING = {"sendto": 3, "sendmsg": 2, "sendmmsg": 3}
"""A flag that makes a connection, in that argument of each call; Landlock does not see it."""

_Mode = Literal["closed", "gate", "asked gate", "open"]
"""What of the network there is. Listening without a port of one's own passes Landlock unseen."""

_CREATE, _EXCLUSIVE, _READ_WRITE, _CLOSE_ON_EXEC, _PATH = 0o100, 0o200, 0o2, 0o2000000, 0o10000000
_NO_FOLLOW = {"x86_64": 0o400000, "aarch64": 0o100000}
_DIRECTORY = {"x86_64": 0o200000, "aarch64": 0o40000}
_LARGE_FILE = {"x86_64": 0o100000, "aarch64": 0o400000}
"""Flags of open, which not every machine has in the same place."""
_HERE = 0xFFFFFFFF & -100
"""The folder from which a path is resolved that is not absolute."""

_SET_MODE_FILTER = 1
_NEW_LISTENER, _WAIT_UNTIL_KILLED = 8, 32
_NO_LISTENER = (errno.EBUSY, errno.EINVAL)
"""There is one already, around all of this; or the kernel cannot wait as it must (before 5.19)."""


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("program", ctypes.c_char_p))


def families(confinement: Confinement) -> tuple[int, ...]:
    """Return the families of sockets that can be made.

    A pair of connected sockets can always be made, see `_pairs`. A socket file outside is out of
    sight at L3; at L2 nothing but the filter keeps a process from connecting to it. Where there are
    listeners to a proxy, TCP can be had too, and no other protocol.
    """
    if confinement.network == "none":
        return (AF_UNIX,) if confinement.level == "L3" else ()
    return (AF_UNIX, AF_INET, AF_INET6)


def program(
    confinement: Confinement,
    machine: str = kernel.MACHINE,
    *,
    abi: int | None = None,
    memory: bool = True,
) -> bytes:
    """Return the filter as the kernel reads it; ``abi`` is Landlock's, by default this kernel's.

    It closes what an older Landlock leaves open and a filter can see. Without ``memory`` nobody is
    asked for memory with a name, and there is none at L2.
    """
    shared = confinement.level != "L3"
    denied = DENIED + SHARED_MEMORY if shared else DENIED
    mode: _Mode = "open" if confinement.network != "none" else "closed"
    if mode == "closed" and confinement.listeners:
        mode = "asked gate" if asks_for_sockets(confinement) else "gate"
    older = shared and (landlock.abi() if abi is None else abi) < ABI_WITH_TRUNCATION
    return _assembled(
        families(confinement),
        denied,
        mode,
        machine,
        shared=shared,
        older=older,
        asked=shared and memory,
        sealed=confinement.sealed and not shared,
    )


def restrict(confinement: Confinement) -> int:
    """Put this process and all it starts under the filter, for good.

    Returns the descriptor by which it asks for memory and sockets, see `custody.sandbox.askers`;
    -1 where it asks nobody.
    """
    if confinement.level == "L2":
        try:
            return _set(program(confinement), _NEW_LISTENER | _WAIT_UNTIL_KILLED)
        except OSError as error:
            if error.errno not in _NO_LISTENER:
                raise
    flags = _NEW_LISTENER if asks_for_sockets(confinement) else 0
    found = _set(program(confinement, memory=False), flags)
    return found if flags else -1


def _set(code: bytes, flags: int) -> int:
    attributes = _Filter(len(code) // 8, code)
    return kernel.call("seccomp", _SET_MODE_FILTER, flags, ctypes.byref(attributes))


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
    asked: bool,
    sealed: bool,
) -> bytes:
    rules = _rules_of_every_level(allowed, mode)
    rules |= _rules_of_a_shared_machine() if shared else {}
    if mode in {"gate", "asked gate"}:
        rules |= {name: bpf.refuse_bits(at, FAST_OPEN) for name, at in SENDING.items()}
    if mode == "asked gate":
        rules["listen"] = REFUSED
    rules |= {name: _opening(at, machine, older=older, asked=asked) for name, at in OPENING.items()}
    rules |= {"truncate": REFUSED} if older else {}
    rules |= _rules_of_named_memory() if asked else {}
    if sealed:
        rules["memfd_create"] = [*bpf.refuse_masked(1, NOT_TO_BE_RUN, 0), *ALLOWED]
    rules |= dict.fromkeys(denied, REFUSED)
    numbers = kernel.NUMBERS[machine]
    known = {numbers[name]: rule for name, rule in rules.items() if name in numbers}
    return bpf.assembled(known, kernel.AUDIT_ARCHITECTURES[machine], x32=machine == "x86_64")


def _rules_of_every_level(allowed: tuple[int, ...], mode: _Mode) -> dict[str, Program]:
    return {
        "openat2": UNKNOWN,
        "clone3": UNKNOWN,
        "creat": bpf.refuse_bits(1, SET_ANY_ID),
        "chmod": bpf.refuse_bits(1, SET_USER_ID),
        "fchmod": bpf.refuse_bits(1, SET_USER_ID),
        "fchmodat": bpf.refuse_bits(2, SET_USER_ID),
        "fchmodat2": bpf.refuse_bits(2, SET_USER_ID),
        "renameat2": bpf.refuse_bits(4, LEAVES_A_WHITEOUT),
        "clone": bpf.refuse_bits(0, NAMESPACE_FLAGS),
        "unshare": bpf.refuse_bits(0, NAMESPACE_FLAGS),
        "socket": _sockets(allowed, mode),
        "socketpair": _pairs(allowed),
        "ioctl": _commands(*ASKED_OF_FILES, *FLAGS_OF_FILES),
        "fcntl": bpf.refuse_values(1, ON_FILES_OF_OTHERS),
        "personality": bpf.only_values(0, PERSONALITIES),
        "mknod": bpf.only_plain_kinds(1, SET_ANY_ID),
        "mknodat": bpf.only_plain_kinds(2, SET_ANY_ID),
        "prlimit64": bpf.only_values(0, (0,)),
    }


def _rules_of_a_shared_machine() -> dict[str, Program]:
    """Return what keeps a process from others, and from files of others, that it can name."""
    return {
        "ioctl": _commands(*ASKED_OF_FILES),
        **dict.fromkeys(ATTRIBUTES, UNSUPPORTED),
        **{name: bpf.only_values(0, (0,)) for name in ON_ITSELF},
        **{name: bpf.only_itself(kinds) for name, kinds in PRIORITIES.items()},
    }


def _commands(*known: int) -> Program:
    """Return the rule of ioctl, with the commands to file systems that may be given."""
    typing = (bpf.refuse_masked(1, 0xFFFFFFFF, command) for command in TERMINAL_INPUT)
    return [*chain.from_iterable(typing), *bpf.only_known_of_kinds(1, OF_FILE_SYSTEMS, known)]


def _opening(flags: int, machine: str, *, older: bool, asked: bool) -> Program:
    """Return the rule of a call that opens files, whose flags are that argument."""
    rule: Program = []
    if older:
        rule += bpf.refuse_masked(flags, TRUNCATES | ACCESS_MODE, TRUNCATES)
    rule += bpf.refuse_bits_where(flags, MAKES_A_FILE, flags + 1, SET_ANY_ID)
    if asked:
        # As the C libraries open memory and locks with a name, and few open anything else.
        named = _NO_FOLLOW[machine] | _CLOSE_ON_EXEC
        rule += bpf.ask_masked(flags, named | _DIRECTORY[machine] | _PATH, named)
        new = _READ_WRITE | _CREATE | _EXCLUSIVE
        rule += bpf.ask_masked(flags, 0xFFFFFFFF & ~_LARGE_FILE[machine], new)
    return [*rule, *ALLOWED]


def _rules_of_named_memory() -> dict[str, Program]:
    """Return what the C libraries do to names of memory, beside opening them.

    The older calls are asked about where a machine has them, because libraries use them.
    """
    return {
        "link": ASKED,
        "unlink": ASKED,
        "linkat": ASKED,
        "unlinkat": [*bpf.ask_masked(0, 0xFFFFFFFF, _HERE), *ALLOWED],
    }


def _pairs(allowed: tuple[int, ...]) -> Program:
    """Return the rule of pairs: one of a pair of datagrams could be connected to any file's socket.

    What is made as a raw one is a datagram's too.
    """
    if AF_UNIX in allowed:
        return bpf.only_values(0, (AF_UNIX,))
    return bpf.only_pairs(AF_UNIX, (SOCK_STREAM, SOCK_SEQPACKET), SOCKET_FLAGS)


def _sockets(allowed: tuple[int, ...], mode: _Mode) -> Program:
    if mode == "closed":
        return bpf.only_values(0, allowed)
    if mode == "open":
        # Resolvers ask for the machine's addresses by netlink; its other protocols stay shut.
        return bpf.only_families(allowed, AF_NETLINK, NETLINK_ROUTE)
    # TCP as every client asks for it; its relatives know ways around Landlock.
    tcp = SOCKET_FLAGS, SOCK_STREAM, IPPROTO_TCP
    then = ASKED if mode == "asked gate" else ALLOWED
    return bpf.only_one_protocol(allowed, (AF_INET, AF_INET6), tcp, then)
