"""The tutorial for the first day, followed word for word in one shell, without a network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import walkthrough
from support.real_agents import FOLDER, program
from support.real_project import PACKAGES, fetched
from support.servers import free_port

WHEELS = Path(sys.prefix) / "wheels"
"""What custody needs, fetched by make."""
PORT = "8377"


@pytest.fixture
def environment(root: Path, tmp_path: Path) -> dict[str, str]:
    """Return that of a reader with git, both agents, and folders instead of a registry."""
    fetched()
    for agent in ("claude", "codex"):
        program(agent)
    if not any(WHEELS.glob("*.whl")):
        pytest.skip(f"what custody needs was not fetched: `make {WHEELS}`")
    home, built = tmp_path / "home", tmp_path / "built"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = A Reader\nemail = reader@example.org\n")
    subprocess.run(
        [
            sys.executable, "-m", "build", "--no-isolation", "--wheel",
            "--outdir", str(built), str(root),
        ],
        check=True, capture_output=True, timeout=240,
    )  # fmt: skip
    return {
        "PATH": f"{Path(sys.executable).parent}:{FOLDER}:{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": f"{built} {WHEELS} {PACKAGES}",
    }


@pytest.mark.req("U-04", "U-07", "U-08")
def test_every_command_does_what_the_page_shows(
    root: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    page = (root / "docs" / "tutorial" / "ten-minutes.md").read_text("utf-8")
    folder = tmp_path / "reader"
    folder.mkdir()
    wrong = walkthrough.in_one_shell(page.replace(PORT, str(free_port())), folder, environment)
    assert not wrong, "\n\n".join(wrong)
