"""What a command gives back, and what it must offer to be one.

A command is a module of `custody.cli` with

    ABOUT       what it does, in a sentence or two
    EXAMPLES    command lines that work as they stand
    arguments   declares its arguments
    execute     calls one function of `custody.api` and says what came of it

It neither prints nor exits: `custody.cli.main` does both.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, Protocol

Tone = Literal["", "good", "bad", "warn", "strong", "faint"]


class Line(NamedTuple):
    """One line for a person."""

    text: str
    tone: Tone = ""
    """How it is coloured, where colour is wanted; the text says the same without it."""
    hang: int | None = None
    """How far the rest is indented where a terminal is too narrow for it; None leaves it whole, as
    a command to paste and a text of others must be."""


class Result(NamedTuple):
    """What a command has to say, for a program and for a person."""

    data: Any
    """What ``--json`` prints: one document, or one a line when it is an iterator."""
    text: Iterable[Line]
    status: Literal["PASS", "FAIL", "RUNNING"] = "PASS"
    """Decides the exit code: done, failed, or waiting for a person."""
    exit_code: int | None = None
    """The exit code where the status alone does not tell it."""
    verbatim: bool = False
    """Whether the text goes to a file or a pipe as it is, control characters and all."""
    raw: Iterable[bytes] | None = None
    """What goes to a file or a pipe in place of the text, byte for byte, as a patch must."""


class Arguments(Protocol):
    """Something that arguments are declared to: a parser, or the reference."""

    def add_argument(self, *names: str, **settings: Any) -> Any:
        """Declare one argument, as `argparse` takes it."""
        ...


class CommandModule(Protocol):
    """The module of one command."""

    ABOUT: str
    EXAMPLES: tuple[str, ...]

    def arguments(self, parser: Arguments) -> None:
        """Declare the arguments."""
        ...

    def execute(self, options: Namespace) -> Result:
        """Do what was asked for."""
        ...
