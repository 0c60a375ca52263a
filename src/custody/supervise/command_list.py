"""What a chain of commands means: which of them run, and how the whole of it ended.

A chain reads from left to right as in a shell: ``&&`` and ``||`` bind equally, ``;`` goes on in
any case, ``|`` binds closest. One rule is stricter than a shell's: a pipe fails when any of its
commands fails, because the last one's success would hide that. A command that was ended by
``SIGPIPE`` did not fail: its reader had read enough.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import NamedTuple

from custody.model.request import Command

EXIT_CANNOT_START = 126
EXIT_NOT_FOUND = 127
SIGNAL_BASE = 128
"""A program ended by signal n has the exit code 128 + n."""


class End(NamedTuple):
    """How one command, or the whole of a chain, ended."""

    exit_code: int
    signal: int = 0
    """The signal that ended it; 0 when it ended by itself."""
    failure: str = ""
    """Why it could not be started, as ``code: detail``; empty when it was."""


class Pipe(NamedTuple):
    """Commands that run at the same time, each reading what the one before it writes."""

    joined_by: str
    commands: tuple[Command, ...]

    def follows(self, end: End) -> bool:
        """Tell whether it runs after a chain that ended like this so far."""
        if self.joined_by == "&&":
            return end.exit_code == 0
        if self.joined_by == "||":
            return end.exit_code != 0
        return True


def pipes(commands: Sequence[Command]) -> list[Pipe]:
    """Split a chain where it is not joined by ``|``."""
    found: list[Pipe] = []
    for command in commands:
        if command.joined_by == "|" and found:
            before = found.pop()
            found.append(Pipe(before.joined_by, (*before.commands, command)))
        else:
            found.append(Pipe(command.joined_by, (command,)))
    return found


def end_of(status: int) -> End:
    """Read a status as ``wait`` gives it, already turned into an exit code by the system."""
    return End(status) if status >= 0 else End(SIGNAL_BASE - status, -status)


def end_of_pipe(ends: Sequence[End]) -> End:
    """Return the last end that is a failure, or the last of all when none is."""
    for end in reversed(ends):
        if end.exit_code and (end.signal != signal.SIGPIPE or end is ends[-1]):
            return end
    return ends[-1]
