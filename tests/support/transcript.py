"""What a user types on a terminal and what stands there afterwards, kept as text.

    terminal("custody check typo.dot")
    terminal.must_be_as_kept()

compares with ``tests/transcripts/screens/<name>.<columns>.txt``, in which the commands, their
screens and their exit codes stand as they follow each other. What differs from one run to the next
is written as something that does not: times as ``0.0s``, moments as one of them, hashes as zeros.

Every screen must be fit to be read and pasted from: the terminal folds no line by itself, unless it
is a single word that is too long for it, and no control character is left over.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from custody.cli.render.terminal import width
from support.terminal import Screen, Shown

SCREENS = Path(__file__).parent.parent / "transcripts" / "screens"
SIZES = (80, 140)
PROMPT = "$ "
_STEERING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""What moves the cursor, erases or colours."""
_SAME = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "0" * 64),
    (re.compile(r"\b[0-9a-f]{40}\b"), "0" * 40),
    (re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{12}\b"), "0" * 12),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\b"), "2026-01-31T10:15:00"),
    (re.compile(r"(?<![\d-])\d\d-\d\d \d\d:\d\d\b"), "01-31 10:15"),
    (re.compile(r"/tmp/tmp\.\w{10}\b"), "/tmp/tmp.0000000000"),
    (re.compile(r"\bdemo_\d{8}_\d{6}\b"), "demo_20260131_101500"),
    (re.compile(r"\b127\.0\.0\.1:\d+"), "127.0.0.1:8377"),
)
_TIME = re.compile(r"( *)(?<![\w.])(?:\d+ms|\d+\.\ds|\d+m\d\ds)(?![\w.])( *)")
_COLUMN = re.compile(r"( +)time( {2,})")


class Transcript:
    """One user at one terminal, in a folder with a home of his own and nothing set up."""

    def __init__(self, name: str, columns: int, place: Path) -> None:
        self.columns = columns
        self.folder = place / "work"
        self.home = place / "home"
        self._place = place
        self._kept = SCREENS / f"{name}.{columns}.txt"
        self._parts: list[str] = []
        for folder in (self.folder, self.home):
            folder.mkdir()
        custody = place / "bin" / "custody"  # the one that the interpreter of the tests finds
        custody.parent.mkdir()
        custody.write_text(f'#!/bin/sh\nexec {sys.executable} -m custody "$@"\n')
        custody.chmod(0o755)
        programs = Path(sys.executable).parent
        self.environment = {
            "PATH": f"{custody.parent}:{programs}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "GIT_PAGER": "cat",
        }

    def write(self, name: str, text: str) -> Path:
        """Write a file into the user's folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def program(self, name: str, text: str) -> Path:
        """Write a file that can be started."""
        path = self.write(name, text)
        path.chmod(0o755)
        return path

    def __call__(self, line: str, *, under: Sequence[str] = (), before: str = "") -> Shown:
        """Type a command, wait for its end, and keep the screen, or what stands ``before`` a line.

        ``under`` are the words of a program that starts the shell, to change the machine for it.
        """
        with self.typed(line, under=under) as screen:
            done = screen.ended()
            self.keep(line, screen, done.code, before=before)
        return done

    def typed(self, line: str, *, under: Sequence[str] = ()) -> Screen:
        """Type a command and go on while it runs."""
        alone = not set(line) & set(";|&<>")  # else Ctrl-C would end the shell as well
        return Screen(
            [*under, "/bin/sh", "-c", f"exec {line}" if alone else line],
            folder=self.folder,
            environment=self.environment,
            columns=self.columns,
            owns_terminal=True,
        )

    def keep(
        self,
        line: str,
        screen: Screen,
        code: int | None = None,
        *,
        after: str = "",
        before: str = "",
    ) -> None:
        """Keep what stands on a screen, and the exit code of a program that has ended.

        ``after`` is what else has happened since the command was typed.
        """
        must_be_fit(screen)
        lines = screen.lines()
        if before:
            end = next(at for at, text in enumerate(lines) if text.startswith(before))
            lines = [*lines[:end], "[and more, which differs by machine]"]
        same = [_same(text, right=code is None and bool(at)) for at, text in enumerate(lines)]
        text = "\n".join((f"{PROMPT}{line}", *([f"[{after}]"] if after else ()), *same))
        ended = "\n[still at work]" if code is None else f"\n[exit code {code}]"
        self._parts.append(f"{text}{ended}\n")

    def must_be_as_kept(self) -> None:
        """Compare everything that was kept with what is in the file."""
        shown = "\n".join(self._parts)
        kept = self._kept.read_text() if self._kept.exists() else ""
        if shown == kept:
            return
        seen = self._place / self._kept.name
        seen.write_text(shown)
        difference = difflib.unified_diff(
            kept.splitlines(), shown.splitlines(), "kept", "shown", lineterm=""
        )
        raise AssertionError(
            "\n".join((*difference, "", f"if that is right: cp {seen} {self._kept}"))
        )


def _same(line: str, *, right: bool) -> str:
    """Return a line as it is whenever it is shown.

    Times are as far from their neighbours as the columns of a table are: those of a live picture
    stand ``right`` in theirs.
    """
    for found, instead in _SAME:
        line = found.sub(instead, line)
    if right:
        return _TIME.sub(lambda time: f"{'0.0s':>{len(time[0]) - len(time[2])}}{time[2]}", line)
    line = _TIME.sub(lambda time: f"{time[1]}0.0s{time[2][:2]}", line)
    return _COLUMN.sub(lambda word: f"{word[1]}time{word[2][:2]}", line)


def must_be_fit(screen: Screen) -> None:
    """Fail for a screen that a person cannot read, or cannot paste from."""
    for line in _STEERING.sub("", screen.printed.decode()).replace("\r", "\n").split("\n"):
        assert line.isprintable(), f"a control character is left over: {line!r}"
        folds = width(line) > screen.columns and " " in line.strip()
        assert not folds, f"the terminal folds it: {line!r}"


def copied(source: Path, target: Path) -> None:
    """Copy a file or a folder with its times, as `make` looks at them."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target)
