"""What is written for a project is a pipeline without a finding, whatever its names are."""

from __future__ import annotations

import tomllib

import pytest

from custody.engine.load import check
from custody.scaffold.project import Project
from custody.scaffold.repair import files

PYTHON = Project("Python, pytest", "python3 -m pytest -q", ("src/",), mixed=False)


@pytest.mark.parametrize(
    "project",
    [
        PYTHON,
        PYTHON._replace(tests='python3 -m pytest "a b"', mixed=True),
        PYTHON._replace(code=("a b/", 'q"uote.py', "c.py")),
    ],
)
def test_the_pipeline_has_no_finding(project: Project) -> None:
    written = files(project, ["codex"])
    read, findings = check(written["fix.dot"].decode())
    assert findings == ()
    assert read is not None
    assert read.nodes["test"].text("tool_command") == project.tests
    assert read.nodes["fix"].items("allowed_write_paths") == project.code


def test_a_warning_stands_where_tests_lie_among_the_code() -> None:
    assert b"look at the diff" in files(PYTHON._replace(mixed=True), [])["fix.dot"]
    assert b"look at the diff" not in files(PYTHON, [])["fix.dot"]


@pytest.mark.parametrize(
    ("agents", "agent"), [([], None), (["codex"], "codex"), (["claude", "codex"], "claude")]
)
def test_the_settings_name_an_agent_that_is_there(agents: list[str], agent: str | None) -> None:
    settings = tomllib.loads(files(PYTHON, agents)["custody.toml"].decode())
    assert settings.get("agent") == agent
    assert (settings["pipeline"], settings["workdir"]) == ("fix.dot", ".")
