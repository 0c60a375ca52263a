"""The views are the same whether they were written on the way or from the record."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody import api
from custody.model import layout
from custody.model.event import PipelineStarted, StageCompleted, StageStarted
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
        views = ViewWriter(run, history.changes_of)
        for line, fact in history.lines():
            views.hear(line, fact)
        workspace = collected("r1", history.lines(), history.changes_of).opening().workspace
        views.close(history.position, workspace)
    after = {name: bench.path(name).read_bytes() for name in names}
    del before[layout.MANIFEST], after[layout.MANIFEST]  # the workspace at its end is not asked for
    assert after == before


def test_a_run_that_begins_has_a_manifest_at_once(tmp_path: Path) -> None:
    with RunDirectory.create(str(tmp_path), "r1") as run:
        views = ViewWriter(run, lambda _answered: ())
        started = sample(PipelineStarted)
        views.hear(line_of(started), started)
        assert b'"RUNNING"' in run.root.read(layout.MANIFEST)


def test_the_trace_waits_for_a_commit_unless_it_is_long(tmp_path: Path) -> None:
    with RunDirectory.create(str(tmp_path), "r1") as run:
        views = ViewWriter(run, lambda _answered: ())
        started, stage = sample(PipelineStarted), sample(StageStarted, node="a", attempt=1)
        views.hear(line_of(started), started)
        assert run.root.read(layout.TRACE) == b""
        done = sample(StageCompleted, node="a", attempt=1)
        for seq in range(1, 1000, 2):
            views.hear(line_of(stage, seq), stage)
            views.hear(line_of(done, seq + 1), done)
        assert run.root.stat(layout.TRACE).st_size > 1 << 16


def test_a_resumed_run_has_the_views_of_one_that_was_not(bench: Bench) -> None:
    bench.run('a [prompt="x"]\nb [prompt="y"]\nstart -> a -> b -> done')
    trace = bench.path(layout.TRACE).read_bytes()
    for name in VIEWS:
        bench.path(name).write_bytes(b"spoiled")
    api.resume("r1", runsdir=str(bench.runsdir))
    assert bench.path(layout.TRACE).read_bytes() == trace
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
