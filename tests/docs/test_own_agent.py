"""The agents of the how-to page work as the page says."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import walkthrough

PIPELINE = """digraph p {
    start [shape=Mdiamond]
    say   [prompt="hello"]
    done  [shape=Msquare]
    start -> say -> done
}
"""
PAGE = "docs/how-to/bring-your-own-agent.md"


class Project:
    """The project of the page, installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def custody(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "custody", *words], cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip


@pytest.fixture
def project(root: Path, tmp_path: Path) -> Project:
    assert walkthrough.follow(root / PAGE, tmp_path) == []
    written = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]
    entries = written["entry-points"]["custody.agents"]
    installed = tmp_path / "my_agents-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {written['name']}\n")
    lines = [f"{name} = {where}" for name, where in entries.items()]
    (installed / "entry_points.txt").write_text("\n".join(["[custody.agents]", *lines, ""]))
    return Project(tmp_path)


def test_an_installed_agent_is_found_by_its_name(project: Project) -> None:
    (project.folder / "pipeline.dot").write_text(PIPELINE)
    command = "run pipeline.dot --agent shout:loud.txt --run-id one"
    assert project.custody(*command.split()).returncode == 0
    loud = project.folder / ".custody/runs/one/workspace/loud.txt"
    assert loud.read_text().strip() == "HELLO"


@pytest.mark.req("U-17")
def test_it_starts_a_program_with_its_settings(project: Project) -> None:
    done = project.custody("run", "greet.dot", "--run-id", "one")
    assert done.returncode == 0, done.stderr
    run = project.folder / ".custody/runs/one"
    assert (run / "workspace/greeting.txt").read_text() == "Welcome\n"
    assert (run / "nodes/say/1.1/response.md").read_text() == "hello\n"
    assert '"timeout": 10.0' in (run / "nodes/say/1.1/mine.log.jsonl").read_text()
    assert '"level": "L1"' not in (run / "manifest.json").read_text()


@pytest.mark.req("U-17")
def test_its_settings_are_checked(root: Path, project: Project) -> None:
    assert project.custody("check", "greet.dot").returncode == 0
    pipeline = project.folder / "greet.dot"
    pipeline.write_text(pipeline.read_text().replace("=Welcome", "=Ahoy"))
    refused = project.custody("check", "greet.dot")
    assert refused.returncode == 1
    (shown,) = re.findall(r"^```text\n(.*?)\n```$", (root / PAGE).read_text(), re.MULTILINE)
    assert shown in refused.stdout
    pipeline.write_text(pipeline.read_text().replace("mine.greeting=Ahoy", "mine.greting=Hello"))
    warned = project.custody("check", "greet.dot")
    assert "knows no attribute 'mine.greting'" in warned.stdout
    assert "did you mean 'mine.greeting'?" in warned.stdout


def test_doctor_lists_it(project: Project) -> None:
    text = project.custody("doctor").stdout
    assert re.search(r"^  shout:FILE +Writes the prompt to a file", text, re.MULTILINE)
    assert re.search(r"^  mine +Writes a greeting", text, re.MULTILINE)


@pytest.mark.req("U-17")
def test_it_needs_public_names_only(project: Project) -> None:
    tree = ast.parse((project.folder / "my_agents.py").read_text())
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node).split(" import ")[0] for node in imported] == ["from custody"]
