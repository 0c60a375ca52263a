"""A project's own tools work in a stage, by their absolute paths, and toolchains are named once."""

from __future__ import annotations

import sys

import pytest

from support.transcript import Transcript

PIPELINE = """digraph tools {
  start [shape=Mdiamond]
  hello [type=tool, tool_command=".venv/bin/hello"]
  chain [type=tool, tool_command="sh chain.sh"]
  done  [shape=Msquare]
  start -> hello -> chain -> done
}
"""
HELLO = """#!PYTHON
import os, pathlib, sys
assert os.getcwd() == "SOURCE", os.getcwd()
assert sys.prefix == "SOURCE/.venv", sys.prefix
print(pathlib.Path("SOURCE/name.txt").read_text().strip(), "by its absolute path")
"""


@pytest.mark.req("U-08")
@pytest.mark.usefixtures("confined")
def test_a_script_of_the_environment_and_a_toolchain(terminal: Transcript) -> None:
    source, chain = terminal.folder / "source", terminal.home / "chain"
    python = source / ".venv/bin/python3"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    terminal.write("source/.venv/pyvenv.cfg", f"home = {sys.base_prefix}/bin\n")
    hello = HELLO.replace("PYTHON", str(python)).replace("SOURCE", str(source))
    terminal.program("source/.venv/bin/hello", hello)
    terminal.write("source/name.txt", "hello\n")
    chain.mkdir()
    (chain / "release.txt").write_text("toolchain 1.2\n")
    terminal.write("source/chain.sh", f"cat {chain}/release.txt 2>&1 | sed 's/.*: //'; exit 0\n")
    terminal.write("tools.dot", PIPELINE)
    terminal("custody run tools.dot --workdir source --run-id r1")
    terminal("custody show r1 chain")
    settings = terminal.home / ".config/custody/custody.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'toolchains = ["{chain}"]\n')
    terminal("custody run tools.dot --workdir source --run-id r2 -q")
    terminal("custody show r2 hello")
    terminal("custody show r2 chain")
    terminal.must_be_as_kept()
