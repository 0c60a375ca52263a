"""The views are the same whether they were written on the way or from the record."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from custody import api
from custody.model import layout
from custody.model.event import PipelineStarted, Position, StageCompleted, StageStarted
from custody.store.history import History
from custody.store.rundir import RunDirectory
from custody.views.collect import collected
from custody.views.writer import ViewWriter
from support.bench import Bench
from support.facts import line_of, sample

VIEWS = (layout.TRACE, layout.CHECKPOINT, layout.MANIFEST, layout.SUMMARY, layout.SUMMARY_PAGE)


@pytest.mark.req("P-11")
def test_lines_are_enough_to_make_them_again(bench: Bench) -> None:
    bench.run('a [type=tool, tool_command="touch a.txt"]\nb [prompt="x"]\nstart -> a -> b -> done')
    names = [*VIEWS, "nodes/a/1.1/status.json", "nodes/b/1.1/status.json"]
    before = {name: bench.path(name).read_bytes() for name in names}
    for name in names:
        bench.path(name).unlink()
    with RunDirectory.open(str(bench.path("")), write=True) as run:
        history = History.read(run)
        with closing(ViewWriter(run, history.changes_of)) as views:
            views.write(history.lines(), None)
            workspace = collected("r1", history.lines(), history.changes_of).opening().workspace
            views.finish(history.position, workspace)
    after = {name: bench.path(name).read_bytes() for name in names}
    del before[layout.MANIFEST], after[layout.MANIFEST]  # the workspace at its end is not asked for
    assert after == before


@pytest.mark.req("G-21")
def test_nothing_temporary_stands_beside_the_last_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = RunDirectory.write
    beside: dict[str, list[str]] = {}

    def seen(run: RunDirectory, path: str, data: bytes, *, sync: bool = False) -> None:
        write(run, path, data, sync=sync)
        beside[path] = [*run.temporaries()]

    monkeypatch.setattr(RunDirectory, "write", seen)
    started = sample(PipelineStarted)
    with RunDirectory.create(str(tmp_path), "r1") as run:
        views = ViewWriter(run, lambda _answered: ())
        views.begin(line_of(started), started)
        views.write([(line_of(started), started)], Position(1, 1, "0"))
        assert [*run.temporaries()], "the checkpoint has a second file as long as lines come"
        views.finish(Position(1, 1, "0"), started.workspace)
    assert beside[layout.MANIFEST] == []


def test_a_run_that_begins_has_a_manifest_at_once(tmp_path: Path) -> None:
    with RunDirectory.create(str(tmp_path), "r1") as run:
        views = ViewWriter(run, lambda _answered: ())
        started = sample(PipelineStarted)
        views.begin(line_of(started), started)
        assert b'"RUNNING"' in run.root.read(layout.MANIFEST)
        assert run.root.read(layout.TRACE) == b""


def test_an_attempt_appears_with_all_of_its_files(tmp_path: Path) -> None:
    stage = sample(StageStarted, node="a", attempt=1)
    done = sample(StageCompleted, node="a", attempt=1)
    with (
        RunDirectory.create(str(tmp_path), "r1") as run,
        closing(ViewWriter(run, lambda _answered: ())) as views,
    ):
        views.write([(line_of(stage, 1), stage), (line_of(done, 2), done)], None)
        there = run.root.names(layout.attempt_folder("a", done.visit, 1))
        assert layout.STATUS in there
        assert run.root.stat(layout.TRACE).st_size > 0
        assert not run.root.exists(layout.CHECKPOINT)


def test_a_resumed_run_has_the_views_of_one_that_was_not(bench: Bench) -> None:
    bench.run('a [prompt="x"]\nb [prompt="y"]\nstart -> a -> b -> done')
    trace = bench.path(layout.TRACE).read_bytes()
    for name in VIEWS:
        bench.path(name).write_bytes(b"spoiled")
    api.resume("r1", runsdir=str(bench.runsdir))
    assert bench.path(layout.TRACE).read_bytes() == trace
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
