from __future__ import annotations

import signal
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from custody.model.request import Command
from custody.supervise import command_list
from custody.supervise.command_list import End


def walk(commands: list[Command]) -> tuple[list[str], int]:
    """Follow a chain whose programs are called ``true`` and ``false``."""
    ran: list[str] = []
    end = End(0)
    for pipe in command_list.pipes(commands):
        if pipe.follows(end):
            ran.extend(command.argv[1] for command in pipe.commands)
            ends = [End(int(command.argv[0] == "false")) for command in pipe.commands]
            end = command_list.end_of_pipe(ends)
    return ran, end.exit_code


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["&&", "||", ";", "|"]), st.sampled_from(["true", "false"])),
        min_size=1,
        max_size=8,
    )
)
def test_a_chain_goes_the_way_a_shell_goes(parts: list[tuple[str, str]]) -> None:
    commands = [
        Command(argv=(program, str(number)), joined_by=joined if number else "")  # type: ignore[arg-type]
        for number, (joined, program) in enumerate(parts)
    ]
    text = " ".join(
        f"{command.joined_by} {{ echo {command.argv[1]} >&2; {command.argv[0]}; }}"
        for command in commands
    )
    shell = subprocess.run(
        ["bash", "-o", "pipefail", "-c", text], capture_output=True, check=False, text=True
    )
    ran, exit_code = walk(commands)
    assert sorted(ran) == sorted(shell.stderr.split())
    assert exit_code == shell.returncode


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ([End(0), End(0)], 0),
        ([End(3), End(0)], 3),
        ([End(3), End(4)], 4),
        ([End(141, signal.SIGPIPE), End(0)], 0),
        ([End(5), End(141, signal.SIGPIPE), End(0)], 5),
        ([End(0), End(141, signal.SIGPIPE)], 141),
        ([End(127, failure="tool_not_found: x"), End(0)], 127),
    ],
)
def test_a_pipe_fails_with_any_of_its_commands(ends: list[End], expected: int) -> None:
    assert command_list.end_of_pipe(ends).exit_code == expected


def test_a_signal_is_told_as_a_shell_tells_it() -> None:
    assert command_list.end_of(-signal.SIGKILL) == End(137, signal.SIGKILL)
    assert command_list.end_of(3) == End(3)
