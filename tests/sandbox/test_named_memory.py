"""Memory and locks with a name work at L2, are a line's own, and lead to nothing of the machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from custody.model.request import Command
from custody.sandbox.named_memory import MOST
from support.sandboxes import Site

BEGIN = """
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def opened(name, flags, mode=0o600):
    file = libc.shm_open(name.encode(), flags, mode)
    return file if file >= 0 else errno.errorcode[ctypes.get_errno()]
def said(result):
    return 'ok' if isinstance(result, int) else result
def removed(name):
    return 'ok' if libc.shm_unlink(name.encode()) == 0 else errno.errorcode[ctypes.get_errno()]
NEW, THERE = os.O_RDWR | os.O_CREAT, os.O_RDWR
"""

pytestmark = pytest.mark.req("G-28")


def told(site: Site, text: str, *arguments: str) -> list[str]:
    ran = site.run(site.confinement("L2"), sys.executable, "-c", BEGIN + text, *arguments)
    assert ran.result.succeeded, ran
    return ran.stdout.splitlines()


@pytest.fixture
def name() -> Iterator[str]:
    """Return a name that nobody has given yet, and that is of nobody afterwards."""
    name = f"custody-test-{os.urandom(6).hex()}"
    yield name
    Path(f"/dev/shm/{name}").unlink(missing_ok=True)


def test_a_name_is_what_a_name_is(site: Site, name: str) -> None:
    text = """
name = '/' + sys.argv[1]
print(opened(name, THERE))
one = opened(name, NEW)
os.write(one, b'hello')
print(opened(name, NEW | os.O_EXCL), os.get_inheritable(one), oct(os.fstat(one).st_mode))
two = opened(name, os.O_RDONLY)
print(os.read(two, 9), os.lseek(one, 0, os.SEEK_CUR))
try: os.write(two, b'x')
except OSError as error: print(errno.errorcode[error.errno])
os.ftruncate(one, 8192)
three = opened(name, NEW | os.O_TRUNC)
print(os.fstat(one).st_size)
print(removed(name), removed(name), opened(name, THERE))
os.write(one, b'still')
"""
    assert told(site, text, name) == [
        "ENOENT", "EEXIST False 0o100600", "b'hello' 5", "EBADF", "0", "ok ENOENT ENOENT",
    ]  # fmt: skip


def test_a_lock_is_linked_and_removed(site: Site, name: str) -> None:
    text = """
path = '/dev/shm/' + sys.argv[1]
def called(act, *paths):
    paths = [path.encode() for path in paths]
    return 'ok' if act(*paths) == 0 else errno.errorcode[ctypes.get_errno()]
link, unlink = libc.link, libc.unlink
print(called(link, path, path + '2'), called(unlink, path))
os.write(opened('/' + sys.argv[1], NEW), b'one')
print(called(link, path, path + '2'), called(link, path, path + '2'), called(unlink, path))
print(os.read(opened('/' + sys.argv[1] + '2', THERE), 9), called(unlink, path + '2'))
print(called(link, 'kept.txt', path), called(link, path, 'kept2.txt'))
"""
    assert told(site, text, name) == ["ENOENT ENOENT", "ok EEXIST ok", "b'one' ok", "EXDEV ENOENT"]


@pytest.mark.req("G-02")
def test_names_are_those_of_a_line_and_nothing_is_left(site: Site, name: str) -> None:
    make = "print(opened('/' + sys.argv[1], NEW) != 'EEXIST'); opened('/' + sys.argv[1] + '.', NEW)"
    look = "print(said(opened('/' + sys.argv[1], THERE)))"
    ran = site.chain(
        site.confinement("L2"),
        Command(argv=(sys.executable, "-c", BEGIN + make, name)),
        Command(argv=(sys.executable, "-c", BEGIN + look, name), joined_by="&&"),
    )
    assert ran.stdout == "True\nok\n", ran
    assert told(site, look, name) == ["ENOENT"]
    assert {left for left in os.listdir("/dev/shm") if name in left} == set()


@pytest.mark.req("G-08")
def test_what_others_have_there_is_out_of_reach(site: Site, name: str) -> None:
    theirs = Path(f"/dev/shm/{name}")
    theirs.write_text("theirs")
    text = """
