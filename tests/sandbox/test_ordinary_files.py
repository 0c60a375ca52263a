"""A workspace is an ordinary file system: what build tools do to files works at every level."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support.sandboxes import CONFINED, LEVELS, Site
from support.sweep import paired, some

OPERATIONS = {
    "rename a file into another folder": "os.rename('one/file', 'two/file')",
    "rename a folder into another folder": "os.rename('one/inner', 'two/inner')",
    "exchange two files": "call_renameat2(b'one/file', b'two/other', 2)",
    "replace a file of another folder": "os.replace('one/file', 'two/other')",
    "move what was there before": "os.rename('kept.txt', 'two/kept.txt')",
    "link into another folder (cargo, go)": "os.link('one/file', 'two/linked')",
    "link by a descriptor (uv)": """
file = os.open('one', os.O_TMPFILE | os.O_WRONLY, 0o644)
os.write(file, b'x')
os.link(f'/proc/self/fd/{file}', 'two/named', follow_symlinks=True, dst_dir_fd=os.open('.', 0))
""",
    "symlinks (npm)": "os.symlink('../one', 'two/up'); assert os.listdir('two/up')",
    "lock a whole file (cargo, pip)": "fcntl.flock(open('lock', 'w'), fcntl.LOCK_EX)",
    "lock a part of a file (sqlite)": "fcntl.lockf(open('lock', 'w'), fcntl.LOCK_EX, 1, 100)",
    "shared memory of a file (git, sqlite)": """
file = open('mapped', 'w+b')
file.truncate(8192)
memory = mmap.mmap(file.fileno(), 8192)
memory[5000] = 7
memory.flush()
assert open('mapped', 'rb').read()[5000] == 7
""",
    "allocate (sqlite)": "os.posix_fallocate(os.open('big', os.O_CREAT | os.O_RDWR), 0, 1 << 20)",
    "copy by the kernel (go, cp)": """
os.copy_file_range(os.open('one/file', 0), os.open('copy', os.O_CREAT | os.O_WRONLY), 1)
""",
    "times (make, cargo)": "os.utime('one/file', (1, 2)); assert os.stat('one/file').st_mtime == 2",
    "times to the nanosecond": """
os.utime('one/file', ns=(1, 1_000_000_123))
assert os.stat('one/file').st_mtime_ns == 1_000_000_123
""",
    "modes": "os.chmod('one/file', 0o755); assert os.access('one/file', os.X_OK)",
    "a pipe with a name (make -j)": """
os.mkfifo('fifo')
if os.fork() == 0:
    open('fifo', 'w').write('x')
    os._exit(0)
assert open('fifo').read() == 'x'
os.unlink('fifo')
""",
    "sync": "file = open('one/file', 'a'); os.fsync(file.fileno()); os.fdatasync(file.fileno())",
    "watch (webpack)": "assert libc.inotify_add_watch(libc.inotify_init1(0), b'one', 2) >= 0",
    "a pair of sockets (git, npm)": "a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1)",
    "own priority (nice)": "os.setpriority(os.PRIO_PROCESS, 0, os.nice(1))",
    "own limits (ulimit)": "resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))",
    "own processors": "os.sched_setaffinity(0, os.sched_getaffinity(0))",
    "locks of processes (multiprocessing)": """
import multiprocessing
processes = multiprocessing.get_context("fork")
with processes.Lock(), processes.Pool(2) as pool:
    assert pool.map(abs, [-1, -2]) == [1, 2]
""",
    "memory of processes (multiprocessing)": """
from multiprocessing import shared_memory
block = shared_memory.SharedMemory(create=True, size=100)
block.buf[0] = 1
block.close()
block.unlink()
""",
    "the temporary folder": "open(tempfile.mkstemp()[1], 'w').write('x'); tempfile.mkdtemp()",
    "move from the temporary folder": "shutil.move(tempfile.mkstemp()[1], 'two/moved')",
    "remove a tree": "shutil.rmtree('one'); os.mkdir('one')",
    "copy with everything about it (cp -a)": "subprocess.run(['cp', '-a', 'one', 'c'], check=True)",
}
SCRIPT = """
import ctypes, fcntl, mmap, os, resource, shutil, socket, subprocess, sys, tempfile
libc = ctypes.CDLL(None, use_errno=True)
def call_renameat2(one, other, flags):
    if libc.renameat2(-100, one, -100, other, flags): raise OSError(ctypes.get_errno(), 'rename')
os.makedirs('one/inner')
os.mkdir('two')
for name in ('one/file', 'two/other'):
    open(name, 'w').write('text')
