"""When a run is at rest, so that one look at it is enough."""

from __future__ import annotations

import os

from custody import api
from custody.engine.audit import Audit
from custody.model.event import StageStarted
from custody.store.history import History
from custody.store.rundir import RunDirectory
from custody.views.collect import collected
from support.bench import Bench
from support.ending import ends_before
from support.tampering import rechained

BODY = 'a [prompt="x"]\nb [prompt="y"]\nstart -> a -> b -> done'


def rests(bench: Bench, *, touched: bool = False) -> bool:
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        audit = Audit(run)
        assert list(audit.mismatches()) == []
        if touched:
            os.utime(bench.path("events.jsonl"), (1, 1))
        return audit.at_rest()


def test_a_run_that_has_ended_rests(bench: Bench) -> None:
    bench.run(BODY)
    assert rests(bench)


def test_one_whose_journal_is_written_does_not(bench: Bench) -> None:
    bench.run(BODY)
    assert not rests(bench, touched=True)


def test_one_that_was_left_does_not(bench: Bench) -> None:
    with ends_before(StageStarted, "b"):
        bench.run(BODY)
    assert not rests(bench)


def test_a_broken_chain_of_an_ended_run_needs_one_look(bench: Bench) -> None:
    bench.run(BODY)
    journal = bench.path("events.jsonl")
    journal.write_bytes(journal.read_bytes().replace(b"StageCompleted", b"StageCompletes", 1))
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        audit = Audit(run)
        assert {one.code for one in audit.mismatches()} == {"chain_broken"}
        assert audit.at_rest()


def codes(bench: Bench) -> set[str]:
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        return {one.code for one in Audit(run).mismatches()}


def test_a_journal_that_was_cut_does_not_reach_its_checkpoint(bench: Bench) -> None:
    with ends_before(StageStarted, "b"):
        bench.run(BODY)
    journal = bench.path("events.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]))
    assert "head_mismatch" in codes(bench)


def test_an_answer_that_was_changed_leads_elsewhere(bench: Bench) -> None:
    bench.run('a [shape=parallelogram, tool_command="true"]\nstart -> a -> done')
    journal = bench.path("events.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b"RequestAnswered" in line)
    lines[at] = lines[at].replace(b'"exit_code":0', b'"exit_code":1')
    journal.write_bytes(rechained(lines, at))
    bench.path("manifest.json").unlink()
    bench.path("checkpoint.json").unlink()
    assert "decisions" in codes(bench)


def test_a_folder_that_was_half_made_when_its_run_had_ended(bench: Bench) -> None:
    """Views are made behind the journal: a run may be killed after its end, before the last."""
    bench.run(BODY)
    half = bench.path("nodes/a/.tmp.9.9")
    half.mkdir()
    (half / "response.md").write_text("half")
    (found,) = api.verify("r1", runsdir=str(bench.runsdir)).mismatches
    assert (found.code, found.where) == ("unclaimed", "nodes/a/.tmp.9.9")
    with RunDirectory.open(str(bench.path("")), write=True) as run:
        history = History.read(run)
        begun = collected("r1", history.lines(), history.changes_of).opening()
        run.write_document("manifest.json", begun)
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()


def test_what_cannot_be_looked_at_does_not_hold(bench: Bench) -> None:
    bench.run(BODY)
    bench.path("layers").write_text("no folder")
    assert "unreadable" in codes(bench)
