"""Where nothing can confine, that is said first, with cause and remedy; elsewhere: Linux only."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support import refusing
from support.transcript import Transcript, copied

NEEDED = ("Makefile", "pyproject.toml", "scripts/demo.sh", "examples/fix-failing-test")
NEW_USER = 0x10000000
NOTHING = {"landlock_create_ruleset": (0, "EPERM"), "clone": (NEW_USER, "EPERM")}
"""What a container's filter may refuse."""
TOOL = """digraph tool {
  start [shape=Mdiamond]
  test  [type=tool, tool_command="true"]
  done  [shape=Msquare]
  start -> test -> done
}
"""
ELSEWHERE = "import sys; sys.platform = 'darwin'; from custody.__main__ import main; main()"


@pytest.fixture
def checkout(terminal: Transcript, root: Path) -> Transcript:
    """Return a terminal in what the demo needs of a checkout."""
    prepared = Path(sys.prefix) / ".custody"
    if not prepared.exists():
        pytest.skip("the environment was not made by `make`")
    for name in NEEDED:
        copied(root / name, terminal.folder / name)
    (terminal.folder / ".venv").symlink_to(sys.prefix)
    return terminal


@pytest.mark.req("U-20")
def test_the_demo_and_what_doctor_says(checkout: Transcript) -> None:
    under = refusing.command(NOTHING)
    checkout.write("tool.dot", TOOL)
    checkout("make demo", under=under)
    checkout("custody run tool.dot", under=under)
    checkout("custody doctor", under=under, before="kernel ")
    checkout(f'python3 -c "{ELSEWHERE}"')
    checkout.must_be_as_kept()