exec(sys.argv[1])
"""
LOCAL_SOCKET = """
import socket
server = socket.socket(socket.AF_UNIX)
server.bind('socket')
server.listen()
client = socket.socket(socket.AF_UNIX)
client.connect('socket')
"""


def with_temporary_folder(site: Site) -> Site:
    (site.cache / "tmp").mkdir()
    site.environment["TMPDIR"] = f"{site.cache}/tmp"
    return site


@pytest.mark.req("G-18", "G-28")
@pytest.mark.parametrize(("operation", "level"), paired("operations", OPERATIONS, LEVELS))
def test_what_build_tools_do_works(site: Site, operation: str, level: str) -> None:
    with_temporary_folder(site)
    ran = site.run(site.confinement(level), sys.executable, "-c", SCRIPT, OPERATIONS[operation])
    assert ran.result.succeeded, ran.stderr


@pytest.mark.req("G-18")
@pytest.mark.parametrize(("level", "works"), [("L1", True), ("L2", False), ("L3", True)])
def test_sockets_with_a_path_work_but_at_l2(site: Site, level: str, works: bool) -> None:
    """At L2 nothing tells a socket of the stage from one of the machine."""
    ran = site.run(site.confinement(level), sys.executable, "-c", LOCAL_SOCKET)
    assert ran.result.succeeded is works


PROJECTS = {
    "git": (
        "git init -q r && cd r && git config user.name a && git config user.email b && echo x > f"
        " && git add f && git commit -qm one && git checkout -qb other && echo y > f"
        " && git commit -qam two && git checkout -q - && git merge -q other && git gc -q"
        " && git checkout -qb third HEAD~1 && echo z > g && git add g && git commit -qm three"
        " && git rebase -q other && git log --format=%s | tr '\\n' ' ' | grep -x 'three two one '"
        " && git worktree add -q ../w && git stash list && git clone -q . ../c && git fsck"
    ),
    "make": (
        "printf 'all: a b\\n%%: src/%%.c\\n\\tcp $< $@ && mv $@ out/$@\\n' > Makefile"
        " && mkdir src out && touch src/a.c src/b.c && make -j2 && ls out/a out/b"
    ),
    "cc": (
        "printf 'prog: a.o b.o\\n\\tcc -o $@ $^\\n' > Makefile && echo 'int f(){return 7;}' > a.c"
        " && echo 'int f(); int main(){return f() - 7;}' > b.c && make -j2 && ./prog && make -q"
    ),
    "sqlite": (
        "python3 -c \"import sqlite3; d = sqlite3.connect('db'); d.execute('pragma"
        " journal_mode=wal'); d.execute('create table t(x)'); d.execute('insert into t values(1)');"
        " d.commit(); e = sqlite3.connect('db'); assert e.execute('select x from t').fetchall();"
        " e.execute('vacuum')\""
    ),
    "venv": "python3 -m venv env && env/bin/python -m pip --version",
    "pip": (
        "python3 -m venv env && env/bin/python -m pip install --no-index --no-build-isolation"
        " --find-links wheels example && env/bin/python -c 'import example'"
    ),
    "debian": "/usr/bin/python3 -c 'import ssl, sqlite3, multiprocessing'",
    "debian venv": "/usr/bin/python3 -m venv env && env/bin/python -m pip --version",
    "npm": (
        "mkdir dep && cp dep.json dep/package.json && touch dep/b.js && cp a.json package.json"
        " && npm install --offline --no-audit --no-fund ./dep && ls node_modules/.bin/dep"
    ),
    "go": (
        "mkdir m && cd m && printf 'module m\\n\\ngo 1.20\\n' > go.mod"
        " && printf 'package main\\n\\nfunc main() {}\\n' > main.go && go build -o out . && ./out"
    ),
    "cargo": (
        "cargo init -q --vcs none --name m m && cd m && cargo build -q --offline"
        " && ls target/debug/m"
    ),
    "gcc": "echo 'int main(){return 0;}' > a.c && gcc -c a.c -o a.o && gcc a.o -o a && ./a",
}

PACKAGES = {
    "dep": '{"name": "dep", "version": "1.0.0", "bin": "b.js"}',
    "a": '{"name": "a", "version": "1.0.0"}',
}


def needed(name: str) -> list[str]:
    """Return the program without which a project cannot be tried, and how it is asked."""
    alone = {"debian": ["/usr/bin/python3", "-V"], "go": ["go", "version"]}
    if name == "debian venv":
        return ["/usr/bin/python3", "-c", "import ensurepip"]
    if name in {"venv", "pip", "sqlite"}:
        return [sys.executable, "-V"]
    return alone.get(name, [name, "--version"])


@pytest.mark.req("G-18", "G-28")
@pytest.mark.parametrize(
    ("name", "level"), paired("projects", some("projects", PROJECTS, 4), CONFINED)
)
def test_projects_are_built(site: Site, name: str, level: str) -> None:
    argv = needed(name)
    program = shutil.which(argv[0])
    if not program or subprocess.run(argv, capture_output=True, check=False).returncode:
        pytest.skip(f"{argv[0]} does not work on this machine")
    with_temporary_folder(site)
    confinement = site.confinement(level)
    site.environment |= {"HOME": confinement.home, "npm_config_cache": f"{site.cache}/npm"}
    site.environment |= {"GOCACHE": f"{site.cache}/go", "GOFLAGS": "-modcacherw"}
    make_wheel(site.workspace / "wheels")
    for package, about in PACKAGES.items():
        (site.workspace / f"{package}.json").write_text(about)
    ran = site.run(confinement, "sh", "-c", PROJECTS[name], timeout=300)
    assert ran.result.succeeded, ran


def make_wheel(folder: Path) -> None:
    """Make a package that pip can install without a network."""
    folder.mkdir()
    about = "example-1.0.dist-info"
    with zipfile.ZipFile(folder / "example-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("example.py", "")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: example\nVersion: 1.0\n")
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", "")
