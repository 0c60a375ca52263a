"""Branching off a run."""

from __future__ import annotations

import os

import pytest

from custody import api
from custody.errors import UsageError
from custody.executors.agents.stub import RESPONSE
from custody.model.documents import Manifest
from custody.model.event import PipelineStarted, StageStarted
from custody.model.process_event import RunResumed
from custody.model.record import decode
from custody.model.request import AgentRequest
from custody.store.workers import FEW
from support.bench import Bench
from support.trees import differing, picture

BODY = (
    'a [type=tool, tool_command="cp in.txt a.txt"]\n'
    'b [prompt="decide about ${run_id}", test.outcome="fail"]\n'
    'c [type=tool, tool_command="rm a.txt"]\nstart -> a -> b -> c -> done'
)


def test_a_fork_shares_the_past_and_goes_its_own_way(bench: Bench) -> None:
    (bench.workdir / "in.txt").write_text("as it was")
    bench.run(BODY)
    (bench.workdir / "in.txt").write_text("changed since")
    result = api.fork("r1", "b", runsdir=str(bench.runsdir), run_id="r2", agent="stub")
    assert result.summary.status == "PASS"
    assert bench.path("nodes/a/1.1/tool.stdout.log", "r2").exists()
    parent, fork = bench.events("r1"), bench.events("r2")
    shared = parent.index("StageStarted b")
    assert fork[:shared] == parent[:shared]
    assert fork[shared : shared + 2] == ["AgentReplaced", "RunResumed"]
    assert fork.count("StageStarted a") == 1
    started = bench.facts("r2")[0]
    assert isinstance(started, PipelineStarted)
    assert started.forked_from is not None
    assert (started.forked_from.run_id, started.forked_from.seq) == ("r1", shared - 1)
    assert bench.path("nodes/b/1.1/response.md", "r2").read_text() == RESPONSE


def test_the_workspace_of_a_fork_is_that_of_the_moment(bench: Bench) -> None:
    (bench.workdir / "in.txt").write_text("as it was")
    bench.run(BODY)
    assert not bench.path("workspace/a.txt").exists()
    api.fork("r1", "c", runsdir=str(bench.runsdir), run_id="r2")
    assert not bench.path("workspace/a.txt", "r2").exists()
    assert bench.path("workspace/in.txt", "r2").read_text() == "as it was"
    changed = bench.path("nodes/c/1.1/workspace.diff.json", "r2").read_text()
    assert '"deleted"' in changed


def test_a_fork_stands_on_its_own(bench: Bench) -> None:
    bench.run(BODY)
    api.fork("r1", "b", runsdir=str(bench.runsdir), run_id="r2")
    bench.path("").rename(bench.home / "gone")
    assert api.verify("r2", runsdir=str(bench.runsdir)).mismatches == ()
    assert api.replay("r2", runsdir=str(bench.runsdir)).divergence == ""


def test_another_agent_is_asked_from_the_fork_on_only(bench: Bench) -> None:
    bench.run('a [prompt="x"]\nb [prompt="y"]\nc [prompt="z"]\nstart -> a -> b -> c -> done')
    api.fork("r1", "b", runsdir=str(bench.runsdir), run_id="r2", agent="stub")
    api.fork("r2", "c", runsdir=str(bench.runsdir), run_id="r3", agent="fake")
    for run_id, responses in (("r2", "xSS"), ("r3", "xSx")):
        assert api.replay(run_id, runsdir=str(bench.runsdir)).status == "PASS"
        assert api.verify(run_id, runsdir=str(bench.runsdir)).mismatches == ()
        assert responses == "".join(
            "S"
            if bench.path(f"nodes/{node}/1.1/response.md", run_id).read_text() == RESPONSE
            else "x"
            for node in "abc"
        )


def test_a_fork_from_the_very_beginning(bench: Bench) -> None:
    bench.run('a [prompt="x"]\nstart -> a -> done')
    api.fork("r1", "start", runsdir=str(bench.runsdir), run_id="r2", agent="stub")
    assert bench.path("nodes/a/1.1/response.md", "r2").read_text() == RESPONSE
    assert api.replay("r2", runsdir=str(bench.runsdir)).status == "PASS"


def test_a_fork_of_a_fork(bench: Bench) -> None:
    bench.run(BODY)
    api.fork("r1", "c", runsdir=str(bench.runsdir), run_id="r2")
    api.fork("r2", "b", runsdir=str(bench.runsdir), run_id="r3")
    assert api.verify("r3", runsdir=str(bench.runsdir)).mismatches == ()
    assert "about r1" in bench.path("nodes/b/1.1/prompt.md", "r3").read_text()


def test_a_node_that_was_never_entered(bench: Bench) -> None:
    bench.run(BODY)
    with pytest.raises(UsageError, match="has no stage 'nowhere'"):
        api.fork("r1", "nowhere", runsdir=str(bench.runsdir), run_id="r2")
    assert not bench.path("", "r2").exists()


