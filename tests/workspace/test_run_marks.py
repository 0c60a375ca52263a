"""No run, wherever it was kept, comes into the workspace of another."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from custody import api
from custody.errors import ConfinementMissing, PathRefused
from custody.model import layout
from custody.model.event import PipelineStarted
from support.bench import Bench

NOTHING = "start -> done"


def copied(run: str) -> list[str]:
    workspace = Path(run) / layout.WORKSPACE
    return sorted(str(path.relative_to(workspace)) for path in workspace.rglob("*"))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    (made.workdir / "app.py").write_text("x\n")
    return made


@pytest.mark.req("U-06")
@pytest.mark.parametrize("place", [".custody/runs", "other", "a/b/runs", "."])
def test_runs_in_any_folder_of_the_source_are_left_out(place: str, bench: Bench) -> None:
    pipeline = bench.pipeline(NOTHING)
    inside = bench.workdir / place
    for name in ("r1", "r2"):
        api.run(pipeline, workdir=str(bench.workdir), runsdir=str(inside), run_id=name)
    killed = inside / layout.unpublished("r3")
    (killed / layout.BLOBS).mkdir(parents=True)
    found = api.run(pipeline, workdir=str(bench.workdir), runsdir=str(bench.runsdir), run_id="z")
    left = [path for path in copied(found.path) if not (inside / path).is_dir()]
    assert [name for name in left if "r1" in name or "r2" in name or "r3" in name] == []
    names = copied(found.path)
    assert "app.py" in names
    assert not any(layout.EVENTS in name or layout.SOURCES in name for name in names)
    first = bench.facts("z")[0]
    assert isinstance(first, PipelineStarted)
    assert any(path.endswith("r1") for path in first.workspace.omitted)


@pytest.mark.req("U-06")
def test_the_runs_of_a_run_are_left_out_and_so_are_those_of_others(bench: Bench) -> None:
    pipeline = bench.pipeline(NOTHING)
    inside = str(bench.workdir / "runs")
    api.run(pipeline, workdir=str(bench.workdir), runsdir=inside, run_id="r1")
    second = api.run(pipeline, workdir=str(bench.workdir), runsdir=inside, run_id="r2")
    assert copied(second.path) == ["app.py"]


@pytest.mark.req("U-06")
def test_a_copy_of_a_run_is_known_by_its_journal(bench: Bench) -> None:
    run = bench.run(NOTHING).path
    shutil.copytree(run, bench.workdir / "evidence" / "renamed")
    assert copied(bench.run(NOTHING, run_id="r2").path) == ["app.py", "evidence"]


def test_files_of_those_names_that_are_no_run_are_copied(bench: Bench) -> None:
    for name in (layout.EVENTS, layout.MANIFEST, f"{layout.SOURCES}/README"):
        (bench.workdir / name).parent.mkdir(exist_ok=True)
        (bench.workdir / name).write_text('{"event": "click"}\n')
    (bench.workdir / layout.unpublished("thing")).mkdir()
    (bench.workdir / layout.unpublished("thing") / "x").write_text("x")
    found = copied(bench.run(NOTHING).path)
    assert {layout.EVENTS, f"{layout.SOURCES}/README", ".new.thing/x"} <= set(found)


def test_a_run_is_no_source(bench: Bench) -> None:
    run = bench.run(NOTHING).path
    pipeline = bench.pipeline(NOTHING)
    with pytest.raises(PathRefused, match="a run cannot be a source"):
        api.run(pipeline, workdir=run, runsdir=str(bench.runsdir), run_id="r2")
    done = api.run(pipeline, workdir=f"{run}/workspace", runsdir=str(bench.runsdir), run_id="r3")
    assert copied(done.path) == ["app.py"]


@pytest.mark.req("U-06")
@pytest.mark.parametrize("level", ["L3", "L2"])
def test_no_run_can_be_read_from_a_workspace(level: str, bench: Bench) -> None:
    first = bench.run(NOTHING).path
    (bench.workdir / "look.sh").write_text(
        f"cat {first}/{layout.EVENTS} ../../r1/{layout.EVENTS} ../{layout.EVENTS} 2>&1\n"
        f"ls {bench.runsdir} .. ../.. 2>&1\nexit 0\n"
    )
    body = 'work [type=tool, tool_command="sh look.sh"]\nstart -> work -> done'
    try:
        run = bench.run(body, run_id="r2", confinement=level).path
    except ConfinementMissing as error:
        pytest.skip(str(error))
    said = (Path(run) / "nodes/work/1.1/tool.stdout.log").read_text()
    assert "PipelineStarted" not in said
    assert "r1\n" not in said
