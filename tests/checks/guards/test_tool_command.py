"""A tool's command: which texts name a place outside, and which need a shell."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from custody.checks.guards.shell_text import ALTERNATIVES
from custody.checks.guards.tool_command import (
    LENGTH_LIMIT,
    check_tool_command,
    needs_shell,
    split_words,
    to_command_line,
)
from custody.errors import CommandRefused
from support.sweep import examples

CORPUS = Path(__file__).parents[2] / "hostile" / "corpus.json"
CASES = [case for case in json.loads(CORPUS.read_text()) if case["surface"] == "tool_command"]
BEYOND_TEXT = {
    "tool_command-006",  # a path that a program makes
    "tool_command-012",  # a script of the workspace
    "tool_command-013",  # text of a file
    "tool_command-016",  # a socket
    "tool_command-017",
}
"""Cases that no reading of the text can refuse: only the confinement of the process can."""


def refused(text: str) -> bool:
    try:
        check_tool_command(text)
    except CommandRefused as error:
        return error.code == "tool_command"
    return False


@pytest.mark.req("P-09")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_corpus(case: dict[str, Any]) -> None:
    expected = case["expect"] != "accept" and case["id"] not in BEYOND_TEXT
    assert refused(case["input"]) is expected


@pytest.mark.req("P-09")
@pytest.mark.parametrize(
    "text",
    [
        "cat ../x",
        "cd ..",
        "cat a/../../b",
        "cat 'a b' \"../x\"",
        "echo x >>../y",
        "x --file=../y",
        "x --files=a,../y",
        "tar -C../x",
        "gcc -I..",
        "cat .\\./x",
        'cat .""./x',
        "cat .''./x",
        "cat $'\\x2e\\x2e/x'",
        "cat $'\\056./x'",
        "cat $'\\u002e./x'",
        "cat {.,}./x",
        "cat .{.,}/x",
        "cat .$x./y",
        "cat .${x}./y",
        "ls .*",
        "ls .?/x",
        "ls .[.]/x",
        "ls ..*",
        "x=${y:-../z}",
        "cat http://../../x",
        "npm install file:../x",
        'echo "$(cat ../x)"',
        "sh -c 'cat ../x'",
    ],
)
def test_a_parent_component_is_refused(text: str) -> None:
    assert refused(text)


@pytest.mark.req("P-09")
@pytest.mark.parametrize(
    "text",
    [
        "ls /",
        "grep -c / f",
        "cat /etc/passwd",
        "cat \\/etc/passwd",
        "cat '/etc/passwd'",
        'cat "/etc/passwd"',
        "cat </etc/passwd",
        "echo x >/etc/y",
        "echo x > /dev/null",
        "cat {/,}etc/passwd",
        "cat {a,{b,/c}}",
        "cat $'\\x2fetc/x'",
        "x --file=/y",
        "x a:/b",
        "x a,/b",
        "curl -d @/etc/x",
        "tar -C/etc",
        "git -C/ log",
        "curl file:///etc/passwd",
        "curl FILE:/etc/passwd",
        "`/bin/ls`",
        "$(/bin/ls)",
        "sh -c 'cat /etc/passwd'",
        "sh -c 'cat </etc/passwd'",
        "python -c \"open('/x')\"",
        "x=${y:-/etc}",
        "cat \\\n/etc/passwd",
        "cat 'unclosed /x",
    ],
)
def test_an_absolute_path_is_refused(text: str) -> None:
    assert refused(text)


@pytest.mark.req("P-09")
@pytest.mark.parametrize(
    "text",
    [
        "ls ~",
        "ls ~/x",
        "ls ~root",
        "A=~/x ls",
        "A=b:~/c ls",
        "cat '~/x'",
        "ls $HOME",
        "ls ${HOME}/x",
    ],
)
def test_a_home_directory_is_refused(text: str) -> None:
    assert refused(text)


@pytest.mark.req("P-09")
@pytest.mark.parametrize(
    "text",
    [
        "go test ./...",
        "git log HEAD~1",
        "git log HEAD~2..HEAD main..dev",
        "for i in {1..3}; do echo $i; done",
        "curl https://host/x?next=/y",
        "sed 's/a/b/' f > out.txt",
        "grep -q '</html>' index.html",
        "grep -E '.*' f",
        'a=src; echo $a/b "$PWD/x"',
        "npm install @scope/package x@1.0",
        "[[ $a =~ b ]]",
        "gcc -Isrc/include -Llib/x a.c",
        "ls src/{a,b}/c ./* .[!.]*",
        "awk '{print $1}' f",
        "echo a 2>&1 | tee log.txt",
        "pip install 'x~=1.0'",
        "echo ${X:-y} $((1+2))",
        "cat <<EOF\nit's\nEOF",
        "python -m pytest tests/a.py::test_b[1]",
        "git show HEAD:a/b",
        "echo ... a..b ..c d..",
        "echo 'a ~ b'",
    ],
)
def test_ordinary_commands_pass(text: str) -> None:
    check_tool_command(text)


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_an_empty_command_is_refused(text: str) -> None:
    assert refused(text)


def test_a_brace_expansion_without_end_is_refused() -> None:
    assert refused("echo " + "{a,b}" * 40)
    assert not refused("echo {" + ",".join("a" * (ALTERNATIVES - 1)) + "}")


@given(st.text(max_size=60) | st.text("./{},'\"\\$~=<>*?[]() ax\n`", max_size=40))
def test_any_text_gets_an_answer(text: str) -> None:
    refused(text)
    assert needs_shell(text) or split_words(text) == tuple(shlex.split(text))


@given(st.text("ab./- ", max_size=12))
def test_plain_commands_are_judged_as_others_are(text: str) -> None:
    assume(text.strip())
    assert refused(text) == refused(f"{text} 'x'")
    assert needs_shell(text) == needs_shell(f"{text} 'x'")


PIECES = st.sampled_from(
    [*"/.{},'\"\\~=ax *?", "..", "$'", "\\x2e", "\\056", "[.]", "b:", "-C", '""', "''", '$"']
)


@pytest.mark.req("P-09")
@pytest.mark.parametrize("shell", ["sh", "bash"])
@given(text=st.lists(PIECES, min_size=1, max_size=8).map("".join))
@settings(max_examples=examples(60), deadline=None)
def test_no_quoting_or_expansion_hides_a_way_out(
    shell: str, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assume(not refused(text))
    folder = tmp_path_factory.getbasetemp() / "empty"
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        [shell, "-c", f"printf '%s\\0' {text}"],
        cwd=folder,
        capture_output=True,
        check=False,
        env={"HOME": "/home/somebody"},
    )
    assume(done.returncode == 0)
    for word in done.stdout.decode().split("\0"):
        assert not word.startswith("/")
        assert ".." not in word.split("/")
        assert "/home/somebody" not in word


@pytest.mark.parametrize(
    "text",
    [
        "a && b",
        "a | b",
        "a; b",
        "a &",
        "a > b",
        "a\nb",
        "(a)",
        "a $b",
        "a `b`",
        "a *.py",
        "a b?",
        "a [bc]",
        "a {b,c}",
        "a ~/b",
        "a b\\ c",
        "a b'c'",
        "A=b c",
        "cd a",
        "export A=b",
        "! a",
        "if a",
        ". ./a",
        "a # b",
        "a\tb",
    ],
)
def test_needs_a_shell(text: str) -> None:
    assert needs_shell(text)
    assert to_command_line(text).commands[0].argv == ("sh", "-c", text)
    with pytest.raises(CommandRefused):
        split_words(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("go test ./...", ("go", "test", "./...")),
        ("python -c 'print(1); print(2)'", ("python", "-c", "print(1); print(2)")),
        ('grep -q "a*b" f', ("grep", "-q", "a*b", "f")),
        ("make X=1", ("make", "X=1")),
        ("echo it#1 a$", ("echo", "it#1", "a$")),
        ("./run.sh 'a[1]'", ("./run.sh", "a[1]")),
    ],
)
def test_needs_no_shell(text: str, words: tuple[str, ...]) -> None:
    assert not needs_shell(text)
    line = to_command_line(text)
    assert line.text == text
    assert [command.argv for command in line.commands] == [words]


@pytest.mark.parametrize("text", ["a" * (LENGTH_LIMIT + 1), "echo '\0'", "a\0b"])
def test_what_no_kernel_would_start_is_refused(text: str) -> None:
    with pytest.raises(CommandRefused, match="it holds a NUL, or more than"):
        check_tool_command(text)