def test_a_fork_has_its_contents_by_links(bench: Bench) -> None:
    (bench.workdir / "in.txt").write_text("as it was")
    bench.run(BODY)
    api.fork("r1", "b", runsdir=str(bench.runsdir), run_id="r2")
    blobs = [path for path in bench.path("blobs").glob("*/*") if path.is_file()]
    assert blobs
    for path in blobs:
        shared = bench.path(str(path.relative_to(bench.path(""))), "r2")
        assert shared.stat().st_ino == path.stat().st_ino


def test_a_fork_of_many_files_has_them_all(bench: Bench) -> None:
    for number in range(FEW + 20):
        (bench.workdir / f"f{number}").write_text(f"{number}")
    (bench.workdir / "in.txt").write_text("as it was")
    (bench.workdir / "closed").mkdir(0o555)
    bench.run(BODY)
    api.fork("r1", "b", runsdir=str(bench.runsdir), run_id="r2")
    forked = picture(bench.path("workspace", "r2"))
    assert differing(picture(bench.workdir), forked) == []
    resumed = next(fact for fact in bench.facts("r2") if isinstance(fact, RunResumed))
    assert resumed.restored == ("a.txt",)
    assert api.verify("r2", runsdir=str(bench.runsdir)).mismatches == ()


TWO = 'a [prompt="x"]\nb [prompt="y"]\nstart -> a -> b -> done'


def asked_of(bench: Bench, run_id: str) -> list[str]:
    """Return who was asked, over all attempts, in order."""
    started = (fact for fact in bench.facts(run_id) if isinstance(fact, StageStarted))
    return [fact.request.agent for fact in started if isinstance(fact.request, AgentRequest)]


def manifest(bench: Bench, run_id: str) -> Manifest:
    return decode(bench.path("manifest.json", run_id).read_bytes(), Manifest, where="")


@pytest.mark.req("G-22")
def test_the_agent_of_a_fork_holds_through_an_accepted_change(bench: Bench) -> None:
    bench.run(TWO)
    runsdir = str(bench.runsdir)
    api.fork("r1", "b", runsdir=runsdir, run_id="r2", agent="stub")
    assert asked_of(bench, "r2") == ["fake", "stub"]
    changed = bench.pipeline(TWO.replace('"x"', '"other"'), name="changed.dot")
    api.resume("r2", runsdir=runsdir, pipeline=changed, accept_change=True)
    assert asked_of(bench, "r2")[2:] == ["stub", "stub"]
    assert (manifest(bench, "r2").agent, manifest(bench, "r2").answered_by) == ("stub", ("stub",))
    assert api.verify("r2", runsdir=runsdir).mismatches == ()
    assert api.replay("r2", runsdir=runsdir).divergence == ""


@pytest.mark.req("G-22")
def test_a_fork_of_a_fork_asks_whom_that_asked(bench: Bench) -> None:
    bench.run(TWO)
    runsdir = str(bench.runsdir)
    api.fork("r1", "b", runsdir=runsdir, run_id="r2", agent="stub")
    api.fork("r2", "a", runsdir=runsdir, run_id="r3")
    assert asked_of(bench, "r3") == ["stub", "stub"]


@pytest.mark.req("G-22")
def test_a_manifest_names_those_that_answered(bench: Bench) -> None:
    bench.run(TWO)
    api.fork("r1", "b", runsdir=str(bench.runsdir), run_id="r2", agent="stub")
    assert (manifest(bench, "r1").agent, manifest(bench, "r1").answered_by) == ("fake", ("fake",))
    forked = manifest(bench, "r2")
    assert (forked.agent, forked.answered_by) == ("stub", ("fake", "stub"))


@pytest.mark.req("G-22")
def test_a_level_that_an_accepted_change_chose_holds_through_the_next(bench: Bench) -> None:
    bench.run(TWO)
    runsdir = str(bench.runsdir)
    tool = bench.pipeline(
        TWO.replace("-> b ->", "-> b -> t ->") + '\nt [type=tool, tool_command="true"]',
        name="t.dot",
    )
    api.resume("r1", runsdir=runsdir, pipeline=tool, accept_change=True)
    chosen = manifest(bench, "r1").confinement
    assert chosen is not None
    other = bench.home / "other.dot"
    other.write_text((bench.home / "t.dot").read_text().replace('"x"', '"other"'))
    api.resume("r1", runsdir=runsdir, pipeline=str(other), accept_change=True)
    assert manifest(bench, "r1").confinement == chosen
    assert api.verify("r1", runsdir=runsdir).mismatches == ()


@pytest.mark.req("G-27")
def test_a_fork_syncs_no_more_than_the_run_before_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "words " * 600
    nodes = [f"n{number}" for number in range(30)]
    body = "".join(f'{node} [prompt="{long}"]\n' for node in nodes)
    syncs: list[int] = []
    sync = os.fsync

    def counted(descriptor: int) -> None:
        syncs.append(descriptor)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", counted)
    bench.run(body + " -> ".join(["start", *nodes, "done"]))
    by_run = len(syncs)
    syncs.clear()
    api.fork("r1", nodes[-1], runsdir=str(bench.runsdir), run_id="r2")
    assert len(syncs) <= by_run
    assert api.verify("r2", runsdir=str(bench.runsdir)).mismatches == ()
