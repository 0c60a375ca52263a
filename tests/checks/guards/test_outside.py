"""What a shell makes of a tool's command: an admitted one never names a place outside.

The judge is a real shell. Every program that it finds is one that writes down its arguments, so
that nothing here depends on how the text is read by the rules.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from custody.checks.guards.outside import as_written, way_out
from custody.checks.guards.shell_text import DOLLAR, GLOB
from custody.checks.guards.tool_command import check_tool_command
from custody.errors import CommandRefused
from support.sweep import examples

HOME = "/home/somebody"
RECORDER = '#!/bin/sh\nprintf "%s\\0" "$@" >> "$LOG"\n'


class Shells:
    """A folder with nothing in it, and shells that find one program."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "work"
        self._log = home / "log"
        self._programs = home / "programs"
        for folder in (self.folder, self._programs):
            folder.mkdir(parents=True)
        (self._programs / "p").write_text(RECORDER)
        (self._programs / "p").chmod(0o755)
        for shell in ("sh", "bash"):
            (self._programs / shell).symlink_to(str(shutil.which(shell)))

    def words(self, shell: str, text: str) -> list[str]:
        """Return every argument that the program was given."""
        self._log.write_bytes(b"")
        subprocess.run(
            [str(self._programs / shell), "-c", text],
            cwd=self.folder,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=60,
            env={"HOME": HOME, "PATH": str(self._programs), "LOG": str(self._log)},
        )
        return os.fsdecode(self._log.read_bytes()).split("\0")[:-1]

    def leads_out(self, word: str) -> bool:
        """Whether a word, or a part of it if it is a list, begins or climbs outside."""
        return any(self._is_outside(part) for part in re.split(r"[\s:,;|&\"'`]", word))

    def _is_outside(self, path: str) -> bool:
        inside = path == str(self.folder) or path.startswith(f"{self.folder}/")
        return (path.startswith("/") and not inside) or ".." in path.split("/")


@pytest.fixture(scope="module")
def shells(tmp_path_factory: pytest.TempPathFactory) -> Shells:
    """Return the shells of this module."""
    return Shells(tmp_path_factory.mktemp("shells"))


def admitted(text: str) -> bool:
    try:
        check_tool_command(text)
    except CommandRefused:
        return False
    return True


PIECES = st.sampled_from([
    *"/.{},'\"\\~=ax *?[]#:@-\n;()", "..", "$'", "\\x2e", "\\056", "\\57", "[.]", "-C", '""', "''",
    '$"', "$n", "${n}", "$1", "$@", "${n-", "${n:-", "}", "$(true)", "`true`", "``", "$(p ", ")",
    "`p ", "`", " p ", "; p ", "\np ", "eval p ", "sh -c '", 'eval "', "<<E\n", "\nE\n", "\\\n",
    "$HOME", "$PWD", "# ", "\t", "|p ", "&& p ", "\u00a0",
])  # fmt: skip


@pytest.mark.req("P-09")
@pytest.mark.parametrize("shell", ["sh", "bash"])
@given(pieces=st.lists(PIECES, min_size=1, max_size=9))
@settings(max_examples=examples(60), deadline=None)
def test_an_admitted_command_names_nothing_outside(
    shell: str, pieces: list[str], shells: Shells
) -> None:
    text = "p " + "".join(pieces)
    assume(admitted(text))
    assert [word for word in shells.words(shell, text) if shells.leads_out(word)] == []


def spelled(character: str) -> st.SearchStrategy[str]:
    """Return ways to write one character of a path."""
    code = ord(character)
    ways = [
        character, character, f"\\{character}", f"'{character}'", f'"{character}"',
        f'""{character}', f"$n{character}" if character in "/." else character,
        f"${{n}}{character}", f"$(true){character}", f"``{character}", f"\\\n{character}",
        f"$'\\x{code:02x}'", f"$'\\{code:03o}'", f"{{{character},}}" if character != "." else ".",
    ]  # fmt: skip
    return st.sampled_from(ways)


