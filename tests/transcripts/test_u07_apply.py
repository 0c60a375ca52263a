"""The changes of a run are taken over: all or none, to the source or as a commit."""

from __future__ import annotations

import pytest

from support.programs import needs
from support.transcript import Transcript

PIPELINE = """digraph change {
  start [shape=Mdiamond]
  work  [type=tool, tool_command="sh change.sh"]
  done  [shape=Msquare]
  start -> work -> done
}
"""
SCRIPT = """echo new > app.py
rm gone.txt
mkdir docs && echo more > docs/more.md
chmod +x change.sh
ln -s app.py link.py
"""


@needs("git")
@pytest.mark.req("U-07")
@pytest.mark.usefixtures("confined")
def test_from_a_run_to_the_source_and_to_a_branch(terminal: Transcript) -> None:
    (terminal.home / ".gitconfig").write_text("[user]\nname = Ann\nemail = ann@example.org\n")
    terminal.write(".gitignore", ".custody/\n")
    terminal.write("change.dot", PIPELINE)
    terminal.write("change.sh", SCRIPT)
    terminal.write("gone.txt", "gone\n")
    app = terminal.write("app.py", "old\n")
    terminal("git init -qb main && git add . && git commit -qm 'Begin'")
    terminal("custody run change.dot --workdir . --run-id r1")
    app.write_text("mine\n")
    terminal("custody apply r1")
    app.write_text("old\n")
    terminal("custody apply r1 --dry-run")
    terminal("custody apply r1 --branch fix")
    terminal("git show --no-patch --format='%an%n%n%B' fix")
    terminal("git status --short")
    terminal("custody apply r1")
    terminal("git status --short")
    terminal("custody apply r1")
    terminal.must_be_as_kept()
