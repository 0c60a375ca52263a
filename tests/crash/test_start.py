"""A start with the help of other processes, hit at a system call of any of them.

Whoever is hit, nothing stays at work and nothing is left half: a helper is replaced, and a run
whose own process died begins again.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from custody import api
from custody.store.workers import FEW
from support.crash import Point, leftovers
from support.sweep import Sweep, some
from support.trees import differing, picture

FILES = FEW + 100
PIPELINE = "digraph p { start [shape=Mdiamond]; done [shape=Msquare]; start -> done }"
FAULTS = {"killed": "signal=KILL", "disk full": "error=ENOSPC", "disk broken": "error=EIO"}
POINTS = [
    ("openat", 150), ("openat", 300), ("openat", 420), ("write", 2), ("write", 20), ("write", 60),
    ("write", 150), ("mkdir", 2), ("mkdirat", 3), ("mkdirat", 50), ("linkat", 1), ("linkat", 100),
    ("utimensat", 1), ("utimensat", 3), ("utimensat", 100), ("clone", 1), ("clone", 3),
    ("syncfs", 1), ("renameat", 1), ("renameat", 5), ("renameat", 13),
]  # fmt: skip
"""The n-th use of a call by one process, whichever is first to come to it."""

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


class Place(NamedTuple):
    """A source with many files, and runs over it."""

    home: Path

    @classmethod
    def make(cls, home: Path) -> Place:
        """Plant the source, and let one run go over it."""
        for number in range(FILES):
            folder = home / "project" / f"d{number % 7}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"f{number}").write_text(f"{number}\n")
        (home / "p.dot").write_text(PIPELINE)
        place = cls(home)
        assert place.run("r0").returncode == 0
        for number in range(0, FILES, 2):  # half of it has to be written, half can be linked
            (home / "project" / f"d{number % 7}" / f"f{number}").write_text(f"again {number}\n")
        return place

    def run(self, run_id: str, *prefix: str) -> subprocess.CompletedProcess[str]:
        """Start a run, or go on with it."""
        return subprocess.run(
            [
                *prefix, sys.executable, "-m", "custody", "run", "p.dot", "--workdir", "project",
                "--runsdir", "runs", "--run-id", run_id, "--resume", "--agent", "stub",
            ],
            cwd=self.home, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return a source that no run changes; each of them has a name of its own."""
    return Place.make(tmp_path_factory.mktemp("place"))


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    """Return the numbers of those runs."""
    return count(1)


@pytest.mark.req("P-11")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_start_survives(fault: str, place: Place, numbers: Iterator[int], sweep: Sweep) -> None:
    chosen = sweep.points([Point(*point) for point in POINTS], every=5, about=fault, most=2)
    sweep.over(
        chosen,
        lambda point: next(troubles(place, f"r{next(numbers)}", point, FAULTS[fault]), None),
    )


def troubles(place: Place, run_id: str, point: Point, fault: str) -> Iterator[str]:
    """Hit one run at one point, start it again, and yield what is wrong afterwards."""
    hit = place.run(
        run_id, "strace", "-f", "-q", "-o", "/dev/null", "-e", f"trace={point.call}",
        "-e", f"inject={point.call}:{fault}:when={point.number}",
    )  # fmt: skip
    if "Traceback" in hit.stderr:
        yield f"a traceback: {hit.stderr}"
    again = place.run(run_id)
    if again.returncode != 0:
        yield f"it ended with {again.returncode}: {again.stderr}"
    run = place.home / "runs" / run_id
    if other := differing(picture(place.home / "project"), picture(run / "workspace")):
        yield f"not the source: {other[:4]}"
    if left := leftovers(place.home / "runs"):
        yield f"left behind: {left}"
    if mismatches := api.verify(str(run)).mismatches:
        yield f"does not verify: {mismatches}"


@pytest.mark.req("G-25")
@pytest.mark.parametrize("number", some("syncs of a start", range(1, 9), 3))
def test_a_run_appears_with_its_manifest_or_not_at_all(number: int, tmp_path: Path) -> None:
    (tmp_path / "p.dot").write_text(PIPELINE)
    (tmp_path / "project").mkdir()
    place = Place(tmp_path)
    place.run(
        "r1", "strace", "-f", "-q", "-o", "/dev/null", "-e", "trace=fsync",
        "-e", f"inject=fsync:signal=KILL:when={number}",
    )  # fmt: skip
    runs = str(tmp_path / "runs")
    assert [row.problem for row in api.list_runs(runs) if row.status == "BROKEN"] == []
    if not api.list_runs(runs) and (tmp_path / "runs").exists():
        assert [one.run_id for one in api.list_starts(runs)] in (["r1"], [])
    assert place.run("r2").returncode == 0
    assert api.list_starts(runs) == []
