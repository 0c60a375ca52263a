"""Runs of every kind beside each other, ended at moments of chance, with readers all the time.

When they are over every one verifies, replays and equals its undisturbed twin; no answer was asked
for twice; and no process, mount, folder or descriptor is left.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody import api
from custody.model import layout
from custody.model.confinement import LEVELS
from support.mixed.counting_agent import install, questions
from support.mixed.course import Course
from support.mixed.mixes import Mix, mix
from support.mixed.onlooker import Onlooker
from support.mixed.place import MixedPlace
from support.mixed.steps import count
from support.mixed.twins import account, differences, over_budget
from support.mixed.undisturbed import held, undisturbed
from support.remains import Remains
from support.sweep import Sweep, budget, chance, chunks
from support.trees import remove

ROUNDS = round(budget(1, 120))
BESIDE = 2
"""How many mixed runs are under way at the same time, in one runs directory."""
CHUNKS = chunks(8)

pytestmark = pytest.mark.timeout(budget(300, 7200))


@pytest.fixture(autouse=True)
def _installed(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let custody find the agent that counts."""
    site = tmp_path_factory.mktemp("site")
    install(site)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(site), str(root / "tests"))))


@pytest.mark.parametrize("chunk", CHUNKS)
def test_mixed_runs_equal_their_twins(chunk: int, tmp_path: Path, sweep: Sweep) -> None:
    numbers = sweep.points(range(ROUNDS), every=1, chunk=chunk, chunks=len(CHUNKS))
    sweep.over(numbers, lambda number: trouble_of(number, tmp_path / str(number)))


def trouble_of(number: int, home: Path) -> str:
    """Go one round: mixed runs beside each other; return what is wrong afterwards."""
    home.mkdir()
    offer = api.doctor(str(home)).offer
    levels = [level for level in LEVELS if offer.has(level)]
    mixes = [mix(number * BESIDE + place, levels) for place in range(BESIDE)]
    found = [*troubles(mixes, home, number)]
    if not found:
        remove(home)
    return "\n".join(found)


def troubles(mixes: list[Mix], home: Path, number: int) -> Iterator[str]:
    """Run the twins and the disturbed ones, and yield what is wrong with either."""
    twin, place = MixedPlace(home / "twin"), MixedPlace(home / "disturbed")
    for one in mixes:
        twin.plant(one)
        place.plant(one)
    yield from of_twins(mixes, twin)
    yield from of_courses(mixes, twin, place, number)
    for one in mixes:
        for run_id in one.run_ids:
            yield from against_twin(one, run_id, place, twin)
    if left := [*place.left(), *twin.left()]:
        yield f"left behind: {left}"


def of_twins(mixes: list[Mix], twin: MixedPlace) -> Iterator[str]:
    """Take the twins to their end, in this process; yield what is wrong then."""
    before = held()
    for one in mixes:
        undisturbed(twin, one)
        asked = questions(twin.book(one)) + questions(twin.book(one, other=True))
        if twice := [
            question for question, times in asked.items() if times > one.passes(question.run)
        ]:
            yield f"asked twice without a disturbance: {twice}"
    gc.collect()
    if left := [name for name in held() if name not in before]:
        yield f"still open: {left}"


def of_courses(mixes: list[Mix], twin: MixedPlace, place: MixedPlace, number: int) -> Iterator[str]:
    """Take the disturbed runs to their end, beside each other; yield what is wrong then."""
    runs = [run_id for one in mixes for run_id in one.run_ids]
    lines = {run_id: count(twin.run(run_id)) for run_id in runs}
    onlooker = Onlooker(place, runs, chance("onlooker", number))
    courses = [Course(place, one, lines) for one in mixes]
    with Remains() as remains:
        for thread in (onlooker, *courses):
            thread.start()
        for course in courses:
            course.join()
        onlooker.end()
        yield from filter(None, [remains.trouble(place.home)])
    yield from (*onlooker.troubles, *(trouble for course in courses for trouble in course.troubles))


def against_twin(mix: Mix, run_id: str, place: MixedPlace, twin: MixedPlace) -> Iterator[str]:
    """Yield what is wrong with a run that has come to its end."""
    runsdir = str(place.runs)
    if not (place.run(run_id) / layout.SUMMARY).exists():
        yield f"{run_id} has not ended"
        return
    if mismatches := api.verify(run_id, runsdir=runsdir).mismatches:
        yield f"{run_id} does not verify: {mismatches}"
    if divergence := api.replay(run_id, runsdir=runsdir).divergence:
        yield f"{run_id} does not replay: {divergence}"
    accounts = [account(where.run(run_id), where.home) for where in (place, twin)]
    if mix.way == "bounded" and all(map(over_budget, accounts)):
        return  # of what was asked beside each other, a lost one is not asked again then
    if other := differences(*accounts):
        yield f"{run_id} is not its twin: " + "\n  ".join(other[:5])
