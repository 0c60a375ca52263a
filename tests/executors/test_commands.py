"""A stage's command lines: where they run, what they see, and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from custody.checks.guards.secrets import Redactor
from custody.executors.commands import (
    CommandRunner,
    Ran,
    seen_workspace,
    status_of,
)
from custody.sandbox.landlock import has_scopes
from custody.sandbox.stage import Access
from custody.supervise.supervisor import Limits
from support.processes import LOSES_ITS_SERVER, server_killed
from support.stages import StageSite, shell

LONG = Limits(timeout=60)


def run(place: StageSite, runner: CommandRunner, text: str, **named: object) -> Ran:
    return runner.follow(
        shell(text), place.stage(), Access(), name="line", limits=LONG, **named  # type: ignore[arg-type]
    )  # fmt: skip


def test_streams_are_evidence(place: StageSite, runner: CommandRunner) -> None:
    ran = run(place, runner, "echo out; echo err >&2")
    assert ran.stdout.path == "nodes/n/1.1/line.stdout.log"
    assert (place.read(ran.stdout), place.read(ran.stderr)) == ("out\n", "err\n")


def test_a_line_runs_in_the_workspace_with_the_variables_of_its_stage(
    place: StageSite, runner: CommandRunner
) -> None:
    ran = run(place, runner, 'pwd; echo "$CUSTODY_NODE_ID $OWN"; echo "$TMPDIR"; ls "$TMPDIR"',
              variables={"OWN": "mine"})  # fmt: skip
    where, names, temporary = place.read(ran.stdout).splitlines()
    assert where == place.workspace.path
    assert names.split()[-1] == "mine"
    assert temporary.startswith(f"{place.run.path}/cache/")


def test_an_input(place: StageSite, runner: CommandRunner, tmp_path: Path) -> None:
    (tmp_path / "input").write_text("given")
    assert place.read(run(place, runner, "cat", stdin=f"{tmp_path}/input").stdout) == "given"


KILLS_ITS_SERVER = (
    ("kill -KILL $PPID", "ok", "`kill -KILL $PPID` ended with exit code 1")
    if has_scopes()
    else ("kill -KILL $PPID", "failed", "`kill -KILL $PPID` was ended: supervisor_lost")
)
"""A program can do that only where Landlock knows of no signals."""


@pytest.mark.parametrize(
    ("text", "status", "headline"),
    [
        ("exit 0", "ok", "`exit 0` ended with exit code 0"),
        ("exit 3", "ok", "`exit 3` ended with exit code 3"),
        KILLS_ITS_SERVER,
    ],
)
def test_how_a_line_ended(
    place: StageSite, runner: CommandRunner, text: str, status: str, headline: str
) -> None:
    ran = run(place, runner, text)
    assert (status_of(ran.result), ran.headline()) == (status, headline)
    assert ran.summary().startswith(headline)
    assert ran.note() == ""


def test_a_lost_server_is_no_end_of_a_line(place: StageSite, runner: CommandRunner) -> None:
    with server_killed(place.workspace.path):
        ran = run(place, runner, LOSES_ITS_SERVER)
    assert status_of(ran.result) == "failed"
    assert ran.headline() == f"`{LOSES_ITS_SERVER}` was ended: supervisor_lost"


def test_what_it_left_running_is_noted(place: StageSite, runner: CommandRunner) -> None:
    assert run(place, runner, "setsid sleep 600 &").note() == "killed what it left running: 1"


def test_what_held_is_told_by_the_sandbox(place: StageSite, runner: CommandRunner) -> None:
    stage = place.stage()
    runner.run(shell("true"), stage, Access(), name="line", timeout=60)
    assert stage.sandbox.confined is not None
    assert stage.sandbox.confined.level == "L1"


def test_where_programs_see_things(tmp_path: Path) -> None:
    for level, cache, workspace in (
        ("L1", "/cache/n.1.1", "/workspace"),
        ("L3", "/cache", "/ws"),
    ):
        home = tmp_path / level
        home.mkdir()
        place = StageSite(home, level)  # type: ignore[arg-type]
        stage = place.stage()
        caches = stage.sandbox.caches
        assert caches.path == f"{place.run.path}/cache/n.1.1"
        assert caches.seen(stage.sandbox.level).endswith(cache)
        assert seen_workspace(stage).endswith(workspace)
        assert (caches.seen(stage.sandbox.level) == caches.path) is (level == "L1")
        place.close()


def test_a_confined_line_changes_its_layer_alone(tmp_path: Path, runner: CommandRunner) -> None:
    place = StageSite(tmp_path, "L3")
    stage = place.stage()
    ran = runner.run(shell("echo new > new; pwd"), stage, Access(), name="line", timeout=60)
    assert ran.result.succeeded, ran
    assert place.read(ran.stdout) == "/ws\n"
    assert place.files == {}
    assert stage.sandbox.layers is not None
    assert Path(stage.sandbox.layers.upper, "new").read_text() == "new\n"
    place.close()


def test_toolchains_are_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}/late/bin:/usr/bin:/bin")
    place = StageSite(tmp_path, "L3")
    tool = tmp_path / "late" / "bin" / "tool"

    def exit_codes(times: int) -> Iterator[int | None]:
        with closing(CommandRunner(Redactor({}))) as runner:
            for _ in range(times):
                stage = place.stage()
                yield runner.run(
                    shell("tool"), stage, Access(), name="line", timeout=60
                ).result.exit_code

    before = exit_codes(2)
    first = next(before)
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\nexit 7\n")
    tool.chmod(0o755)
    assert [first, *before] == [127, 127], "what comes later is for the next process"
    assert [*exit_codes(2)] == [7, 7]
    place.close()
