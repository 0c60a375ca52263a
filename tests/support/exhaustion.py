"""Ways to use a machine up, each as a few lines of Python that take three times what is allowed.

Each stops by itself, so that it does no harm where nothing holds it; and holds on to what it has
for a while, so that whoever looks now and then can see it. `custody`'s levels are tried in
tests/hostile/test_limits.py, other sandboxes in benchmarks/subjects/attacks.py.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from custody.model.limits import MIB, StageLimits

SMALL = StageLimits(
    processes=24,
    memory=96 * MIB,
    open_files=300,
    file_size=4 * MIB,
    written=8 * MIB,
    files=150,
)
"""What the attacks are held to."""

BEGIN = """
import ctypes, mmap, os, sys, threading, time
MIB = 1 << 20
refused = []
def hold(): time.sleep(float(sys.argv[2]) if len(sys.argv) > 2 else 20)
def fork(work):
    try: child = os.fork()
    except BlockingIOError as error: return refused.append(error)
    if child == 0:
        work()
        os._exit(0)
def fill(name, size):
    with open(name, 'wb') as file:
        for _ in range(size): file.write(b'x' * MIB)
"""


class Attack(NamedTuple):
    """What it does, and the limit that it exceeds."""

    limit: str
    text: str


ATTACKS = {
    "processes": Attack("processes (24)", "for _ in range(72): fork(hold)\nhold()"),
    "daemons": Attack(
        "processes (24)",
        """
def away():
    os.setsid()
    fork(hold)
for _ in range(72): fork(away)
hold()
""",
    ),
    "fork_bomb": Attack(
        "processes (24)",
        """
def double(depth):
    if depth:
        fork(lambda: double(depth - 1))
        fork(lambda: double(depth - 1))
    hold()
double(6)
""",
    ),
    "threads": Attack(
        "processes (24)",
        """
for _ in range(72):
    try: threading.Thread(target=hold, daemon=True).start()
    except RuntimeError: break
hold()
""",
    ),
    "processes_out_of_sight": Attack(
        "processes (24)",
        """
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
for _ in range(72): fork(hold)
hold()
""",
    ),
    "zombies": Attack("processes (24)", "for _ in range(72): fork(lambda: None)\nhold()"),
    "memory": Attack("memory (96M)", "kept = b'x' * (288 * MIB)\nhold()"),
    "memory_out_of_sight": Attack(
        "memory (96M)",
        "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\nkept = b'x' * (288 * MIB)\nhold()",
    ),
    "memory_of_many": Attack(
        "memory (96M)",
        """
def take():
    kept = b'x' * (36 * MIB)
    hold()
for _ in range(8): fork(take)
hold()
""",
    ),
    "shared_memory": Attack(
        "memory (96M)",
        """
kept = mmap.mmap(-1, 288 * MIB)
for at in range(0, 288 * MIB, 4096): kept[at] = 1
hold()
""",
    ),
    "named_memory": Attack(
        "memory (96M)",
        """
for number in range(4):
    file = ctypes.CDLL(None).shm_open(f'/custody-{os.getpid()}-{number}'.encode(), 0o102, 0o600)
    try:
        for _ in range(72): os.write(file, b'x' * MIB)
    except OSError: break
    os.close(file)
hold()
""",
    ),
    "memory_file": Attack(
        "memory (96M)",
        """
file = os.memfd_create('kept')
for _ in range(288): os.write(file, b'x' * MIB)
hold()
""",
    ),
    "page_tables": Attack(
        "memory (96M)",
        """
