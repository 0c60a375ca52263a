"""Sweeps draw by a seed that is told, and what failed is told as the command that repeats it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from support import sweep as sweeps
from support.sweep import Sweep, chance, drawn, paired, some, turn
from support.trial import Trial

SWEPT = """
import pytest
from support.sweep import Sweep, chunks

CHUNKS = chunks(4)

@pytest.mark.parametrize("chunk", CHUNKS)
def test_sweep(chunk, sweep):
    def attempt(number):
        assert number not in (7, 399), "it broke"
    sweep.over(sweep.points(range(400), every=10, chunk=chunk, chunks=len(CHUNKS)), attempt)
"""
DRAWN = """
import pytest
from support.sweep import chance

@pytest.mark.parametrize("drawn", [chance("x").random()])
def test_one(drawn): pass
"""


@pytest.fixture(autouse=True)
def _in_no_soak(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin with a run that draws, whatever run this is."""
    monkeypatch.setattr(sweeps, "SEED", 5)
    monkeypatch.setattr(sweeps, "SOAK", 0.0)
    monkeypatch.setattr(sweeps, "POINT", "")


def test_a_part_is_drawn_and_of_each_kind_at_least_one() -> None:
    found = [(kind, number) for number, kind in enumerate("a" * 100 + "b" * 10 + "c")]

    def part(about: str) -> list[tuple[str, int]]:
        return drawn(found, 10, chance(about), lambda point: point[0])

    assert [kind for kind, _ in part("x")] == ["a"] * 10 + ["b", "c"]
    assert part("x") == sorted(part("x"), key=lambda point: point[1]), "in their order"
    assert part("x") == part("x")
    assert part("x") != part("y"), "two sweeps draw apart"


def test_there_is_an_end_to_how_many_are_drawn() -> None:
    def few(about: str) -> list[str]:
        return drawn("abcdefgh", 1, chance(about), str, most=3)

    assert len(few("x")) == 3
    assert few("x") == sorted(few("x")) == few("x")
    assert {letter for number in range(40) for letter in few(str(number))} == set("abcdefgh")


def test_some_of_many_and_one_of_several_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw() -> tuple[list[int], list[str]]:
        return some("x", range(40), 4), turn("x", ("L1", "L2"))

    numbers, levels = draw()
    assert (len(numbers), len(levels)) == (4, 1)
    assert draw() == (numbers, levels)
    seen = set()
    for seed in range(20):
        monkeypatch.setattr(sweeps, "SEED", seed)
        seen.update(draw()[1])
    assert seen == {"L1", "L2"}
    monkeypatch.setattr(sweeps, "SOAK", 1.0)
    assert draw() == (list(range(40)), ["L1", "L2"])


def test_chunks_share_what_one_seed_draws(sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    def points() -> list[list[int]]:
        return [sweep.points(range(400), every=10, chunk=part, chunks=3) for part in range(3)]

    first = points()
    assert len({number for part in first for number in part}) == 40
    assert points() == first
    monkeypatch.setattr(sweeps, "SEED", 6)
    assert points() != first


def test_a_soak_tries_every_point(sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(sweeps.chunks(4)) == 1
    monkeypatch.setattr(sweeps, "SOAK", 2.0)
    assert sweep.points(range(400), every=10) == list(range(400))
    assert len(sweeps.chunks(4)) == 4
    assert sweeps.budget(0.1, 30) == 60
    assert "every point, long budgets times 2, CUSTODY_SEED=5" in sweeps.header()


def test_each_thing_is_tried_with_one_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = paired("x", "abcd", (1, 2))
    assert [thing for thing, _ in pairs] == list("abcd")
    assert {number for _, number in pairs} == {1, 2}
    assert paired("x", "abcd", (1, 2)) == pairs
    in_turn = set()
    for seed in range(20):
        monkeypatch.setattr(sweeps, "SEED", seed)
        in_turn.update(paired("x", "abcd", (1, 2)))
    monkeypatch.setattr(sweeps, "SOAK", 1.0)
    assert in_turn == {*paired("x", "abcd", (1, 2))}
    assert len(in_turn) == 8


def test_moments_are_drawn_from_all_of_the_time(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [int(part * 4) for part in sweep.moments(4)] == [0, 1, 2, 3]
    assert sweep.moments(4, chunk=1, chunks=2) == sweep.moments(4)[1::2]
    monkeypatch.setattr(sweeps, "POINT", "0.125")
    assert sweep.moments(4) == [0.125]


def test_one_point_can_be_asked_for(sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "POINT", "7")
    assert sweep.points(range(400), every=10, chunk=3, chunks=4) == [7]
    monkeypatch.setattr(sweeps, "POINT", "no such")
    with pytest.raises(AssertionError, match="CUSTODY_POINT is none of"):
        sweep.points(range(400), every=10)


def test_a_sweep_that_lost_a_point_or_has_none_fails(sweep: Sweep) -> None:
    with pytest.raises(AssertionError, match=r"lost points: .'the journal is synced'"):
        sweep.points([1], every=1, must=["the journal is synced"])
    with pytest.raises(AssertionError, match="has tried nothing"):
        sweep.over([], str)


def test_every_point_is_tried_however_another_failed(sweep: Sweep) -> None:
    def attempt(number: int) -> str:
        if number == 1:
            raise OSError("it broke")
        return "it is wrong" if number == 2 else ""

    with pytest.raises(pytest.fail.Exception) as failed:
        sweep.over(range(4), attempt)
    told = str(failed.value)
    assert re.findall(r"^(\d): ", told, re.MULTILINE) == ["1", "2"]
    assert "OSError: it broke" in told
    assert "it is wrong\n  CUSTODY_SEED=5 CUSTODY_POINT=2 make test " in told


def test_workers_draw_the_same_and_the_seed_is_told(trial: Trial) -> None:
    status, printed = trial(DRAWN, "-n", "2", CUSTODY_SEED="")
    assert status == 0, printed
    assert re.search(r"points drawn by CUSTODY_SEED=\d+; `make soak`", printed)


def test_in_ci_the_commit_is_the_seed(trial: Trial) -> None:
    git = ["git", "-c", "user.name=x", "-c", "user.email=x", "-C", str(trial.folder)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    asked = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    _, printed = trial("", ci=True, CUSTODY_SEED="")
    assert f"CUSTODY_SEED={int(asked.stdout[:8], 16)};" in printed


def test_the_end_tells_how_to_repeat_each_point_that_failed(trial: Trial) -> None:
    _, printed = trial(SWEPT, CUSTODY_SEED="5", CUSTODY_SOAK="1")
    told = printed.partition("to repeat what failed")[2]
    test = "make test PYTEST_ARGS=\"'tests/test_sample.py::test_sweep[3]'\""
    assert re.findall("^CUSTODY_SEED=.*$", told, re.MULTILINE) == [
        f"CUSTODY_SEED=5 CUSTODY_SOAK=1 CUSTODY_POINT={point} {test}" for point in (7, 399)
    ]


NAMES = ("tests/a.py::test", "a.py::b[x y-0]", "a.py::b['\"-$HOME-`x`-\\d-!]")


@pytest.mark.parametrize("name", NAMES)
def test_the_command_can_be_pasted(name: str, tmp_path: Path) -> None:
    told = "test:\n\t@printf '%s\\n' \"$$CUSTODY_SEED $$CUSTODY_POINT\" $(PYTEST_ARGS)\n"
    (tmp_path / "Makefile").write_text(told)
    command = ["sh", "-c", sweeps.repeat(name, "write#3 it's")]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["5 write#3 it's", name]
