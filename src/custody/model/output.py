"""What the commands of a stage left: the exit code, and the streams as evidence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.record import Record
from custody.model.request import Ack

STDOUT: Final = "stdout"
STDERR: Final = "stderr"
EXIT_CODE: Final = "exit_code"
FIELDS: Final = (STDOUT, STDERR, EXIT_CODE)
"""What a later stage may ask for, by name."""

DEFAULT_LIMIT: Final = 20 << 10
"""Bytes of output that a prompt shows where nobody says how many."""


class Output(Record, frozen=True):
    """The last command that a stage has run; of a verification that failed, the one that did."""

    exit_code: int | None
    """None when the runtime ended it."""
    stdout: Evidence | None
    stderr: Evidence | None

    @classmethod
    def of(cls, ack: Ack) -> Output | None:
        """Return what an answer tells of commands; None when it is not one about commands."""
        stdout, stderr = (_last(ack.evidence, stream) for stream in (0, 1))
        if stdout is None and stderr is None:
            return None
        return cls(exit_code=ack.exit_code, stdout=stdout, stderr=stderr)


def output_named(name: str) -> tuple[str, str] | None:
    """Return the node and the field that ``NODE.stdout`` and the like name; None for others."""
    node, _, field = name.rpartition(".")
    return (node, field) if node and field in FIELDS else None


def _last(evidence: Iterable[Evidence], stream: int) -> Evidence | None:
    found = [each for each in evidence if layout.is_command_stream(each.path, stream)]
    return found[-1] if found else None
