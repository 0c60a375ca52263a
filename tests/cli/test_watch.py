"""A run is followed on a terminal, line by line, or not at all."""

from __future__ import annotations

import os
import pty
import sys
import time

import pytest

from custody.cli.watch import watching
from support.bench import Bench
from support.shell import WAITING, Shell, command


def test_nothing_is_said_beside_the_report(sample: Shell) -> None:
    quiet = sample("run", "pipeline.dot")
    assert quiet.err == ""
    verbose = sample("run", "pipeline.dot", "-v")
    assert [line.split()[:2] for line in verbose.err.splitlines()] == [
        ["start", "success"],
        ["write", "success"],
        ["check", "fail"],
        ["write", "success"],
        ["check", "success"],
        ["done", "success"],
    ]


def test_a_terminal_sees_the_stages(sample: Shell) -> None:
    shown = sample.on_terminal("run", "pipeline.dot")
    assert shown.code == 0
    assert "codergen" in shown.out.partition("PASS  greeting")[0]
    plain = sample.on_terminal("run", "pipeline.dot", TERM="dumb")
    assert plain.out.partition("PASS  greeting")[0].count("\n") == 6


@pytest.mark.parametrize("variable", ["CUSTODY_LOG", "FACTORY_LOG_CODEX_STREAM"])
def test_a_terminal_that_gets_a_log_sees_lines(sample: Shell, variable: str) -> None:
    shown = sample.on_terminal("run", "pipeline.dot", **{variable: "1"})
    assert shown.code == 0
    assert "\x1b[J" not in shown.out, "nothing is drawn over"
    assert "check            fail" in shown.out


def test_nothing_is_shown_to_whoever_wants_quiet(sample: Shell) -> None:
    shown = sample.on_terminal("run", "pipeline.dot", "--quiet", "--run-id", "q1", NO_COLOR="1")
    assert shown.out.splitlines()[0] == "PASS  greeting  run q1"
    assert [line.split()[0] for line in shown.out.splitlines()] == ["PASS", "no", "head:"]


def test_lines_are_printed_on_request_only(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(verbose=False):
        pass
    assert capsys.readouterr().err == ""


def test_a_reader_who_has_gone_away_does_not_end_a_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", buffering=1) as gone:
        monkeypatch.setattr(sys, "stderr", gone)
        with watching(verbose=True) as board:
            result = bench.run("start -> done", listeners=(board.hear,))
        monkeypatch.undo()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, gone.fileno())
        os.close(nowhere)
    assert result.summary.status == "PASS"


@pytest.mark.req("G-15")
@pytest.mark.parametrize("terminal", ["xterm", "dumb"])
def test_a_terminal_that_goes_away_interrupts_the_run(custody: Shell, terminal: str) -> None:
    custody.write("p.dot", WAITING)
    words = command("run", "p.dot", "--run-id", "r1")
    process, ours = pty.fork()
    if process == 0:
        os.chdir(custody.folder)
        os.execve(words[0], words, custody.environment | {"TERM": terminal})
    journal = custody.folder / ".custody/runs/r1/events.jsonl"
    deadline = time.monotonic() + 60
    while not (journal.exists() and b'"node":"wait"' in journal.read_bytes()):
        assert time.monotonic() < deadline, "the stage never began"
        time.sleep(0.01)
    os.close(ours)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 130
    assert '"reason":"SIGHUP"' in journal.read_text().splitlines()[-1]
    assert custody("verify", "r1").code == 0
