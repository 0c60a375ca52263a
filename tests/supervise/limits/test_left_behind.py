"""System V memory and queues are counted although no process has them."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from custody.model.limits import MIB, StageLimits
from custody.supervise.limits.left_behind import LeftBehindMeter
from support.sandboxes import Site

SMALL = StageLimits(memory=64 * MIB)
SEGMENTS = """key shmid size nattch rss swap
0 1 99999999 0 4096 0
0 2 99999999 1 8192 8192
0 3 99999999 0 4096 12288
"""
QUEUES = "key msqid perms cbytes qnum\n0 4 600 100 1\n0 5 600 11 2\n"
LEAVE = """
import ctypes, sys, time
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
size = int(sys.argv[1]) << 20
place = libc.shmat(libc.shmget(0, size, 0o1600), None, 0)
ctypes.memset(place, 1, size)
if len(sys.argv) < 3: libc.shmdt(ctypes.c_void_p(place))
time.sleep(1.5)
"""

pytestmark = pytest.mark.req("G-09")


def meter(proc: Path, memory: int) -> LeftBehindMeter:
    return LeftBehindMeter(StageLimits(memory=memory), proc=str(proc))


def test_what_nobody_has_counts_and_what_is_in_queues(tmp_path: Path) -> None:
    (tmp_path / "sysvipc").mkdir()
    (tmp_path / "sysvipc/shm").write_text(SEGMENTS)
    (tmp_path / "sysvipc/msg").write_text(QUEUES)
    whole = 4096 + 4096 + 12288 + 111
    found = meter(tmp_path, whole)
    assert (found.exceeded(), found.memory) == (None, whole)
    assert meter(tmp_path, whole - 1).exceeded() == "memory"


def test_a_kernel_may_have_none_of_it(tmp_path: Path) -> None:
    assert meter(tmp_path, 1).exceeded() is None


def test_the_kernel_tells_what_is_looked_for() -> None:
    if os.path.exists("/proc/sysvipc"):
        found = meter(Path("/proc"), 1 << 60)
        assert (found.exceeded(), found.memory >= 0) == (None, True)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("40",), ""),
        (("40", "attached"), ""),
        (("90",), "limit_exceeded: memory (64M)"),
    ],
)
def test_memory_that_is_attached_counts_once(
    site: Site, words: tuple[str, ...], reason: str
) -> None:
    small = msgspec.structs.replace(site.confinement("L3"), limits=SMALL)
    assert site.run(small, "python3", "-c", LEAVE, *words).result.failure_reason == reason
