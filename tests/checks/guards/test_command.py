"""The command guard: normal form, allowlist, and one code for each way to be refused."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from custody.checks.guards.command import admit, parse_command, read_allowed
from custody.checks.guards.environment import ALLOWED
from custody.errors import CommandRefused
from custody.model.request import Command, CommandLine
from support.sweep import examples

CORPUS = Path(__file__).parents[2] / "hostile" / "corpus.json"
CASES = [case for case in json.loads(CORPUS.read_text()) if case["surface"] == "command"]
LIST = (
    "go test",
    "go build",
    "pytest",
    "python -m pytest",
    "make test",
    "git log",
    "yes",
    "sleep",
)


def code_of(text: str, allowed: tuple[str, ...] = LIST, workdir: str = "") -> str:
    with pytest.raises(CommandRefused) as refused:
        admit(text, allowed, workdir=workdir)
    assert refused.value.what
    return refused.value.code


def argvs(line: CommandLine) -> list[str]:
    return [f"{command.joined_by} {' '.join(command.argv)}".strip() for command in line.commands]


@pytest.mark.req("P-07", "P-08")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_corpus(case: dict[str, Any]) -> None:
    kind, _, code = case["expect"].partition(":")
    if kind == "deny" and code not in {"output_limit", "timeout"}:
        assert code_of(case["input"]) == code
        return
    (command,) = admit(case["input"], LIST).commands
    assert bool(command.workdir) == (code == "workdir")
    assert bool(command.environment) == (code == "env")


@pytest.mark.req("P-08")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("go test ./...", Command(argv=("go", "test", "./..."))),
        ("cd agent && go test", Command(argv=("go", "test"), workdir="agent")),
        ("cd ./agent/ && go test", Command(argv=("go", "test"), workdir="agent")),
        ("cd . && go test", Command(argv=("go", "test"))),
        ("cd a && cd b/c && go test", Command(argv=("go", "test"), workdir="a/b/c")),
        ("cd 'a b' && go test", Command(argv=("go", "test"), workdir="a b")),
        ("(go test)", Command(argv=("go", "test"))),
        ("((go test))", Command(argv=("go", "test"))),
        ("(cd agent && (go test))", Command(argv=("go", "test"), workdir="agent")),
        ("CI=1 TZ=UTC go test", Command(argv=("go", "test"), environment={"CI": "1", "TZ": "UTC"})),
        ("export CI=1 && go test", Command(argv=("go", "test"), environment={"CI": "1"})),
        (
            'cd agent && export GOCACHE="$PWD/.gocache" TZ=UTC && CI=1 go test',
            Command(
                argv=("go", "test"),
                workdir="agent",
                environment={"GOCACHE": "$PWD/.gocache", "TZ": "UTC", "CI": "1"},
            ),
        ),
        (
            "GOCACHE=${PWD}/c go test",
            Command(argv=("go", "test"), environment={"GOCACHE": "$PWD/c"}),
        ),
        ("go test LANG=C", Command(argv=("go", "test", "LANG=C"))),
    ],
)
def test_normal_form(text: str, expected: Command) -> None:
    assert admit(text, LIST).commands == (expected,)
    assert admit(text, LIST).text == text


@pytest.mark.req("P-07")
def test_commands_start_in_the_workdir() -> None:
    line = admit("cd sub && go test", LIST, workdir="agent")
    assert line.commands[0].workdir == "agent/sub"
    assert admit("go test", LIST, workdir=".").commands[0].workdir == ""
    assert code_of("go test", workdir="../x") == "cwd"


@pytest.mark.req("P-08")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("go build && go test", ["go build", "&& go test"]),
        ("go build || pytest -q; go test", ["go build", "|| pytest -q", "; go test"]),
        ("git log | go test", ["git log", "| go test"]),
        ("(cd a && go test) && (go build)", ["go test", "&& go build"]),
    ],
)
def test_a_chain_of_allowed_commands_is_admitted(text: str, expected: list[str]) -> None:
    assert argvs(admit(text, LIST)) == expected


@pytest.mark.req("P-08")
def test_each_command_of_a_chain_keeps_its_own_scope() -> None:
    text = "export CI=1 && (cd a && TZ=UTC go test) && go build"
    first, second = admit(text, LIST, workdir="w").commands
    assert (first.workdir, first.environment) == ("w/a", {"CI": "1", "TZ": "UTC"})
    assert (second.workdir, second.environment) == ("w", {"CI": "1"})


@pytest.mark.req("P-08")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("go test && rm -rf .", "rm -rf ."),
        ("go test; rm -rf .", "rm -rf ."),
        ("go test || rm x", "rm x"),
        ("rm x | go test", "rm x"),
        ("go test && pytest -p evil", "-p"),
        ("go test && cd x", "cd x"),
        ("cd x; go test", "cd x"),
        ("go test && ./go test", "./go"),
    ],
)
def test_a_chain_with_another_command_is_refused_and_names_it(text: str, named: str) -> None:
    with pytest.raises(CommandRefused) as refused:
        admit(text, LIST)
    assert refused.value.code == "operator"
    assert named in refused.value.what


@pytest.mark.req("P-08")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "prefix"),
        ("   ", "prefix"),
        ("()", "prefix"),
        ("CI=1", "prefix"),
        ("go", "prefix"),
        ("go testify", "prefix"),
        ("go test-all", "prefix"),
        ("Go test", "prefix"),
        ("'go test'", "prefix"),
        ("'' go test", "prefix"),
        ("'CI=1' go test", "prefix"),
        ("go test &&", "operator"),
        ("&& go test", "operator"),
        ("go test && && go build", "operator"),
        ("go test && (go build && go test)", "operator"),
        ("(go test) | (go build; go test)", "operator"),
        ("CI=1 (go test)", "operator"),
        ("go test $HOME", "substitution"),
        ("go test ~/x", "substitution"),
        ('go test "$PWD"', "substitution"),
        ("cd $PWD && go test", "substitution"),
        ("cd ~ && go test", "substitution"),
        ("cd && go test", "cwd"),
        ("cd '' && go test", "cwd"),
        ("cd - && go test", "cwd"),
        ("cd a b && go test", "cwd"),
        ("cd -- a && go test", "cwd"),
        ("cd a/../.. && go test", "cwd"),
        ("cd a//b && go test", "cwd"),
        ("cd /tmp && go test", "cwd"),
        ("cd .git && go test", "cwd"),
        ("cd a && cd ../.. && go test", "cwd"),
        ("export GOCACHE=$PWD/c && cd a && go test", "cwd"),
        ("export && go test", "env"),
        ("export CI && go test", "env"),
        ("export -p && go test", "env"),
        ("export 'CI=1' && go test", "env"),
        ("export PYTHONPATH=x && pytest", "env"),
        ("CI=1 IFS=x go test", "env"),
        ("GOCACHE=/tmp/c go test", "env"),
        ("GOCACHE=../c go test", "env"),
        ("GOCACHE=$PWD/../c go test", "env"),
        ("XDG_CACHE_HOME=a:/b go test", "env"),
        ("CI=$HOME go test", "substitution"),
        ("CI=$PWDX go test", "substitution"),
        ("CI=$PWD.x go test", "substitution"),
        ("CI='$PWD' go test", "substitution"),
        ("bin/go test", "program"),
        ("../go test", "program"),
        ("/usr/bin/go test", "program"),
    ],
)
def test_refusals(text: str, code: str) -> None:
    assert code_of(text) == code


@pytest.mark.req("P-07")
@pytest.mark.parametrize("text", ["go test", "", "x", "./x"])
def test_an_empty_allowlist_admits_nothing(text: str) -> None:
    code_of(text, ())


@pytest.mark.req("P-07")
@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("", "prefix"),
        ("  ", "prefix"),
        ("go test && x", "prefix"),
        ("go $X", "prefix"),
        ("(go)", "prefix"),
        ("CI=1 go test", "program"),
        ("/usr/bin/go test", "program"),
        ("go *", "charset"),
    ],
)
def test_an_entry_that_is_not_plain_words_is_refused(entry: str, code: str) -> None:
    with pytest.raises(CommandRefused) as refused:
        read_allowed(["go test", entry])
    assert refused.value.code == code
    code_of("go test", ("go test", entry))


@pytest.mark.req("P-07")
def test_a_relative_program_is_admitted_as_spelled_and_where_it_was_meant() -> None:
    allowed = ("./run.sh fast", "tools/check")
    assert admit("./run.sh fast x", allowed).commands[0].argv == ("./run.sh", "fast", "x")
    assert admit("tools/check", allowed).commands[0].argv == ("tools/check",)
    assert code_of("run.sh fast", allowed) == "prefix"
    assert code_of("./tools/check", allowed) == "program"
    assert code_of("cd sub && ./run.sh fast", allowed) == "program"
    assert code_of("/run.sh fast", ("./run.sh fast",)) == "program"


@pytest.mark.req("P-07")
def test_a_flag_is_admitted_when_the_entry_spells_it() -> None:
    allowed = ("pytest -p mine", "pytest", "make -f ci.mk", "git -C sub log")
    admit("pytest -p mine -q", allowed)
    admit("make -f ci.mk test", allowed)
    admit("git -C sub log -c", allowed)
    assert code_of("pytest -p evil", allowed) == "flag"
    assert code_of("pytest -p mine -p evil", allowed) == "flag"
    assert code_of("make -f ci.mk -f evil.mk", allowed) == "flag"


@pytest.mark.req("P-07")
def test_rules_follow_a_program_that_another_one_starts() -> None:
    allowed = ("timeout 60 pytest", "uv run python -I -m pytest", "env")
    admit("timeout 60 pytest -q", allowed)
    assert code_of("timeout 60 pytest -p evil", allowed) == "flag"
    assert code_of("uv run python -I -m pytest -oaddopts=x", allowed) == "flag"
    assert code_of("env ./evil", allowed) == "flag"


@pytest.mark.req("P-07")
def test_a_refusal_says_how_to_put_it_right() -> None:
    with pytest.raises(CommandRefused) as refused:
        admit("rm x", LIST)
    assert "verification.allowed_commands" in refused.value.hint


PIECES = st.sampled_from(
    [
        *LIST,
        *("cd", "export", "CI=1", "GOCACHE=$PWD/x", "PATH=x", "&&", "||", ";", "|", "&", "(", ")"),
        *("-p", "-pevil", "-exec", "./...", "../x", "/x", "sub", "rm", "'a b'", '"^A$"', "$X"),
        *("$(id)", "`id`", "<(id)", "\n", "\\", "'", '"', "a'b'", ">", "2>&1", "*", "~", "é", ""),
    ]
)
LINES = st.lists(PIECES, max_size=9).map(" ".join) | st.lists(PIECES, max_size=6).map("".join)


@pytest.mark.req("P-07", "P-08")
@given(LINES | st.text(max_size=60))
@settings(max_examples=examples(500))
def test_whatever_is_admitted_begins_with_an_allowed_command(text: str) -> None:
    try:
        line = admit(text, LIST)
    except CommandRefused:
        return
    entries = [tuple(entry.split()) for entry in LIST]
    assert line.commands
    for command in line.commands:
        assert any(command.argv[: len(entry)] == entry for entry in entries)
        assert set(command.environment) <= ALLOWED
        assert not command.workdir.startswith("/")
        assert ".." not in command.workdir.split("/")
        for word in command.argv:
            assert word.isprintable()
            assert not set("`\\").intersection(word)
            assert "$(" not in word
            assert "${" not in word


@pytest.mark.req("P-08")
@given(LINES | st.text(max_size=60))
@settings(max_examples=examples(500))
def test_the_words_are_those_of_shlex(text: str) -> None:
    try:
        line = parse_command(text)
    except CommandRefused:
        return
    reader = shlex.shlex(text, posix=True, punctuation_chars="()&|;")
    reader.whitespace_split = True
    reader.commenters = ""
    words = list(reader)
    for command in line.commands:
        length = len(command.argv)
        assert command.argv in {tuple(words[start : start + length]) for start in range(len(words))}


QUOTED = st.sampled_from(["'a b'", '"a b"', "''", "a$", '"a$"', "'$x'", "x='y z'", "-k", "a#b"])
WORDS = st.lists(QUOTED | st.text("ab=/.~-[]:,+@%^$'\"# ", max_size=6), max_size=5).map(" ".join)


@pytest.mark.req("P-08")
@pytest.mark.parametrize("shell", ["sh", "bash"])
@given(arguments=WORDS)
@settings(max_examples=examples(60), deadline=None)
def test_a_shell_reads_the_same_words(
    shell: str, arguments: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        (command,) = parse_command(f"pytest {arguments}").commands
    except CommandRefused:
        assume(False)  # noqa: FBT003
    script = f"pytest() {{ printf '%s\\0' \"$@\"; }}; pytest {arguments}"
    done = subprocess.run(
        [shell, "-c", script],
        cwd=tmp_path_factory.getbasetemp(),
        capture_output=True,
        check=True,
        env={},
    )
    expected = "".join(f"{word}\0" for word in command.argv[1:]) or "\0"
    assert done.stdout.decode() == expected


PROGRAM = """#!/bin/sh
{ printf '%s\\0' "${0##*/}" "$@"; printf '%s\\n' "$PWD $CI $GOCACHE"; } >> "$LOG"
"""
WRAPPERS = st.sampled_from(
    [
        *("go test", "pytest", "&&", ";", "(", ")", "cd sub &&", "cd ./sub/ &&", "CI=2"),
        *("export CI=1 &&", "GOCACHE=$PWD/x", 'GOCACHE="${PWD}"', "'a b'", "^T$", "a#b"),
    ]
)


@pytest.mark.req("P-08")
@given(text=st.lists(WRAPPERS, min_size=1, max_size=7).map(" ".join))
@settings(max_examples=examples(100), deadline=None)
def test_a_shell_would_start_the_same_programs(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        line = admit(text, LIST)
    except CommandRefused:
        return
    home = tmp_path_factory.mktemp("shell")
    (home / "ws/sub/sub/sub/sub").mkdir(parents=True)
    for name in ("go", "pytest"):
        (home / name).write_text(PROGRAM)
        (home / name).chmod(0o755)
    (home / "log").touch()
    environment = {"PATH": f"{home}", "LOG": f"{home}/log"}
    subprocess.run(["/bin/sh", "-c", text], cwd=home / "ws", env=environment, check=True)
    expected = ""
    for command in line.commands:
        cwd = str(home / "ws" / command.workdir)
        values = [command.environment.get(name, "") for name in ("CI", "GOCACHE")]
        where = " ".join([cwd, *(value.replace("$PWD", cwd) for value in values)])
        expected += "".join(f"{word}\0" for word in command.argv) + f"{where}\n"
    assert (home / "log").read_text() == expected
