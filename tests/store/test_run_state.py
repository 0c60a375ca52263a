"""How a run stands is told by who holds it and by its last line."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from custody import api
from custody.model import layout
from custody.store.root import Root
from custody.store.run_state import last_event, stage_of, state_of
from custody.store.rundir import RunDirectory
from support.bench import Bench
from support.counted import until
from support.shell import WAITING, Shell

TOOL = 'work [type=tool, tool_command="true"]\nstart -> work -> done'


def state(path: str | Path) -> str:
    with Root.open(str(path)) as run:
        return state_of(run)


def cut_to(path: Path, event: str) -> None:
    """Leave the journal of a run as it was after its first line of that kind."""
    lines = (path / layout.EVENTS).read_bytes().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if f'"event":"{event}"'.encode() in line)
    (path / layout.EVENTS).write_bytes(b"".join(lines[: at + 1]))


@pytest.mark.req("U-12")
def test_an_ended_run(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert state(bench.run(TOOL).path) == "PASS"
    failed = bench.run(TOOL.replace("true", "false"), run_id="r2").path
    assert state(failed) == "FAIL"
    with RunDirectory.open(failed, write=True):
        assert state(failed) == "FAIL"


@pytest.mark.req("U-12")
def test_a_run_without_a_process_is_not_running(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    path = Path(bench.run(TOOL).path)
    cut_to(path, "StageStarted")
    assert state(path) == "CRASHED"
    with RunDirectory.open(str(path), write=True):
        assert state(path) == "RUNNING"
    assert state(path) == "CRASHED"
    with (path / layout.EVENTS).open("ab") as stream:
        stream.write(b'{"torn')
    assert state(path) == "CRASHED"


@pytest.mark.req("U-12")
def test_a_run_that_waits(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    run = bench.run('work [prompt="x"]\nstart -> work -> done', agent="outbox")
    assert run.waiting
    assert state(run.path) == "WAITING"
    shown = api.show(run.path)
    assert (shown.state, shown.at_work) == ("WAITING", ())
    [row] = api.list_runs(str(bench.runsdir))
    assert (row.status, row.state, row.stage) == ("RUNNING", "WAITING", "work")


def test_what_is_no_journal(tmp_path: Path) -> None:
    assert state(tmp_path) == "BROKEN"
    (tmp_path / layout.EVENTS).write_text("no\n")
    with Root.open(str(tmp_path)) as run:
        assert (last_event(run), stage_of(run), state_of(run)) == ("", "", "BROKEN")


def test_a_last_line_longer_than_a_piece(tmp_path: Path) -> None:
    long = "x" * 200_000
    (tmp_path / layout.EVENTS).write_text(
        f'{{"event":"StageStarted"}}\n{{"event":"RunInterrupted","x":"{long}"}}\n'
    )
    with Root.open(str(tmp_path)) as run:
        assert last_event(run) == "RunInterrupted"


@pytest.mark.req("U-12")
def test_from_another_terminal(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.write("p.dot", WAITING)
    process = shell.start("run", "p.dot", "--run-id", "r1")
    try:
        journal = tmp_path / ".custody/runs/r1" / layout.EVENTS
        until(journal, '"node":"wait"')
        row = shell("runs", "--json").data["runs"][0]
        assert row["state"] == "RUNNING"
        shown = shell("show", "r1")
        assert shown.out.startswith("RUNNING  waiting  run r1\n  wait/1.1 is at work\n")
        assert "next:     custody log r1 --follow" in shown.out
        assert shell("show", "r1", "--json").data["at_work"] == ["wait/1.1"]
        assert shell("rm", "r1", "--force").code == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    finally:
        process.kill()
        process.wait()
    assert shell("runs", "--json").data["runs"][0]["state"] == "INTERRUPTED"
    shown = shell("show", "r1")
    assert shown.out.startswith("INTERRUPTED  waiting  run r1\n")
    assert "next:     custody resume r1" in shown.out
    assert "[wait]" in shell("runs").out
