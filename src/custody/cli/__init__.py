"""The command line: one file a command, and one place where exit codes are decided.

    0    done
    1    failed, or wrong usage
    2    internal error
    3    waiting for a person
    130  interrupted

``custody scenario`` has its own: a script's, or 86.

Only the module of the command that was asked for is imported, and what is heavy only inside its
functions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from custody.errors import (
    EXIT_DONE,
    EXIT_FAILED,
    EXIT_INTERNAL,
    EXIT_WAITING,
    CustodyError,
    Interrupted,
    UsageError,
)

_EXITS = {"PASS": EXIT_DONE, "FAIL": EXIT_FAILED, "RUNNING": EXIT_WAITING}


def main(argv: Sequence[str] | None = None, *, prepare: Callable[[], None] | None = None) -> int:
    """Run the command that ``argv`` asks for and return the exit code.

    ``prepare`` is called as soon as it is certain that there is a command to execute.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    from custody.cli import output

    output.prepare()
    as_json = "--json" in words
    try:
        return _execute(words, prepare, as_json=as_json)
    except (CustodyError, KeyboardInterrupt) as caught:
        error = caught if isinstance(caught, CustodyError) else Interrupted("interrupted")
        output.complain(error, as_json=as_json)
        _settle_interrupt()
        return error.exit_code
    except BaseException as error:  # noqa: BLE001 - code of others may want to end the process
        output.complain_of_bug(error, as_json=as_json, debug="--debug" in words)
        return EXIT_INTERNAL


def _execute(words: list[str], prepare: Callable[[], None] | None, *, as_json: bool) -> int:
    from custody.cli import output, parser

    parsed = parser.parse(words)
    if isinstance(parsed, str):
        output.give_text(parsed)
        return EXIT_DONE
    if prepare is not None:
        prepare()
    _require_folder()
    result = parsed.command.execute(parsed.options)
    output.give(result, as_json=as_json)
    return _EXITS[result.status] if result.exit_code is None else result.exit_code


def _require_folder() -> None:
    """Raise `UsageError` where the current folder is none any more: every path begins at it."""
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError("the current folder is gone", hint="go to one that is there") from None


def _settle_interrupt() -> None:
    """Let the process end with the exit code, not by a signal.

    A `KeyboardInterrupt` that leaves code run from a string, as named tuples do when their module
    is imported, stays noted in the interpreter although it was caught, and Python then ends itself
    by SIGINT. Running another string clears the note.
    """
    exec("")  # noqa: S102
