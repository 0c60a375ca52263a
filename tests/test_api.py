"""What the command line, and everybody else, can ask for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from custody import api
from custody.errors import Interrupted, PathRefused, PipelineInvalid, RunExists, UsageError
from custody.executors import Stage
from custody.model.request import Ack, AgentRequest
from support.bench import Bench
from support.lists import OVER_RANGE, part


def test_a_pipeline_is_a_file_or_has_a_packaged_name(bench: Bench) -> None:
    assert api.load(bench.pipeline("start -> done")).name == "p"
    assert "write" in api.load("single").nodes
    with pytest.raises(UsageError, match="no pipeline at 'missing'"):
        api.load("missing")


def test_parts_are_found_from_the_folder_of_their_pipeline(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    part(bench)
    path = bench.pipeline(OVER_RANGE.format(more=""))
    monkeypatch.chdir("/")
    assert set(api.load(path).parts) == {"tasks"}


def test_findings_do_not_forbid_looking(bench: Bench) -> None:
    path = bench.pipeline("start -> nowhere")
    _, findings = api.check(path)
    assert findings
    with pytest.raises(PipelineInvalid):
        api.load(path)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"variables": {"nothing": "x"}}, "the pipeline has no variable 'nothing'"),
        ({"agent": "nobody"}, "no agent named 'nobody'"),
        ({"run_id": "../x"}, "cannot be"),
    ],
)
def test_what_cannot_be_meant_begins_no_run(
    bench: Bench, options: dict[str, Any], what: str
) -> None:
    with pytest.raises(UsageError, match=what):
        bench.run('a [prompt="x"] start -> a -> done', **options)
    assert not bench.runsdir.exists()


def test_an_agent_that_no_stage_asks_need_not_be_there(bench: Bench) -> None:
    assert bench.run("start -> done", agent="nobody").summary.status == "PASS"


def test_a_run_that_is_there_is_gone_on_with_or_refused(bench: Bench) -> None:
    bench.run("start -> done")
    with pytest.raises(RunExists, match="run r1 exists"):
        bench.run("start -> done")
    assert bench.run("start -> done", resume_existing=True).summary.status == "PASS"


class Shout:
    """Writes the prompt in capital letters, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        self.asked += 1
        text = (request.prompt.text or "").upper()
        if "STOP" in text and self.asked == 1:
            raise KeyboardInterrupt
        stage.workspace.root.write(f"shout{self.asked}.txt", text.encode())
        response = stage.folder.write("response.md", text)
        return Ack(request_id=request.id, status="ok", evidence=(response,))


ASKING = (
    'digraph p {{ start [shape=Mdiamond] a [prompt="{}"] done [shape=Msquare] start -> a -> done }}'
)


@pytest.mark.req("U-17")
def test_a_program_runs_text_with_an_agent_of_its_own(tmp_path: Path) -> None:
    agent = Shout()
    done = api.run(ASKING.format("hello"), agent=agent, runsdir=tmp_path, run_id="r1")
    assert (done.summary.status, agent.asked) == ("PASS", 1)
    assert (tmp_path / "r1/workspace/shout1.txt").read_text() == "HELLO\n"
    assert api.replay("r1", runsdir=str(tmp_path)).status == "PASS"
    assert api.verify("r1", runsdir=str(tmp_path)).mismatches == ()
    assert agent.asked == 1


@pytest.mark.req("U-17")
def test_what_is_no_agent_begins_no_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'object' is not an agent"):
        api.run(ASKING.format("hello"), agent=object(), runsdir=tmp_path)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.req("U-17")
def test_a_run_with_an_object_is_gone_on_with_by_one_of_its_class(tmp_path: Path) -> None:
    runs = str(tmp_path)
    with pytest.raises(Interrupted):
        api.run(ASKING.format("stop"), agent=Shout(), runsdir=runs, run_id="r1")
    with pytest.raises(UsageError, match="is an object of a Python program"):
        api.resume("r1", runsdir=runs)
    with pytest.raises(UsageError, match="its agent is python:"):
        api.resume("r1", runsdir=runs, agent="stub")
    again = Shout()
    again.asked = 1
    assert api.resume("r1", runsdir=runs, agent=again).summary.status == "PASS"
    assert api.fork("r1", "a", runsdir=runs, agent=again).summary.status == "PASS"
    assert again.asked == 3


@pytest.mark.req("U-17")
def test_objects_of_one_class_serve_runs_in_several_threads(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    agents = [Shout() for _ in range(4)]

    def one(number: int) -> str:
        text = ASKING.format(f"number {number}")
        done = api.run(text, agent=agents[number], runsdir=tmp_path, run_id=f"r{number}")
        return done.summary.status

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(4))) == ["PASS"] * 4
    assert [agent.asked for agent in agents] == [1, 1, 1, 1]


def test_a_run_gets_a_name_of_its_own(bench: Bench) -> None:
    names = {bench.run("start -> done", run_id="").run_id for _ in range(2)}
    assert len(names) == 2


def test_new_files_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert api.scaffold(str(folder), {"a": b"1", "b": b"2"}) == (f"{folder}/a", f"{folder}/b")
    with pytest.raises(UsageError, match="b exists"):
        api.scaffold(str(folder), {"c": b"3", "b": b"4"})
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"a": "1", "b": "2"}


def test_a_file_is_saved_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    api.save("plain", b"1")
    api.save(f"{tmp_path}/plain", b"2")
    assert (tmp_path / "plain").read_bytes() == b"2"
    (tmp_path / "link").symlink_to("plain")
    with pytest.raises(PathRefused):
        api.save("link", b"3")


def test_looking_at_a_pipeline(bench: Bench) -> None:
    path = bench.pipeline('a [prompt="x"] start -> a -> done')
    pipeline, planned = api.plan(path)
    assert [node.id for node in planned] == ["start", "a", "done"]
    assert pipeline.goal == "ship it"
    assert "-> a" in api.picture(path, "text")
    assert api.picture(path, "dot").startswith("digraph")


def test_what_this_machine_and_its_agents_can_do() -> None:
    found = api.doctor()
    assert found.offer.level in {"L1", "L2", "L3"}
    assert {"fake:ANSWERS", "stub"} <= api.agents().keys()


def test_what_is_not_needed_is_not_loaded() -> None:
    code = "import sys, custody.api; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    late = {"custody.engine.resume", "custody.engine.fork", "custody.supervise.supervisor"}
    assert late & set(done.stdout.split()) == set()
