"""The session of the how-to page works as the page says."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import walkthrough

PAGE = "docs/how-to/keep-a-program-running.md"


def test_one_program_serves_both_stages(root: Path, tmp_path: Path) -> None:
    assert walkthrough.follow(root / PAGE, tmp_path) == []
    written = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]
    ((name, where),) = written["entry-points"]["custody.agents"].items()
    installed = tmp_path / "keeping_agent-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {written['name']}\n")
    (installed / "entry_points.txt").write_text(f"[custody.agents]\n{name} = {where}\n")

    def custody(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "custody", *words], cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip

    done = custody("run", "keep.dot", "--run-id", "fruit")
    assert done.returncode == 0, done.stderr
    run = tmp_path / ".custody/runs/fruit"
    assert (run / "nodes/two/1.1/response.md").read_text() == "apples pears\n"
    log = " ".join(custody("log", "fruit").stdout.split())
    assert "SessionOpened - words, token 1:" in log
    assert "SessionClosed - words, token 1: run_ended" in log
    assert custody("verify", "fruit").returncode == 0


def test_its_agent_needs_public_names_only(root: Path, tmp_path: Path) -> None:
    walkthrough.follow(root / PAGE, tmp_path)
    tree = ast.parse((tmp_path / "keeping_agent.py").read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"custody", "pathlib"}