path = '/dev/shm/' + sys.argv[1]
print(opened('/' + sys.argv[1], THERE), removed('/' + sys.argv[1]))
for act in (lambda: open(path), lambda: open(path, 'a'), lambda: os.rename(path, path + '2'),
            lambda: os.truncate(path, 0), lambda: os.unlink('/dev/../' + path),
            lambda: os.unlink('/dev/shm//' + sys.argv[1])):
    try: act()
    except OSError as error: print(errno.errorcode[error.errno])
print(said(opened('/' + sys.argv[1], NEW)), removed('/' + sys.argv[1]))
"""
    said = told(site, text, name)
    assert said == ["ENOENT ENOENT", *["EACCES"] * 6, "ok ok"]
    assert theirs.read_text() == "theirs"


def test_other_files_are_as_they_were(site: Site) -> None:
    text = """
import tempfile
with tempfile.TemporaryDirectory(dir='.') as folder:
    file = os.open(folder + '/f', os.O_RDWR | os.O_CREAT | os.O_EXCL)
    os.link(folder + '/f', folder + '/g')
    os.unlink(folder + '/f')
    print(os.listdir(folder), os.open(folder + '/g', os.O_NOFOLLOW) > 0)
    os.symlink('g', folder + '/l')
    try: os.open(folder + '/l', os.O_NOFOLLOW)
    except OSError as error: print(errno.errorcode[error.errno])
for path in ('/dev/shm', '/dev/shm/', '/dev/shm/.', '/dev/shm/..', '/dev/shm/a/b', ''):
    try: os.unlink(path)
    except OSError as error: print(errno.errorcode[error.errno], end=' ')
print(libc.unlink(ctypes.c_void_p(-1)), libc.unlink(None))
"""
    first, second, third = told(site, text)
    assert (first, second) == ("['g'] True", "ELOOP")
    assert third.endswith(" -1 -1")
    assert "ok" not in third


def test_there_are_not_too_many(site: Site) -> None:
    text = f"""
for number in range({MOST} + 1):
    file = opened(f'/n{{number}}', NEW)
    if isinstance(file, int): os.close(file)
print(number, file, removed('/n0'), said(opened('/one-more', NEW)))
"""
    assert told(site, text) == [f"{MOST} ENOSPC ok ok"]


RACE = """
import threading
mine, theirs = b'/dev/shm/mine', b'/dev/shm/' + sys.argv[1].encode()
opened('/mine', NEW)
path = ctypes.create_string_buffer(mine, 300)
stop = False
def swap():
    while not stop:
        path.value = theirs
        path.value = mine
thread = threading.Thread(target=swap)
thread.start()
found = set()
for _ in range(3000):
    file = libc.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    if file >= 0:
        found.add(os.pread(file, 9, 0))
        os.close(file)
    libc.unlink(theirs)
stop = True
thread.join()
print(found)
"""


@pytest.mark.req("G-08")
def test_a_path_that_changes_meanwhile_leads_nowhere_else(site: Site, name: str) -> None:
    Path(f"/dev/shm/{name}").write_text("theirs")
    assert told(site, RACE, name) == ["{b''}"]
    assert Path(f"/dev/shm/{name}").read_text() == "theirs"


LOCKS = """
import multiprocessing
from multiprocessing import shared_memory
processes = multiprocessing.get_context("fork")
with processes.Lock(), processes.Pool(2) as pool:
    print(pool.map(abs, [-1, -2]))
one = shared_memory.SharedMemory(create=True, size=100)
two = shared_memory.SharedMemory(one.name)
two.buf[0] = 7
print(one.buf[0])
one.unlink()
"""

if os.geteuid() == 0:

    def test_another_user_gets_its_own(site: Site) -> None:
        os.chown(site.workspace, 65534, 65534)
        site.environment["PATH"] = "/usr/local/bin:/usr/bin:/bin"
        other = msgspec.structs.replace(site.confinement("L2"), user=65534)
        ran = site.run(other, "python3", "-c", LOCKS)
        assert ran.stdout.splitlines() == ["[1, 2]", "7"], ran

else:

    def test_who_lets_nobody_look_at_it_has_none(site: Site) -> None:
        """Of root nobody is out of sight."""
        hidden = "libc.prctl(4, 0, 0, 0, 0); print(opened('/x', NEW))"
        assert told(site, hidden) == ["EACCES"]
