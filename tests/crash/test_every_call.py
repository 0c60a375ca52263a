"""A run is hit at every write, sync, rename and link it makes, and must come out the same.

Killed there, or told that the disk is full or broken, it can be resumed: the same final state
with the same hashes, no event lost or doubled, no half file, no finished stage run again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import pytest

from custody import api
from support.crash import LANDMARKS, Place, Point, fingerprint, leftovers, points, remove
from support.sweep import Sweep, chunks

CHUNKS = chunks(8)
EVERY = 150
KILL = "signal=KILL"
FAULTS = {"killed": KILL, "disk full": "error=ENOSPC", "disk broken": "error=EIO"}
MOST = {"killed": 12, "disk full": 2, "disk broken": 2}
"""How many points one run of the tests tries: a kill is tried at every landmark."""

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


class Whole(NamedTuple):
    """A run that nothing happens to: the calls it makes, and its state at the end."""

    points: list[Point]
    state: list[str]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Return what is to be known of a run that nothing happens to."""
    place = Place.make(tmp_path_factory.mktemp("whole") / "p")
    found = points(place)
    return Whole(found, fingerprint(place.run_directory))


@pytest.mark.req("P-11", "G-21")
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_run_survives(fault: str, chunk: int, tmp_path: Path, whole: Whole, sweep: Sweep) -> None:
    chosen = sweep.points(
        whole.points, every=EVERY, about=fault, must=LANDMARKS,
        kind=attrgetter("landmark"), most=MOST[fault], chunk=chunk, chunks=len(CHUNKS),
    )  # fmt: skip
    sweep.over(
        chosen,
        lambda point: trouble_after(point, FAULTS[fault], tmp_path / str(point), whole.state),
    )


def trouble_after(point: Point, fault: str, home: Path, expected: list[str]) -> str:
    """Hit a run at one point, resume it, and return what is wrong afterwards, if anything."""
    trouble = next(troubles(Place.make(home), point, fault, expected), "")
    if not trouble:
        remove(home)
    return trouble


def troubles(place: Place, point: Point, fault: str, expected: list[str]) -> Iterator[str]:
    """Yield what is wrong, step by step."""
    hit = place.hit(point, fault)
    if fault == KILL and place.outlived(hit, point):
        yield f"was not killed: {hit.returncode} {hit.stderr}"
    if fault != KILL and hit.returncode not in (0, 1):
        yield f"ended with {hit.returncode}: {hit.stderr}"
    if "Traceback" in hit.stderr:
        yield f"a traceback: {hit.stderr}"
    if place.run_directory.exists() and (found := api.verify(str(place.run_directory)).mismatches):
        yield f"does not verify before it is resumed: {found}"
    resumed = place.run()
    if resumed.returncode != 0:
        yield f"resume ended with {resumed.returncode}: {resumed.stderr}"
    if other := set(fingerprint(place.run_directory)) ^ set(expected):
        yield f"another state: {sorted(other)[:4]}"
    if left := leftovers(place.home / "runs"):
        yield f"left behind: {left}"
    if mismatches := api.verify(str(place.run_directory)).mismatches:
        yield f"does not verify: {mismatches}"


def test_the_harness_would_notice(tmp_path: Path) -> None:
    """A run that is changed by hand after its end has another fingerprint."""
    place = Place.make(tmp_path / "p")
    assert place.run().returncode == 0
    before = fingerprint(place.run_directory)
    (place.run_directory / "workspace" / "app.txt").write_text("half")
    assert fingerprint(place.run_directory) != before
    os.truncate(place.run_directory / "nodes" / "fix" / "1.2" / "response.md", 3)
    assert api.verify(str(place.run_directory)).mismatches
