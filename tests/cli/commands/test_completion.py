from __future__ import annotations

import subprocess

import pytest

from custody.cli import main
from custody.cli.commands import commands
from custody.cli.commands.completion import SHELLS
from support.shell import Shell


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_is_completed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert [name for name in commands() if name not in script] == []
    assert "accept-pipeline-change" in script


def test_bash_understands_it(custody: Shell) -> None:
    script = custody("completion", "bash").out
    asked = "COMP_WORDS=(custody ver); COMP_CWORD=1; COMPREPLY=(); _shtab_custody; "
    asked += 'echo "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "-c", f"{script}\n{asked}"], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["verify"]


def test_without_shtab_it_says_what_to_install(custody: Shell) -> None:
    custody.write("shtab.py", "raise ImportError\n")
    done = Shell(custody.folder)("completion", "bash", PYTHONPATH=".")
    assert done.code == 1
    assert done.err == (
        "error: completion needs the package shtab\n"
        "  hint: pip install 'custody-runtime[completion]'\n"
    )
