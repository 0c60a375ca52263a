"""What the pages about agents say to try offline works, with the real agents."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import walkthrough
from custody.executors.registry import check_agent
from support.real_agents import FOLDER, program
from support.servers import free_port

SCRIPT = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PORT = "8377"


@pytest.mark.parametrize("agent", ["codex", "claude", "opencode", "api"])
def test_the_offline_trial_works(root: Path, tmp_path: Path, agent: str) -> None:
    if agent != "api":
        program(agent)
    page = root / "docs" / "how-to" / f"use-{agent}.md"
    assert walkthrough.follow(page, tmp_path) == []
    (script,) = SCRIPT.findall(page.read_text())
    path = f"{Path(sys.executable).parent}:{FOLDER}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", script.replace(PORT, str(free_port()))],
        cwd=tmp_path,
        env={
            "PATH": path,
            "HOME": str(tmp_path),
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = (tmp_path / ".custody" / "runs").iterdir()
    assert (run / "workspace" / "greeting.txt").read_text() == "hello\n"
    response = (run / "nodes/write/1.1/response.md").read_text()
    assert response.splitlines()[0] == "I wrote greeting.txt."


@pytest.mark.req("P-14")
@pytest.mark.parametrize("agent", ["codex", "claude", "opencode", "api", "command"])
def test_every_setting_stands_on_its_page(root: Path, agent: str) -> None:
    page = (root / "docs" / "how-to" / f"use-{agent}.md").read_text()
    settings = [rule.name for rule in check_agent(agent).rules()]
    assert [name for name in settings if f"| `{name}` |" not in page] == []
