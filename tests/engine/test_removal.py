"""Runs that are removed are gone, those that are needed stay, and shared contents stay right."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody import api
from custody.engine.removal import Pruning, selected
from custody.errors import Refused, RunLocked, RunNotFound, UsageError
from custody.model import layout
from custody.store.index import RunRow
from custody.store.run_state import RunState
from custody.store.rundir import RunDirectory
from support.bench import Bench

NOTHING = "start -> done"
FAILS = 'work [type=tool, tool_command="false"]\nstart -> work -> done'
ASKS = 'work [prompt="x"]\nstart -> work -> done'


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    (made.workdir / "app.py").write_text("shared\n" * 100)
    return made


def ids(bench: Bench) -> list[str]:
    return [row.run_id for row in api.list_runs(str(bench.runsdir))]


@pytest.mark.req("U-14")
def test_a_run_that_shared_its_contents(bench: Bench) -> None:
    for name in ("r1", "r2", "r3"):
        bench.run(NOTHING, run_id=name)
    forked = api.fork(str(bench.path("", "r2")), "done", runsdir=str(bench.runsdir), run_id="f")
    done = api.remove(["r1", "r2"], runsdir=str(bench.runsdir))
    assert [(run.run_id, run.state) for run in done.runs] == [("r1", "PASS"), ("r2", "PASS")]
    assert ids(bench) == ["r3", "f"]
    assert api.verify(str(bench.path("", "r3"))).intact
    assert api.verify(forked.path).intact
    bench.run(NOTHING, run_id="r4")  # what remembers the source may name a run that is gone
    assert api.verify(str(bench.path("", "r4"))).intact


def test_where_one_may_not_be_removed_none_is(bench: Bench) -> None:
    bench.run(NOTHING, run_id="r1")
    bench.run(ASKS, run_id="r2", agent="outbox")
    with pytest.raises(Refused, match="r2 waits for a person") as told:
        api.remove(["r1", "r2"], runsdir=str(bench.runsdir))
    assert "--force" in told.value.hint
    assert ids(bench) == ["r1", "r2"]
    api.remove(["r2"], runsdir=str(bench.runsdir), force=True)
    assert ids(bench) == ["r1"]


@pytest.mark.req("U-14")
def test_a_run_at_work_is_never_removed(bench: Bench) -> None:
    path = bench.run(NOTHING).path
    journal = Path(path) / layout.EVENTS
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:2]))
    manifest = Path(path) / layout.MANIFEST
    manifest.write_text(manifest.read_text().replace('"PASS"', '"RUNNING"'))
    with RunDirectory.open(path, write=True):
        with pytest.raises(RunLocked, match="is at work"):
            api.remove([path], force=True)
        assert api.prune(Pruning(keep=0), runsdir=str(bench.runsdir)).runs == ()
    assert Path(path).exists()
    assert [run.state for run in api.remove([path]).runs] == ["CRASHED"]


def test_a_run_that_somebody_holds_is_never_removed(bench: Bench) -> None:
    """One that has ended may be held too: by whoever takes it up, or puts its views right."""
    path = bench.run(NOTHING).path
    with RunDirectory.open(path, write=True):
        with pytest.raises(RunLocked, match="is at work"):
            api.remove([path], force=True)
        assert api.prune(Pruning(keep=0), runsdir=str(bench.runsdir)).runs == ()
    assert api.verify(path).intact


def test_a_folder_that_is_no_run_stays(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "precious").write_text("x")
    with pytest.raises(RunNotFound, match="not a run directory"):
        api.remove([str(other)], force=True)
    assert (other / "precious").exists()


@pytest.mark.req("U-14")
def test_pruning(bench: Bench) -> None:
    for number in range(4):
        bench.run(FAILS if number % 2 else NOTHING, run_id=f"r{number}")
    bench.run(ASKS, run_id="w", agent="outbox")
    (bench.runsdir / layout.unpublished("dead") / layout.BLOBS).mkdir(parents=True)
    runsdir = str(bench.runsdir)
    shown = api.prune(Pruning(states=("FAIL",), keep=1), runsdir=runsdir, dry_run=True)
    assert [run.run_id for run in shown.runs] == ["r1"]
    assert [Path(path).name for path in shown.starts] == [".new.dead"]
    assert len(ids(bench)) == 5
    assert api.prune(Pruning(states=("FAIL",), keep=1), runsdir=runsdir).runs == shown.runs
    assert ids(bench) == ["r0", "r2", "r3", "w"]
    assert not (bench.runsdir / ".new.dead").exists()
    assert api.prune(Pruning(older_than=3600), runsdir=runsdir).runs == ()
    api.prune(Pruning(older_than=0), runsdir=runsdir)
    assert ids(bench) == ["w"]


def test_which_runs_must_be_said(bench: Bench) -> None:
    with pytest.raises(UsageError, match="say which"):
        api.prune(Pruning(), runsdir=str(bench.runsdir))
    with pytest.raises(UsageError, match="never pruned"):
        api.prune(Pruning(states=("WAITING",)), runsdir=str(bench.runsdir))
    assert api.prune(Pruning(keep=1), runsdir=str(bench.runsdir / "none")).runs == ()


def test_the_choice() -> None:
    def row(run_id: str, status: RunState, ended: str) -> RunRow:
        at = f"2026-01-{ended}T00:00:00+00:00"
        return RunRow(
            run_id=run_id, path=run_id, status="", state=status, started_at=at, ended_at=at
        )

    rows = [
        row("a", "PASS", "01"), row("b", "BROKEN", "02"), row("c", "RUNNING", "03"),
        row("d", "CRASHED", "04"), row("e", "FAIL", "05"), row("f", "WAITING", "06"),
    ]  # fmt: skip
    now = 1767225600.0 + 4 * 86400  # the fifth of January

    def names(which: Pruning) -> str:
        return "".join(one.run_id for one in selected(rows, which, now))

    assert names(Pruning(keep=0)) == "ade"
    assert names(Pruning(keep=1)) == "ad"
    assert names(Pruning(older_than=86400.0)) == "a"
    assert names(Pruning(states=("BROKEN",))) == "b"
    rows = [RunRow(run_id="x", path="x", status="", state="BROKEN", started_at="", ended_at="")]
    assert names(Pruning(states=("BROKEN",), older_than=0.0)) == "", "nobody knows its age"
    assert names(Pruning(states=("PASS", "FAIL"), keep=5)) == ""


def test_what_a_killed_removal_left_is_cleared(bench: Bench) -> None:
    path = Path(bench.run(NOTHING).path)
    path.rename(path.with_name(layout.unpublished("r1")))  # killed after the rename
    assert ids(bench) == []
    bench.run(NOTHING, run_id="r2")
    assert sorted(one.name for one in bench.runsdir.iterdir()) == [layout.SOURCES, "r2"]
