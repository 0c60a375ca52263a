"""A tool's command is run, and how it ended is told; whether that is good, a gate says."""

from __future__ import annotations

from custody.executors.commands import CommandRunner
from custody.executors.tool import ToolExecutor
from support.stages import StageSite, named, tool_request


def test_a_command_that_succeeds(place: StageSite, runner: CommandRunner) -> None:
    ack = ToolExecutor(runner).execute(tool_request("echo out; echo err >&2"), place.stage())
    assert (ack.status, ack.exit_code, ack.failure_reason, ack.failure_summary) == ("ok", 0, "", "")
    streams = named(ack.evidence)
    assert place.read(streams["tool.stdout.log"]) == "out\n"
    assert place.read(streams["tool.stderr.log"]) == "err\n"


def test_a_failing_command_was_carried_out(place: StageSite, runner: CommandRunner) -> None:
    ack = ToolExecutor(runner).execute(tool_request("echo why >&2; exit 3"), place.stage())
    assert (ack.status, ack.exit_code, ack.failure_reason) == ("ok", 3, "")
    assert "ended with exit code 3" in ack.failure_summary
    assert "why" in ack.failure_summary


def test_one_that_takes_too_long(place: StageSite, runner: CommandRunner) -> None:
    ack = ToolExecutor(runner).execute(tool_request("sleep 600", timeout=0.1), place.stage())
    assert (ack.status, ack.failure_reason) == ("timeout", "timeout")


def test_what_it_leaves_running_is_told(place: StageSite, runner: CommandRunner) -> None:
    ack = ToolExecutor(runner).execute(tool_request("setsid sleep 600 &"), place.stage())
    assert (ack.status, ack.notes) == ("ok", "killed what it left running: 1")


def test_one_that_cannot_be_started(place: StageSite, runner: CommandRunner) -> None:
    import msgspec

    from custody.model.request import Command, CommandLine

    line = CommandLine(text="no-such-tool", commands=(Command(argv=("no-such-tool",)),))
    request = msgspec.structs.replace(tool_request(""), line=line)
    ack = ToolExecutor(runner).execute(request, place.stage())
    assert (ack.status, ack.failure_reason) == ("failed", "tool_not_found: no-such-tool")
