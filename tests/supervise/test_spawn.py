"""How a command is started: by its name, in its directory, with its input, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.model.request import Command
from custody.sandbox.apply import CannotConfine
from custody.supervise.command_list import EXIT_CANNOT_START, End
from custody.supervise.feed import NOTHING
from custody.supervise.protocol import Start
from custody.supervise.spawn import CannotStart, not_confined, open_input
from custody.supervise.supervisor import Limits
from support.processes import Bench, shell_line
from support.programs import needs

LONG = 60.0


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no-such-tool", "tool_not_found: no-such-tool"),
        ("./missing", "tool_not_found: ./missing"),
        ("./plain", "tool_not_started: ./plain: Permission denied"),
        ("./garbage", "tool_not_started: ./garbage: Exec format error"),
        ("a\0b", "tool_not_found: a\0b"),
        ("./a\0b", "tool_not_started: ./a\0b: embedded null byte"),
    ],
)
def test_what_cannot_be_started_is_told(bench: Bench, name: str, reason: str) -> None:
    (bench.workspace / "plain").write_text("x")
    (bench.workspace / "garbage").write_text("x")
    (bench.workspace / "garbage").chmod(0o755)
    result = bench.run(Command(argv=(name,))).result
    assert not result.succeeded
    assert result.failure_reason == reason


def test_a_missing_program_is_a_failure_like_any_other_in_a_chain(bench: Bench) -> None:
    ran = bench.run(
        Command(argv=("no-such-tool",)), Command(argv=("echo", "instead"), joined_by="||")
    )
    assert ran.result.succeeded
    assert ran.stdout == b"instead\n"


def test_a_command_runs_in_its_directory(bench: Bench) -> None:
    ran = bench.run(
        Command(argv=("mkdir", "made")),
        Command(argv=("pwd",), workdir="made", joined_by="&&"),
        Command(
            argv=("printenv", "PWD", "GOCACHE"),
            workdir="made",
            environment={"GOCACHE": "$PWD/.gocache"},
            joined_by=";",
        ),
    )
    made = f"{bench.workspace}/made"
    assert ran.stdout.decode().split() == [made, made, f"{made}/.gocache"]


@pytest.mark.parametrize("workdir", ["missing", "link", "file", "inner/link"])
def test_a_directory_is_not_reached_through_a_link(bench: Bench, workdir: str) -> None:
    (bench.workspace / "link").symlink_to("/")
    (bench.workspace / "file").touch()
    (bench.workspace / "inner").mkdir()
    (bench.workspace / "inner" / "link").symlink_to("..")
    result = bench.run(Command(argv=("pwd",), workdir=workdir)).result
    assert result.failure_reason == f"workdir_missing: {workdir}"


@needs("ps")
def test_input_is_empty_and_there_is_no_terminal(bench: Bench) -> None:
    ran = bench.shell("cat; tty; ps -o sid=,pid= -p $$")
    session, leader = ran.stdout.split()[-2:]
    assert ran.stdout.startswith(b"not a tty")
    assert session == leader
    assert int(session) != os.getsid(0)


@pytest.mark.req("P-21")
def test_programs_see_nothing_of_the_parents_environment(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "hunter2")
    ran = bench.run(Command(argv=("env", "-0")))
    seen = dict(item.split("=", 1) for item in ran.stdout.decode().split("\0") if item)
    assert seen == {**bench.environment, "PWD": str(bench.workspace)}
    assert b"hunter2" not in ran.stdout
    assert seen["GOCACHE"].startswith(f"{bench.home}/cache/")


def test_no_descriptor_of_the_parent_is_inherited(bench: Bench, tmp_path: Path) -> None:
    secret = os.open(tmp_path / "secret", os.O_RDWR | os.O_CREAT)
    os.set_inheritable(secret, True)  # noqa: FBT003
    try:
        ran = bench.shell("ls /proc/$$/fd")
    finally:
        os.close(secret)
    assert {int(name) for name in ran.stdout.split()} <= {0, 1, 2, 10}


def test_files_are_made_with_a_fixed_mask(bench: Bench) -> None:
    before = os.umask(0o077)
    try:
        bench.shell("touch file; ulimit -c")
    finally:
        os.umask(before)
    assert (bench.workspace / "file").stat().st_mode & 0o777 == 0o644


def test_a_file_is_the_input(bench: Bench) -> None:
    given = bench.home / "prompt.md"
    given.write_text("a prompt\n")
    ran = bench.run_line(shell_line("cat; cat"), Limits(LONG), stdin=str(given))
    assert ran.stdout == b"a prompt\n"


def test_the_next_line_has_no_input_again(bench: Bench) -> None:
    given = bench.home / "prompt.md"
    given.write_text("a prompt\n")
    bench.run_line(shell_line("true"), Limits(LONG), stdin=str(given))
    assert bench.shell("cat").stdout == b""


def test_an_input_that_is_missing_or_a_link_is_a_failure(bench: Bench) -> None:
    (bench.home / "link").symlink_to("/etc/hostname")
    for name in ("missing", "link"):
        ran = bench.run_line(shell_line("cat"), Limits(LONG), stdin=str(bench.home / name))
        assert ran.result.failure.startswith("input_missing")
        assert not ran.result.succeeded


def start_with(stdin: str) -> Start:
    return Start(commands=(), workspace="/", environment={}, stdin=stdin)


def test_an_input_is_opened_before_anything_is_started(tmp_path: Path) -> None:
    (tmp_path / "prompt").write_text("a prompt")
    with os.fdopen(open_input(start_with(f"{tmp_path}/prompt")), "rb") as source:
        assert source.read() == b"a prompt"
    assert open_input(start_with("")) == NOTHING
    with pytest.raises(CannotStart) as failed:
        open_input(start_with(f"{tmp_path}/missing"))
    reason = "input_missing: No such file or directory"
    assert failed.value.end == End(EXIT_CANNOT_START, failure=reason)


def test_a_pipe_without_a_writer_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.close(open_input(start_with(f"{tmp_path}/pipe")))


def test_what_cannot_be_confined_is_not_started() -> None:
    end = not_confined(CannotConfine("no user namespaces")).end
    assert end == End(EXIT_CANNOT_START, failure="confinement_failed: no user namespaces")
