"""A command runs in the workspace, and exit code 0 is what is asked for."""

from __future__ import annotations

import pytest

from custody import api
from custody.handlers import handlers
from custody.handlers.tool import DEFAULT_TIMEOUT
from custody.model.event import StageStarted
from custody.model.request import ToolRequest
from support.bench import Bench


def request(bench: Bench, more: str = "", command: str = "true") -> ToolRequest:
    bench.run(f't [type=tool, tool_command="{command}"{more}] start -> t -> done')
    found = next(f for f in bench.facts() if isinstance(f, StageStarted) and f.node == "t")
    assert isinstance(found.request, ToolRequest)
    return found.request


def test_a_plain_command_needs_no_shell(bench: Bench) -> None:
    made = request(bench, command="ls -l a")
    assert [command.argv for command in made.line.commands] == [("ls", "-l", "a")]
    assert (made.timeout, made.network, made.id) == (DEFAULT_TIMEOUT, (), "t/1.1")


def test_its_settings_are_in_the_request(bench: Bench) -> None:
    made = request(bench, ', timeout=5s, network="a.example:1"')
    assert (made.timeout, made.network) == (5, ("a.example:1",))


@pytest.mark.parametrize(("command", "status"), [("true", "PASS"), ("false", "FAIL")])
def test_exit_code_0_is_asked_for(bench: Bench, command: str, status: str) -> None:
    result = bench.run(f't [type=tool, tool_command="{command}"] start -> t -> done')
    assert result.summary.status == status


def test_a_path_that_may_not_be_written_is_refused(bench: Bench) -> None:
    body = 't [type=tool, tool_command="touch a", allowed_write_paths="b"] start -> t -> done'
    assert bench.run(body).summary.status == "FAIL"
    assert not bench.path("workspace/a").exists()


@pytest.mark.parametrize("command", ["cat /etc/passwd", "ls ..", "cat ~/x"])
def test_a_command_that_leaves_the_workspace_is_a_finding(bench: Bench, command: str) -> None:
    path = bench.pipeline(f't [type=tool, tool_command="{command}"] start -> t -> done')
    _, findings = api.check(path)
    assert [finding.code for finding in findings] == ["tool_command"]


def test_it_starts_programs(bench: Bench) -> None:
    pipeline = api.load(bench.pipeline('t [type=tool, tool_command="x"] start -> t -> done'))
    assert handlers()["tool"].starts_programs(pipeline.nodes["t"], "fake")
