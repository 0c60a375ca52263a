"""The pipeline of a run is the one that its journal names, wherever the file has got to."""

from __future__ import annotations

import pytest

from custody import api
from custody.engine.run_pipeline import pipeline_of
from custody.errors import BlobDamaged, JournalBroken
from custody.store.history import History
from custody.store.rundir import RunDirectory
from support.bench import Bench

BODY = 'a [prompt="x"]\nstart -> a -> done'


def source(bench: Bench) -> bytes:
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        return pipeline_of(History.read(run)).source


def test_it_is_kept_as_a_blob(bench: Bench) -> None:
    bench.run(BODY)
    assert source(bench) == bench.path("pipeline.dot").read_bytes()


def test_an_earlier_one_may_stand_in_the_file(bench: Bench) -> None:
    bench.run(BODY)
    earlier = bench.path("pipeline.dot").read_bytes()
    changed = bench.pipeline(BODY.replace('"x"', '"y"'), name="changed.dot")
    api.resume("r1", runsdir=str(bench.runsdir), pipeline=changed, accept_change=True)
    bench.path("pipeline.dot").write_bytes(earlier)
    assert b'"y"' in source(bench)


@pytest.mark.req("G-21")
def test_so_may_a_later_one_while_somebody_reads(bench: Bench) -> None:
    bench.run(BODY)
    changed = bench.pipeline(BODY.replace('"x"', '"y"'), name="changed.dot")
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        history = History.read(run)
        api.resume("r1", runsdir=str(bench.runsdir), pipeline=changed, accept_change=True)
        assert b'"x"' in pipeline_of(history).source


def test_one_that_the_run_never_had_is_refused(bench: Bench) -> None:
    bench.run(BODY)
    bench.path("pipeline.dot").write_text("digraph {}")
    with pytest.raises(JournalBroken, match=r"pipeline\.dot") as broken:
        source(bench)
    assert broken.value.code == "pipeline_mismatch"


def test_its_source_must_be_there(bench: Bench) -> None:
    bench.run(BODY)
    for blob in bench.path("blobs").rglob("*"):
        if blob.is_file() and blob.read_bytes() == bench.path("pipeline.dot").read_bytes():
            blob.unlink()
    with pytest.raises(BlobDamaged):
        source(bench)
