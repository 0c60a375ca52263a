"""A plan is carried out: files first, then commands, up to the first that fails."""

from __future__ import annotations

import json
from typing import Any

import pytest

from custody.executors.commands import CommandRunner
from custody.executors.verification import VerificationExecutor
from custody.model.evidence import Evidence
from custody.model.request import Ack, VerificationRequest
from support.processes import LOSES_ITS_SERVER, server_killed
from support.stages import StageSite, named, shell


def verify(
    place: StageSite, runner: CommandRunner, files: tuple[str, ...], *lines: str
) -> tuple[Ack, Any]:
    request = VerificationRequest(
        id="n/1.1",
        timeout=60,
        plan=Evidence.of_text("nodes/n/1.1/plan.json", "{}"),
        required_files=files,
        lines=tuple(map(shell, lines)),
    )
    ack = VerificationExecutor(runner).execute(request, place.stage())
    return ack, json.loads(place.read(named(ack.evidence)["verification.results.json"]))


def test_files_and_commands(place: StageSite, runner: CommandRunner) -> None:
    place.workspace.root.write("there", b"x")
    ack, results = verify(place, runner, ("there",), "true", "echo said")
    assert (ack.status, ack.exit_code) == ("ok", 0)
    assert results["files"] == [{"path": "there", "present": True}]
    assert [(row["command"], row["exit_code"]) for row in results["commands"]] == [
        ("true", 0),
        ("echo said", 0),
    ]
    assert len(ack.evidence) == 5


def test_a_missing_file_ends_it_before_any_command(place: StageSite, runner: CommandRunner) -> None:
    place.workspace.root.make_dirs("folder")
    place.workspace.root.write_link("link", "there")
    ack, results = verify(place, runner, ("folder", "link", "missing"), "touch ran")
    assert [row["present"] for row in results["files"]] == [False, False, False]
    assert results["commands"] == []
    assert (ack.status, ack.exit_code) == ("ok", None)
    assert "ran" not in place.files


def test_the_first_command_that_fails_is_the_last(place: StageSite, runner: CommandRunner) -> None:
    ack, results = verify(place, runner, (), "true", "exit 4", "touch ran")
    assert [row["exit_code"] for row in results["commands"]] == [0, 4]
    assert (ack.status, ack.exit_code) == ("ok", 4)
    assert "exit code 4" in ack.failure_summary
    assert "ran" not in place.files


def test_a_command_that_was_not_carried_out_is_no_result(
    place: StageSite, runner: CommandRunner
) -> None:
    with server_killed(place.workspace.path):
        ack, results = verify(place, runner, (), LOSES_ITS_SERVER)
    assert ack.status == "failed"
    assert results["commands"][0]["exit_code"] is None


def test_nothing_to_verify(place: StageSite, runner: CommandRunner) -> None:
    ack, results = verify(place, runner, ())
    assert (ack.status, results["commands"], results["files"]) == ("ok", [], [])


@pytest.mark.req("G-02")
def test_a_command_prepares_nothing_for_the_next(place: StageSite, runner: CommandRunner) -> None:
    """The one may be an agent's choice, and the other the pipeline's."""
    plant = "for place in $PYTHONPYCACHEPREFIX $GOCACHE $TMPDIR $HOME; do mkdir -p $place; "
    plant += "echo planted > $place/planted; done"
    look = "! ls $PYTHONPYCACHEPREFIX/planted $GOCACHE/planted $TMPDIR/planted $HOME/planted"
    _, results = verify(place, runner, (), plant, f"{look} | grep planted")
    assert [row["exit_code"] for row in results["commands"]] == [0, 0]