kept = mmap.mmap(-1, 160 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
for at in range(0, 144 << 30, 2 * MIB): kept[at]
hold()
""",
    ),
    "open_files": Attack(
        "open_files (300)",
        """
kept = []
try:
    for _ in range(900): kept.append(os.open('/dev/null', os.O_RDONLY))
except OSError as error: refused.append(error)
hold()
""",
    ),
    "open_files_of_many": Attack(
        "open_files (300)",
        """
def take():
    kept = [os.open('/dev/null', os.O_RDONLY) for _ in range(150)]
    hold()
for _ in range(6): fork(take)
hold()
""",
    ),
    "open_files_out_of_sight": Attack(
        "open_files (300)",
        """
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
def take():
    kept = [os.open('/dev/null', os.O_RDONLY) for _ in range(150)]
    hold()
for _ in range(6): fork(take)
hold()
""",
    ),
    "big_file": Attack("file_size (4M)", "fill('big', 7)"),
    "big_file_at_once": Attack(
        "file_size (4M)",
        "file = os.open('big', os.O_CREAT | os.O_WRONLY)\nos.posix_fallocate(file, 0, 7 * MIB)",
    ),
    "written": Attack("written (8M)", "for item in range(8): fill(f'part{item}', 3)"),
    "written_to_the_cache": Attack(
        "written (8M)",
        "for item in range(8): fill(sys.argv[1] + f'/part{item}', 3)",
    ),
    "written_over_and_over": Attack(
        "written (8M)",
        """
for item in range(8):
    fill(f'part{item}', 3)
    os.rename(f'part{item}', f'moved{item}')
    os.utime(f'moved{item}', (1, 1))
""",
    ),
    "removed_while_open": Attack(
        "written (8M)",
        """
kept = open('gone', 'wb')
os.unlink('gone')
for _ in range(24): kept.write(b'x' * MIB)
kept.flush()
hold()
""",
    ),
    "many_files": Attack("files (150)", "for item in range(450): open(f'f{item}', 'w').close()"),
    "many_folders": Attack("files (150)", "for item in range(450): os.mkdir(f'd{item}')"),
    "many_links": Attack("files (150)", "for item in range(450): os.symlink('x', f'l{item}')"),
    "many_names": Attack(
        "files (150)",
        "open('one', 'w').close()\nfor item in range(450): os.link('one', f'n{item}')",
    ),
    "written_to_a_closed_folder": Attack(
        "written (8M)",
        """
os.mkdir('closed')
os.chmod('closed', 0o300)
for item in range(40): fill(f'closed/part{item}', 2)
hold()
""",
    ),
    "deep_folders": Attack(
        "files (150)", "for _ in range(160):\n    os.mkdir('d')\n    os.chdir('d')"
    ),
    "deep_file": Attack(
        "file_size (4M)",
        """
for _ in range(140):
    os.mkdir('d')
    os.chdir('d')
fill('deep', 6)
""",
    ),
}
"""Wherever programs are confined."""

AT_L3 = {
    "tmp_filled": Attack(
        "memory (96M)",
        """
try: fill('/tmp/big', 288)
except OSError: pass
""",
    ),
    "shm_filled": Attack(
        "memory (96M)",
        """
try: fill('/dev/shm/big', 288)
except OSError: pass
hold()
""",
    ),
    "tmp_and_memory": Attack(
        "memory (96M)", "fill('/tmp/big', 60)\nkept = b'x' * (60 * MIB)\nhold()"
    ),
    "segments_left": Attack(
        "memory (96M)",
        """
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
for _ in range(9):
    place = libc.shmat(libc.shmget(0, 32 * MIB, 0o1600), None, 0)
    ctypes.memset(place, 1, 32 * MIB)
    libc.shmdt(ctypes.c_void_p(place))
hold()
""",
    ),
    "segments_and_memory": Attack(
        "memory (96M)",
        """
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
place = libc.shmat(libc.shmget(0, 60 * MIB, 0o1600), None, 0)
ctypes.memset(place, 1, 60 * MIB)
libc.shmdt(ctypes.c_void_p(place))
kept = b'x' * (60 * MIB)
hold()
""",
    ),
    "messages": Attack(
        "memory (96M)",
        """
libc = ctypes.CDLL(None)
text = ctypes.create_string_buffer(b'x', 8 + 8000)
for _ in range(288 * MIB // 16000):
    queue = libc.msgget(0, 0o1600)
    while libc.msgsnd(queue, text, 8000, 0o4000) == 0: pass
hold()
""",
    ),
    "many_files_in_tmp": Attack(
        "files (150)", "for item in range(450): open(f'/tmp/f{item}', 'w').close()"
    ),
}
"""Where there is a private /tmp; at L2 none can be written."""

TAKEN = (
    "processes", "memory", "shared_memory", "memory_file", "open_files", "big_file",
    "big_file_at_once", "written", "removed_while_open", "many_files", "many_folders", "many_links",
    "many_names", "deep_folders",
)  # fmt: skip
"""Those that know by themselves whether they got all that they wanted."""
END = """
if refused: raise refused[0]
print('taken')
"""
"""What follows them then."""

HARMLESS = {
    "sparse_file": """
with open('sparse', 'wb') as file: file.truncate(1 << 40)
assert os.stat('sparse').st_size == 1 << 40
""",
    "some_processes": "for _ in range(10): fork(lambda: time.sleep(0.4))\ntime.sleep(0.4)",
    "processes_in_turn": """
for _ in range(80):
    fork(lambda: None)
    os.wait()
""",
    "shared_by_many": """
kept = b'x' * (40 * MIB)
for _ in range(10): fork(lambda: time.sleep(0.8))
time.sleep(0.8)
""",
    "reserved_memory": """
kept = mmap.mmap(-1, 8192 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
time.sleep(0.4)
""",
    "files_in_turn": """
for _ in range(200):
    open('again', 'w').close()
    os.unlink('again')
""",
    "some_files": "for item in range(20): open(f'f{item}', 'w').write('x')",
    "closed_folder": "os.mkdir('closed')\nopen('closed/f', 'w').close()\nos.chmod('closed', 0)",
}
"""What looks like much and is not."""

HARMLESS_LIMITS = {"closed_folder": msgspec.structs.replace(SMALL, written=1024 * MIB)}
"""Limits of those that are not held to the small ones: what is in a folder that its owner cannot
look into is told by the free space of the disk, and whoever runs beside it takes from that, too."""
