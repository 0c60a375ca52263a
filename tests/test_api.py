"""What the command line, and everybody else, can ask for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from custody import api
from custody.errors import PathRefused, PipelineInvalid, RunExists, UsageError
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
