"""scripts/walk.py counts what it says, on the code as it is."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import walk
from walk import Call, Walk


def call(file: str, *, caller: str = "", line: int = 1, thread: int = 1) -> Call:
    return Call(file, line, "f", caller, thread)


SMALL = Walk(
    calls=(
        call("cli/run.py"),
        call("cli/parser.py", caller="cli/run.py"),
        call("api.py", caller="cli/run.py"),
        call("engine/loop.py", caller="api.py"),
        call("store/journal.py", caller="engine/loop.py"),
        call("engine/loop.py", caller="engine/loop.py", line=9),
        call("engine/loop.py", caller="engine/loop.py"),
    ),
    beside=4,
    passes=2,
    read=1.5,
)


@cache
def measured(name: str) -> Walk:
    """Go one of the ways, once for all tests."""
    return walk.measure(name)


def test_what_is_counted() -> None:
    assert SMALL.figures() == {
        "files": "5",
        "functions": "6",
        "crossings": "5",
        "across": "3",
        "beside": "4",
        "passes": "2",
        "read": "1.5",
    }


def test_other_threads_are_counted_apart() -> None:
    stage = measured("stage")
    assert len({one.thread for one in stage.calls}) == 1
    assert stage.beside > 0  # the follower of the journal


def test_what_is_printed() -> None:
    assert [*walk.crossings(SMALL)][-2:] == [
        "   5  engine/loop.py:9 f",
        "engine 2, cli 1, api 1, store 1",
    ]
    assert [*walk.files(SMALL)][3] == "   4      3  engine/loop.py"
    assert [*walk.table({"run": [SMALL.figures(), SMALL.figures()]})][2] == (
        "| `run` | 5 → 5 | 6 → 6 | 5 → 5 | 3 → 3 | 4 → 4 | 2 → 2 | 1.5 → 1.5 |"
    )


def test_a_stage_is_part_of_a_run() -> None:
    run, stage = measured("run"), measured("stage")
    assert 0 < len(stage.files()) < len(run.files()) < len(stage.calls) < len(run.calls)
    assert {one.package for one in stage.calls} >= {"engine", "handlers", "store", "workspace"}
    assert "api" not in {one.package for one in stage.calls}


def test_a_later_stage_does_less_than_the_first() -> None:
    stage, later = measured("stage"), measured("later")
    assert set(later.files()) < set(stage.files())
    assert "sandbox/toolchains.py" not in later.files()
    assert len({call[:3] for call in later.calls}) < len({call[:3] for call in stage.calls})


def test_a_stage_takes_no_longer_way_than_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin")  # each further folder is looked at
    stage = walk.measure("stage")
    assert len(stage.files()) <= 68
    assert len([*stage.crossings()]) <= 133  # some depend on what the machine is busy with


def test_a_resume_reads_the_journal() -> None:
    resume = measured("resume")
    assert resume.passes >= 1
    assert resume.read >= 1
    assert len([*resume.crossings()]) < len(resume.calls)


def test_a_block_is_taken_on_the_way() -> None:
    assert any("fence" in file for file in measured("fence").files())


@pytest.mark.parametrize(("words", "code"), [(["run", "--before", "."], 0), (["nowhere"], 2)])
def test_two_checkouts_are_compared(words: list[str], code: int, root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "scripts/walk.py", *words],
        cwd=root, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == code
    if code == 0:
        was, now = done.stdout.splitlines()[2].split(" | ")[1].split(" → ")
        assert abs(int(was) - int(now)) < 5  # who waits for a busy machine takes another way
    else:
        assert "no such walk: nowhere" in done.stderr
