"""The kernel's calls that Python does not offer, for the two machines that are known.

Everything is looked up when the module is loaded: the process server loads it before it forks,
and takes no lock afterwards. Every call raises `OSError` with the name of what failed.
"""

from __future__ import annotations

import ctypes
import os

MACHINE = os.uname().machine

_SAME_EVERYWHERE = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "clone3": 435, "openat2": 437, "pidfd_getfd": 438, "mount_setattr": 442, "quotactl_fd": 443,
    "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446,
    "process_madvise": 440, "process_mrelease": 448, "fchmodat2": 452, "setxattrat": 463,
    "removexattrat": 466, "open_tree_attr": 467, "file_setattr": 469,
}  # fmt: skip
_X86_64 = {
    "open": 2, "ioctl": 16, "shmget": 29, "shmat": 30, "shmctl": 31, "socket": 41, "sendto": 44,
    "sendmsg": 46, "listen": 50, "socketpair": 53, "clone": 56, "semget": 64, "semop": 65,
    "semctl": 66, "msgget": 68, "msgsnd": 69, "msgrcv": 70, "msgctl": 71, "fcntl": 72, "creat": 85,
    "chmod": 90, "fchmod": 91, "ptrace": 101, "syslog": 103, "setgroups": 116, "setresuid": 117,
    "setresgid": 119, "capset": 126, "mknod": 133, "uselib": 134, "personality": 135,
    "vhangup": 153, "modify_ldt": 154, "pivot_root": 155, "chroot": 161, "acct": 163,
    "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168,
    "reboot": 169, "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173,
    "init_module": 175, "delete_module": 176, "quotactl": 179, "lookup_dcookie": 212,
    "semtimedop": 220, "clock_settime": 227, "mq_open": 240, "mq_unlink": 241, "kexec_load": 246,
    "add_key": 248, "request_key": 249, "keyctl": 250, "openat": 257, "mknodat": 259,
    "fchmodat": 268, "unshare": 272, "perf_event_open": 298, "fanotify_init": 300,
    "name_to_handle_at": 303, "open_by_handle_at": 304, "sendmmsg": 307, "setns": 308,
    "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313,
    "renameat2": 316, "seccomp": 317, "memfd_create": 319, "kexec_file_load": 320, "bpf": 321,
    "userfaultfd": 323,
    "truncate": 76, "link": 86, "unlink": 87, "setpriority": 141, "sched_setparam": 142,
    "sched_setscheduler": 144, "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190,
    "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199, "sched_setaffinity": 203,
    "ioprio_set": 251, "migrate_pages": 256, "get_robust_list": 274, "move_pages": 279,
    "prlimit64": 302, "sched_setattr": 314,
}  # fmt: skip
_AARCH64 = {
    "lookup_dcookie": 18, "fcntl": 25, "ioctl": 29, "mknodat": 33, "umount2": 39, "mount": 40,
    "pivot_root": 41, "chroot": 51, "fchmod": 52, "fchmodat": 53, "openat": 56, "vhangup": 58,
    "quotactl": 60, "acct": 89, "capset": 91, "personality": 92, "unshare": 97, "kexec_load": 104,
    "init_module": 105, "delete_module": 106, "clock_settime": 112, "syslog": 116, "ptrace": 117,
    "reboot": 142, "setresuid": 147, "setresgid": 149, "setgroups": 159, "sethostname": 161,
    "setdomainname": 162, "settimeofday": 170, "mq_open": 180, "mq_unlink": 181, "msgget": 186,
    "msgctl": 187, "msgrcv": 188, "msgsnd": 189, "semget": 190, "semctl": 191, "semtimedop": 192,
    "semop": 193, "shmget": 194, "shmctl": 195, "shmat": 196, "socket": 198, "socketpair": 199,
    "listen": 201, "sendto": 206, "sendmsg": 211, "add_key": 217, "request_key": 218,
    "keyctl": 219, "clone": 220, "swapon": 224, "swapoff": 225, "perf_event_open": 241,
    "fanotify_init": 262, "name_to_handle_at": 264, "open_by_handle_at": 265, "setns": 268,
    "sendmmsg": 269, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272,
    "finit_module": 273, "renameat2": 276, "seccomp": 277, "memfd_create": 279, "bpf": 280,
    "userfaultfd": 282,
    "kexec_file_load": 294, "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14,
    "lremovexattr": 15, "fremovexattr": 16, "ioprio_set": 30, "truncate": 45,
    "get_robust_list": 100, "sched_setparam": 118, "sched_setscheduler": 119,
    "sched_setaffinity": 122, "setpriority": 140, "migrate_pages": 238, "move_pages": 239,
    "prlimit64": 261, "sched_setattr": 274, "unlinkat": 35, "linkat": 37,
}  # fmt: skip
NUMBERS = {
    "x86_64": _X86_64 | _SAME_EVERYWHERE,
    "aarch64": _AARCH64 | _SAME_EVERYWHERE,
}
"""What each machine calls each call."""
AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""How a seccomp filter is told which machine a call was made for."""

_HERE = NUMBERS.get(MACHINE, {})
# A call that clones this process must not let go of the interpreter's lock.
_library = ctypes.PyDLL(None, use_errno=True)
_syscall = _library.syscall
_syscall.restype = ctypes.c_long
_prctl = _library.prctl
_mount = _library.mount
_umount2 = _library.umount2
_sethostname = _library.sethostname

AT_EMPTY_PATH = 0x1000
AT_RECURSIVE = 0x8000
CLONE_TREE = 1 | os.O_CLOEXEC | AT_RECURSIVE
"""Of `open_tree`: all that is mounted below, once more."""
_FROM_DESCRIPTOR = 4
MNT_DETACH = 2


def is_known_machine() -> bool:
    """Whether the numbers of this machine's calls are known."""
    return bool(_HERE)


def call(name: str, *arguments: object) -> int:
    """Make the call of that name; whole numbers go as machine words."""
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    return checked(_syscall(ctypes.c_long(_HERE[name]), *words), name)


def prctl(option: int, *arguments: int) -> int:
    """Change something about this process."""
    words = [ctypes.c_ulong(word) for word in (*arguments, 0, 0, 0, 0)[:4]]
    return checked(_prctl(option, *words), f"prctl {option}")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount a file system."""
    names = [os.fsencode(text) for text in (source, target, kind)]
    checked(_mount(*names, ctypes.c_ulong(flags), os.fsencode(options)), f"mount of {kind}")


def put_tree(tree: int, place: str) -> None:
    """Mount what `open_tree` has given, and let go of its descriptor."""
    call("move_mount", tree, b"", -100, os.fsencode(place), _FROM_DESCRIPTOR)
    os.close(tree)


def detach(path: str) -> None:
    """Take a mount and everything below it away."""
    checked(_umount2(os.fsencode(path), MNT_DETACH), "umount")


def set_host_name(name: str) -> None:
    """Give the machine another name, in this namespace."""
    data = name.encode()
    checked(_sethostname(data, ctypes.c_size_t(len(data))), "sethostname")


def checked(result: int, what: str) -> int:
    """Return the result of a call, or raise what it failed with."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return int(result)
