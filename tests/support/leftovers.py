"""Programs that leave something for whoever comes next, and look for what others have left.

`LEAVE_AND_LOOK` first prints which marks it finds, one name a line, and then leaves its own at
every place that it can reach.
"""

from __future__ import annotations

from custody.sandbox.environment import CACHES, KEPT_CACHES

VARIABLES = ("HOME", *sorted(CACHES))
"""Variables that name a folder; a program leaves a file in each."""
FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")
CRATES = "crates"
"""A part of a cache, below its folder."""
KEPT = {CRATES, *(name for name, folder in CACHES.items() if folder in KEPT_CACHES)}
KEPT_FOLDERS = {path.partition("/")[0] for path in KEPT_CACHES}

LEAVE_AND_LOOK = f"""
import ctypes, os, pwd, sys
MARK = "left-by-custody-{{}}".format(sys.argv[1])
KEY = int(sys.argv[1]) % 1_000_000 + 9_000_000
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
places = {{name: os.environ[name] for name in {VARIABLES!r}}}
places |= {{folder: folder for folder in {FOLDERS!r}}}
places[{CRATES!r}] = os.environ["CARGO_HOME"] + "/registry"
places["home of the user"] = pwd.getpwuid(os.getuid()).pw_dir


def leave_file(folder):
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/" + MARK, "w") as file:
        file.write("left")


def open_queue(flags):
    if libc.mq_open(("/" + MARK).encode(), flags, 0o600, None) < 0:
        raise OSError(ctypes.get_errno(), "")


def open_named(flags):
    file = libc.shm_open(("/" + MARK + "-memory").encode(), flags, 0o600)
    if file < 0:
        raise OSError(ctypes.get_errno(), "")


def open_lock(flags):
    libc.sem_open.restype = ctypes.c_void_p
    if not libc.sem_open(("/" + MARK + "-lock").encode(), flags, 0o600, 1):
        raise OSError(ctypes.get_errno(), "")


def open_memory(flags):
    if libc.shmget(KEY, 4096, flags) < 0:
        raise OSError(ctypes.get_errno(), "")


look = {{name: lambda p=path: os.stat(p + "/" + MARK) for name, path in places.items()}}
look["message queue"] = lambda: open_queue(os.O_RDONLY)
look["named memory"] = lambda: open_named(os.O_RDWR)
look["named lock"] = lambda: open_lock(0)
look["shared memory"] = lambda: open_memory(0o600)
leave = {{name: lambda p=path: leave_file(p) for name, path in places.items()}}
look["attribute"] = lambda: os.getxattr("leave.py", "user." + MARK)
leave["attribute"] = lambda: os.setxattr("leave.py", "user." + MARK, b"left")
leave["message queue"] = lambda: open_queue(os.O_RDWR | os.O_CREAT)
leave["named memory"] = lambda: open_named(os.O_RDWR | os.O_CREAT)
leave["named lock"] = lambda: open_lock(os.O_CREAT)
leave["shared memory"] = lambda: open_memory(0o1600)
for name, found in look.items():
    try:
        found()
    except OSError:
        continue
    print(name)
for act in leave.values():
    try:
        act()
    except OSError:
        continue
if "clear" in sys.argv:
    for path in places.values():
        try:
            os.unlink(path + "/" + MARK)
        except OSError:
            continue
    libc.mq_unlink(("/" + MARK).encode())
    libc.shm_unlink(("/" + MARK + "-memory").encode())
    libc.sem_unlink(("/" + MARK + "-lock").encode())
    libc.shmctl(libc.shmget(KEY, 4096, 0), 0, None)
"""
OPEN_AT_L1 = {
    *FOLDERS, "home of the user", "message queue", "shared memory", "named memory", "named lock",
}  # fmt: skip
"""Where an unconfined program can leave something, whatever its variables say."""

PLANT = """
import importlib._bootstrap_external as loader, importlib.util, os
source = os.path.abspath("app.py")
state = os.stat(source)
code = compile("def answer(): return 42", source, "exec")
planted = importlib.util.cache_from_source(source)
os.makedirs(os.path.dirname(planted), exist_ok=True)
with open(planted, "wb") as file:
    file.write(loader._code_to_timestamp_pyc(code, int(state.st_mtime), state.st_size))
"""
"""Byte code that says what the source does not, in the place where Python looks for it."""
