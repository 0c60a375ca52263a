"""The tools that skills run in: how each is started, and what an error looks like in its log.

A tool takes requests by the executor, one file of Tcl (`EXECUTOR`), which is the last word of the
command line that starts it. All that differs between tools stands in `TOOLS`. Tools print errors
and go on as if nothing had happened; so what a script has made the tool print counts as well:
`Tool.error_patterns` find an error in it. A contract can add to them.
"""

from __future__ import annotations

from typing import Final

import custody.skills
from custody.model.record import Record

EXECUTOR: Final = f"{custody.skills.__path__[0]}/tcl/executor.tcl"
"""The program that runs inside each of them."""
SESSION: Final = "tool"
"""What the session of a skill is called."""


class Tool(Record, frozen=True):
    """A program with a Tcl interpreter in which the executor stays."""

    name: str
    command: tuple[str, ...]
    """The words that start it, up to the one that names the script to begin with."""
    error_patterns: tuple[str, ...] = ()
    """Regular expressions; a line of its log in which one is found tells of an error."""
    started: str = ""
    """The program of its own, where another one starts it; empty where that comes first."""
    marked: int = 2
    """How many of its streams have marks around what a request prints: standard output, or both.

    What is on the other one counts for any request.
    """

    @property
    def program(self) -> str:
        """Return the name by which it is looked for."""
        return self.started or self.command[0]

    def argv(self, executor: str = EXECUTOR) -> tuple[str, ...]:
        """Return the command line that starts it with the executor."""
        return (*self.command, executor)


TOOLS: Final = {
    tool.name: tool
    for tool in (
        Tool(
            "innovus", ("innovus", "-no_gui", "-init"), (r"\*\*(?:ERROR|FATAL)\b", r"#ERROR\b")
        ),
        # `-no_init` leaves out ~/.sta; without `-exit` it would ask for commands in the end.
        # What Tcl prints to `stderr` goes to its standard output, its own errors do not. An error
        # can follow what a script has printed on the same line. As long as the executor is not
        # there it opens no file whose path is more than ASCII, nor does yosys: a descriptor has
        # no name.
        Tool(
            "opensta",
            ("sh", "-c", 'exec sta -no_init -no_splash -exit /dev/fd/3 3<"$0" 2>&1'),
            (r"(?:Error|Fatal)(?: \d+)?:",),
            started="sta",
            marked=1,
        ),
        # Its C++ streams would keep what they print until long after the ack.
        Tool(
            "yosys",
            ("sh", "-c", 'exec stdbuf -oL yosys -Q -T -c /dev/fd/3 3<"$0"'),
            (r"^(?:.*: )?ERROR\b",),
            started="yosys",
        ),
        Tool(
            "magic",
            ("magic", "-dnull", "-noconsole", "-rcfile", "/dev/null"),
            (
                r"^(?:Error|Fatal)\b",
                r"couldn't be (?:read|opened|written|found)\b",
                r"^(?:Warning: )?(?:Cannot|Can't) (?:open|find|read|write|load)\b",
                r"^Could(?: not|n't) (?:open|find|read|write|load)\b",
                r"is not one of the .* Magic knows",
                r"(?:isn't|is not) a valid\b",
                r"^Unrecognized (?:layer|command|option)",
                r"does not exist or is not readable",
                r"^No such cell\b",
                r"^(?:Box|Box tool|Cell|Selection) must (?:be|have)\b",
                r"^(?:Grid spacing|Option|Rotation angle) must be\b",
                r"cannot be parsed\b",
                r"^[Uu]sage: ",
            ),
        ),
        Tool(
            "netgen",
            ("netgen-lvs", "-batch", "source"),
            (r"^Error\b", r"unable to (?:find|open) file", r"^No (?:such )?(?:cell|file)\b"),
        ),
        Tool("tclsh", ("tclsh",)),
    )
}  # fmt: skip
"""Every tool by the name that a contract gives it."""
