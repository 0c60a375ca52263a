"""When a run is at rest, so that one look at it is enough."""

from __future__ import annotations

import os

from custody.engine.audit import Audit
from custody.model.event import StageStarted
from custody.store.rundir import RunDirectory
from support.bench import Bench
from support.ending import ends_before

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