def wrapped(command: str) -> st.SearchStrategy[str]:
    """Return ways to have one command run."""
    quoted = shlex.quote(command)
    return st.sampled_from([
        command, command, f"sh -c {quoted}", f"bash -c {quoted}", f"eval {quoted}",
        f"true # it's\n{command}", f": <<E\n'\nE\n{command}", f'p "$({command})"', f"({command})",
        f"p `{command}`" if "`" not in command and "\\" not in command else command,
        f"{{ {command}; }}", f"if true; then {command}; fi", f"n= {command}",
    ])  # fmt: skip


COMMANDS = (
    st.sampled_from(["/etc/x", "../x", "a/../../x", "/", "..", "~/x", "--a=/x"])
    .flatmap(lambda path: st.tuples(*map(spelled, path)))
    .map(lambda parts: "p " + "".join(parts))
    .flatmap(wrapped)
    .flatmap(wrapped)
)


@pytest.mark.req("P-09")
@pytest.mark.parametrize("shell", ["sh", "bash"])
@given(text=COMMANDS)
@example(text="p .$(true)./x")
@example(text='p "$(p "a" .\\./x)"')
@example(text="true # it's\np .\\./x")
@example(text="true # it's\np .$(true)./x")
@example(text="sh -c 'p $n/etc/x'")
@example(text="bash -c 'p --a{=,}/x'")
@settings(max_examples=examples(60), deadline=None)
def test_whatever_a_way_out_is_written_as_it_is_refused(
    shell: str, text: str, shells: Shells
) -> None:
    words = shells.words(shell, text)
    assume(any(shells.leads_out(word) or HOME in word or "=/" in word for word in words))
    assert not admitted(text)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("/etc/passwd", "absolute"),
        ("-I/usr/include", "absolute"),
        ("--file=/etc/passwd", "absolute"),
        ("a:/etc", "absolute"),
        ("file:/etc/passwd", "absolute"),
        ("../x", ".."),
        ("a/../../x", ".."),
        ("-C..", ".."),
        (f".{GLOB[1]}/x", ".."),
        ("~/x", "home"),
        ("--rc=~/x", "home"),
        ("${HOME}", "home"),
        ("${HOME}/x", "gives its variable a value"),
        ("${OLDPWD}", "home"),
        ("${n}/etc", "gives its variable a value"),
        ("${PWD}x", "beside the workspace"),
        ("${PWD%x}", "beside the workspace"),
        ("${n:-/etc}", "absolute"),
        ("a/${n}../x", ".."),
    ],
)
def test_what_is_wrong_with_a_word(word: str, reason: str) -> None:
    assert reason in way_out(word, f"p {word}")


@pytest.mark.parametrize(
    "word",
    [
        "a/b",
        "a..b",
        "...",
        "http://example.com/x",
        "s/a/b/",
        "${PWD}/x",
        "${TMPDIR}/x",
        "-x",
        "",
    ],
)
def test_a_word_that_stays_inside(word: str) -> None:
    assert way_out(word, f"p {word}") == ""


def test_a_variable_that_the_text_gives_a_value_is_followed_nowhere() -> None:
    assert way_out("${n}/x", "n=a; p ${n}/x") == ""
    assert way_out("${n}/x", "for n in a b; do p ${n}/x; done") == ""
    assert way_out("${n}/x", "n=; p ${n}/x") != ""


def test_a_word_is_shown_as_it_was_written() -> None:
    assert as_written(f"{GLOB}{DOLLAR}x") == "*?[]$x"


@pytest.mark.parametrize("word", ["file:///etc/x", "file:/etc/x", "FILE://localhost/etc/x"])
def test_a_url_of_a_file_leads_out(word: str) -> None:
    assert way_out(word, f"p {word}") == "holds an absolute path"
