"""What coding agents have in common."""

from __future__ import annotations

import pytest

from custody.executors.agents import AgentContext, AgentType
from custody.executors.commands import CommandRunner
from custody.executors.programs.coding_agent import CodingAgent
from custody.executors.programs.coding_cli import added_folders, program_of
from custody.executors.registry import agent_type
from custody.executors.settings import Settings


@pytest.mark.parametrize(
    ("workdir", "added", "expected"),
    [
        ("", "", []),
        ("", "docs, lib/", ["docs", "lib"]),
        ("src", "docs,src/inner", ["../docs", "inner"]),
        ("a/b", "a", [".."]),
    ],
)
def test_folders_are_told_from_where_the_program_works(
    workdir: str, added: str, expected: list[str]
) -> None:
    settings = Settings("x", {"x.workdir": workdir, "x.add_dirs": added}, {})
    assert added_folders(settings) == expected


@pytest.mark.parametrize("name", ["codex", "claude", "opencode"])
def test_each_is_made_by_its_adapter(name: str, runner: CommandRunner) -> None:
    kind = agent_type(name)
    assert isinstance(kind, AgentType)
    assert kind.starts_programs
    context = AgentContext(
        name=name,
        runner=lambda: runner,
        environment={},
        sessions=lambda: pytest.fail("a session is opened"),
    )
    assert isinstance(kind.make("model", context), CodingAgent)


@pytest.mark.req("U-18")
@pytest.mark.parametrize(
    ("executable", "workdir", "expected"),
    [
        ("", "src", "x"),
        ("other", "src", "other"),
        ("/opt/x", "src", "/opt/x"),
        ("bin/x", "", "bin/x"),
        ("bin/x", "src", "../bin/x"),
        ("src/x", "src", "./x"),
    ],
)
def test_a_program_of_the_workspace_is_named_from_where_it_works(
    executable: str, workdir: str, expected: str
) -> None:
    attributes = {"x.workdir": workdir} | ({"x.executable": executable} if executable else {})
    assert program_of(Settings("x", attributes, {}), "x") == expected
