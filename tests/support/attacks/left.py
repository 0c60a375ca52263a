"""What is left behind: for others in the workspace, and for the next program elsewhere."""

from __future__ import annotations

from typing import NamedTuple

ATTEMPTS = {
    "setuid_file": "made('suid'); os.chmod('suid', 0o4755); has_bits('suid', 0o4000)",
    "setuid_by_descriptor": "os.fchmod(made('fsuid'), 0o4755); has_bits('fsuid', 0o4000)",
    "setuid_when_made": "made('csuid', 0o4755); has_bits('csuid', 0o4000)",
    "setuid_by_openat2": """
how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o4755, 0)
call('openat2', -100, b'osuid', how, 24)
has_bits('osuid', 0o4000)
""",
    "setuid_by_mknod": "os.mknod('nsuid', 0o104755); has_bits('nsuid', 0o4000)",
    "setgid_when_made": "made('cgid', 0o2755); has_bits('cgid', 0o2000)",
    "whiteout": "os.mknod('white', stat.S_IFCHR, 0)",
    "whiteout_by_rename": """
made('renamed')
if libc.renameat2(-100, b'renamed', -100, b'renamed2', 4) < 0:
    raise OSError(ctypes.get_errno(), '')
""",
}
"""What an ordinary user can do."""

ROOT_ATTEMPTS = {
    "mknod": "os.mknod('device', stat.S_IFCHR, os.makedev(1, 3))",
    "file_capability": """
os.close(made('capable'))
os.setxattr('capable', 'security.capability', struct.pack('<IIIII', 0x02000001, 32, 0, 0, 0))
""",
    "trusted_mark": "os.mkdir('trusted'); os.setxattr('trusted', 'trusted.overlay.opaque', b'y')",
    "file_for_good": """
file = made('for_good')
set_flags(file, 0x20)
set_flags(file)
""",
}
"""What needs root."""


class Left(NamedTuple):
    """What one program does, and how the next one finds it."""

    leave: str
    look: str


def _file_in(folder: str) -> Left:
    path = f"{folder} + '/' + g['mark']"
    return Left(f"open({path}, 'w').close()", f"open({path}).close()")


LEFT = {
    "left_in_tmp": _file_in("'/tmp'"),
    "left_in_var_tmp": _file_in("'/var/tmp'"),
    "left_in_shared_memory": _file_in("'/dev/shm'"),
    "left_in_home": _file_in("os.environ['HOME']"),
    "left_in_home_of_the_user": _file_in("pwd.getpwuid(os.getuid()).pw_dir"),
    "left_memory": Left(
        "checked(libc.shmget(g['number'], 4096, 0o1600))",
        "checked(libc.shmget(g['number'], 4096, 0o600))",
    ),
    "left_semaphore": Left(
        "checked(libc.semget(g['number'], 1, 0o1600))",
        "checked(libc.semget(g['number'], 1, 0o600))",
    ),
    "left_messages": Left(
        "checked(libc.msgget(g['number'], 0o1600))", "checked(libc.msgget(g['number'], 0o600))"
    ),
    "left_queue": Left(
        "checked(libc.mq_open(b'/' + g['mark'].encode(), os.O_CREAT | os.O_RDWR, 0o600, None))",
        "checked(libc.mq_open(b'/' + g['mark'].encode(), os.O_RDONLY))",
    ),
    "left_key": Left(
        "call('add_key', b'user', g['mark'].encode(), b'x', 1, -4)",
        "call('keyctl', 10, -4, b'user', g['mark'].encode(), 0)",
    ),
    "left_listener": Left(
        "outlive(g['mark'] + '+', lambda: listener(g['mark']))",
        "socket.socket(socket.AF_UNIX).connect('\\0' + g['mark'])",
    ),
    "left_lock": Left(
        "outlive(g['mark'] + '+', lambda: locked(g['shown'] + '/tool'))",
        "is_locked(g['shown'] + '/tool')",
    ),
}
"""What the next program may find, of the same user in the same kind of sandbox."""
OUTLIVING = {"left_process": "outlive(g['mark'])"}
"""What no program inside finds: whoever looks does so from outside."""
