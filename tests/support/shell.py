"""The command line as a user has it: a process of its own, in a folder of the test's."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

FAILING = """
digraph failing {
    graph [goal="Fail"]
    start [shape=Mdiamond]
    test  [type=tool, tool_command="ls missing"]
    done  [shape=Msquare]
    start -> test -> done
}
"""
WAITING = """
digraph waiting {
    start [shape=Mdiamond]
    wait  [type=tool, tool_command="sleep 300"]
    done  [shape=Msquare]
    start -> wait -> done
}
"""
"""Its tool outlasts every test, and must be ended."""


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """Return the JSON on standard output."""
        return json.loads(self.out)


class Shell:
    """Runs commands in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("CUSTODY_") and name not in {"NO_COLOR", "COLUMNS"}
        } | {"TERM": "xterm"}

    def __call__(self, *words: str, stdin: str = "", **environment: str) -> Done:
        """Run ``custody`` with these words, and a text on its standard input."""
        done = subprocess.run(
            command(*words),
            cwd=self.folder,
            env=self.environment | environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, *words: str, **streams: Any) -> subprocess.Popen[str]:
        """Start ``custody`` with these words, and go on."""
        return subprocess.Popen(
            command(*words), cwd=self.folder, env=self.environment, text=True, **streams
        )

    def on_terminal(self, *words: str, **environment: str) -> Done:
        """Run ``custody`` with both streams on one terminal; what it printed is in ``out``."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            command(*words),
            cwd=self.folder,
            env=self.environment | environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        printed = b""
        try:
            while data := os.read(ours, 65536):
                printed += data
        except OSError:
            pass  # how Linux says that nobody holds the other end any more
        finally:
            os.close(ours)
        return Done(process.wait(120), printed.decode(), "")

    def write(self, name: str, text: str) -> str:
        """Write a file and return its name."""
        (self.folder / name).write_text(text)
        return name


class Here(Shell):
    """Runs the same commands in the process of the test, which takes a fifth of the time.

    It is for those who ask many things of a run, and not for what a process does by itself: how
    it starts, what it hides, how it hears of signals and ends.
    """

    def __call__(self, *words: str, stdin: str = "", **environment: str) -> Done:
        """Run ``custody`` with these words, and a text on its standard input."""
        from custody.cli import main

        out, err = _stream(), _stream()
        given = self.environment | environment
        with (
            pytest.MonkeyPatch.context() as change,
            chdir(self.folder),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            for name in os.environ.keys() - given.keys():
                change.delenv(name)
            for name in given:
                change.setenv(name, given[name])
            change.setattr(sys, "stdin", _stream(stdin))
            code = main(words)
        return Done(code, _text(out), _text(err))


def _stream(text: str = "") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def command(*words: str) -> list[str]:
    """Return the command line that starts custody."""
    return [sys.executable, "-m", "custody", *words]
