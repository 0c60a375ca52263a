"""How a run comes to be: everything that it depends on is durable before its first stage."""

from __future__ import annotations

import hashlib
import os
import platform

import pytest

from custody import api
from custody.engine.begin import begin, versions
from custody.engine.given import Given
from custody.errors import PathRefused, RunExists
from custody.model.event import PipelineStarted
from custody.store.rundir import RunDirectory
from custody.version import VERSION
from support.bench import Bench
from support.lists import OVER_RANGE, part


def first(bench: Bench) -> PipelineStarted:
    fact = bench.facts()[0]
    assert isinstance(fact, PipelineStarted)
    return fact


def test_the_first_fact_says_what_the_run_depends_on(bench: Bench) -> None:
    (bench.workdir / "file").write_text("x")
    bench.run("start -> done", graph="var.lang=py", variables={"lang": "go"})
    started = first(bench)
    assert started.versions == versions()
    assert (started.goal, started.variables, started.agent) == ("ship it", {"lang": "go"}, "fake")
    assert (started.workdir, started.workspace.entries) == (str(bench.workdir), 1)
    assert started.decided_as == "r1"
    assert started.confinement is None, "no stage starts a program"


def test_every_source_is_kept(bench: Bench) -> None:
    part(bench)
    bench.run(OVER_RANGE.format(more=""))
    started = first(bench)
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        assert all(map(run.blobs.has, (started.pipeline_sha256, *started.parts.values())))
    assert set(started.parts) == {"task.dot"}
    source = bench.path("pipeline.dot").read_bytes()
    assert hashlib.sha256(source).hexdigest() == started.pipeline_sha256


def test_listeners_hear_of_the_first_fact_too(bench: Bench) -> None:
    heard: list[str] = []
    bench.run("start -> done", listeners=(lambda line, _fact: heard.append(line.event),))
    assert heard[0] == "PipelineStarted"
    assert heard == [line.event for line in api.events(str(bench.path("")))]


def test_versions_are_those_of_this_process() -> None:
    assert versions()["custody"] == VERSION
    assert versions()["python"] == platform.python_version()


def test_an_id_is_taken_once(bench: Bench) -> None:
    bench.run("start -> done")
    pipeline = api.load(bench.pipeline("start -> done"))
    before = bench.path("events.jsonl").read_bytes()
    with pytest.raises(RunExists):
        begin(pipeline, Given(agent="fake"), runsdir=str(bench.runsdir), run_id="r1")
    assert bench.path("events.jsonl").read_bytes() == before


def test_a_run_that_cannot_begin_leaves_nothing(bench: Bench) -> None:
    (bench.workdir / "odd\udcff").touch()
    with pytest.raises(PathRefused):
        bench.run("start -> done")
    assert not bench.path("").exists()
    (bench.workdir / "odd\udcff").unlink()
    assert bench.run("start -> done").summary.status == "PASS"


def test_a_source_whose_path_is_not_utf8_is_refused_before_anything_is_made(bench: Bench) -> None:
    odd = bench.workdir.parent / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    pipeline = api.load("digraph p { s [shape=Mdiamond] d [shape=Msquare] s -> d }")
    with pytest.raises(PathRefused, match="the path is not UTF-8"):
        begin(pipeline, Given(workdir=str(odd)), runsdir=str(bench.runsdir), run_id="r1")
    assert not (bench.runsdir / "r1").exists()


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_a_source_that_is_no_folder_is_told(bench: Bench, name: str) -> None:
    (bench.workdir / "file").touch()
    source = str(bench.workdir / name)
    pipeline = api.load("digraph p { s [shape=Mdiamond] d [shape=Msquare] s -> d }")
    with pytest.raises(PathRefused, match="there is no such folder") as caught:
        begin(pipeline, Given(workdir=source), runsdir=str(bench.runsdir), run_id="r1")
    assert (caught.value.code, caught.value.where) == ("missing", source)
    assert "--workdir" in caught.value.hint
