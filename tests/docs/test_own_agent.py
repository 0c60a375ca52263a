"""The agent of the how-to page works as the page says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import walkthrough

PIPELINE = """digraph p {
    start [shape=Mdiamond]
    say   [prompt="hello"]
    done  [shape=Msquare]
    start -> say -> done
}
"""


def test_an_installed_agent_is_found_by_its_name(root: Path, tmp_path: Path) -> None:
    page = root / "docs" / "how-to" / "bring-your-own-agent.md"
    assert walkthrough.follow(page, tmp_path) == []
    project = (tmp_path / "pyproject.toml").read_text()
    entry = next(line for line in project.splitlines() if line.startswith("shout"))
    installed = tmp_path / "shouting_agent-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting-agent\n")
    (installed / "entry_points.txt").write_text(f"[custody.agents]\n{entry.replace(chr(34), '')}\n")
    (tmp_path / "p.dot").write_text(PIPELINE)
    command = "run p.dot --agent shout:loud.txt --run-id one"
    subprocess.run(
        [sys.executable, "-m", "custody", *command.split()],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, check=True, timeout=60,
    )  # fmt: skip
    assert (tmp_path / ".custody/runs/one/workspace/loud.txt").read_text().strip() == "HELLO"
