"""All views are made from the lines alone, by one collector."""

from __future__ import annotations

import json

import pytest

from custody.errors import JournalBroken
from custody.model.event import PipelineStarted, Position, StageCompleted, StageStarted
from custody.model.record import encode_pretty
from custody.store.history import History
from custody.store.rundir import RunDirectory
from custody.views.collect import Collector, collected
from support.bench import Bench
from support.facts import line_of, sample


def test_a_line_that_ends_an_attempt_gives_its_status() -> None:
    collector = Collector("r1")
    for seq, fact in enumerate(
        (sample(PipelineStarted), sample(StageStarted, node="a", visit=1, attempt=1))
    ):
        made = collector.add(line_of(fact, seq), fact, ())
        assert (made.status_path, made.status) == ("", b"")
        assert made.trace
    done = sample(StageCompleted, node="a", visit=1, attempt=1)
    made = collector.add(line_of(done, 2), done, ())
    assert made.status_path == "nodes/a/1.1/status.json"
    assert json.loads(made.status)["outcome"] == "success"


def test_a_journal_without_its_beginning_has_no_manifest() -> None:
    with pytest.raises(JournalBroken) as broken:
        Collector("r1").opening()
    assert broken.value.code == "genesis"


def test_what_was_written_on_the_way_is_what_the_lines_give(bench: Bench) -> None:
    bench.run('a [type=tool, tool_command="touch made"] b [prompt="x"] start -> a -> b -> done')
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        history = History.read(run)
        collector = collected("r1", history.lines(), history.changes_of)
        reached = history.position
    assert isinstance(reached, Position)
    summary = collector.summary(reached.head)
    assert encode_pretty(summary) == bench.path("summary.json").read_bytes()
    checkpoint = json.loads(encode_pretty(collector.checkpoint(reached)))
    assert checkpoint == json.loads(bench.path("checkpoint.json").read_text())
    manifest = json.loads(bench.path("manifest.json").read_text())
    final = collector.opening().workspace
    told = json.loads(encode_pretty(collector.closing(reached, final)))
    assert {**told, "final_workspace": manifest["final_workspace"]} == manifest
    assert [change.path for change in collector.net_changes()] == ["made"]
