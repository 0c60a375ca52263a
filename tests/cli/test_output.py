"""Data on standard output, the rest on standard error, whoever reads them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from custody.cli import main
from support.shell import FAILING, Shell, command


@pytest.fixture
def custody(tmp_path: Path) -> Shell:
    """Return the command line as a process of its own, which is what is shown here."""
    return Shell(tmp_path)


@pytest.fixture
def sample(sample: Shell) -> Shell:
    """Return the same with a run in it."""
    return Shell(sample.folder)


def test_errors_are_json_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "nothing", "--json"]) == 1
    printed = capsys.readouterr()
    assert printed.err == ""
    error = json.loads(printed.out)
    assert error["error_type"] == "USAGE"
    assert error["what"] == "no schema named 'nothing'"
    assert error.keys() == {"error_type", "what", "where", "hint", "code"}


def test_findings_go_with_the_error(custody: Shell) -> None:
    custody.write("bad.dot", "digraph bad {\n  a -> b\n}\n")
    shown = custody("run", "bad.dot")
    assert shown.code == 1
    assert "bad.dot:2:" in shown.err
    asked = custody("run", "bad.dot", "--json")
    assert asked.data["error_type"] == "PIPELINE_INVALID"
    assert {finding["line"] for finding in asked.data["findings"]} >= {2}


def test_a_reader_who_leaves_is_no_error(sample: Shell) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with sample.start("log", "r1", stdout=writing, stderr=subprocess.PIPE) as process:
        os.close(writing)
        _out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")


def test_a_reader_who_leaves_does_not_hide_a_failure(sample: Shell) -> None:
    sample.write("failing.dot", FAILING)
    reading, writing = os.pipe()
    os.close(reading)
    with sample.start("run", "failing.dot", stdout=writing, stderr=subprocess.PIPE) as process:
        os.close(writing)
        _out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, "")


def test_an_answer_that_cannot_be_written_is_a_failure(sample: Shell) -> None:
    with (
        Path("/dev/full").open("w") as full,
        sample.start("runs", stdout=full, stderr=subprocess.PIPE) as process,
    ):
        _out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "error: the output could not be written: No space left on device" in err


def test_closed_streams_are_no_error(sample: Shell) -> None:
    line = " ".join(command("runs"))
    done = subprocess.run(
        ["sh", "-c", f"exec {line} >&- 2>&-"], cwd=sample.folder, check=False, timeout=60
    )
    assert done.returncode == 0


def test_any_locale_can_be_printed_to(sample: Shell) -> None:
    done = sample("show", "r1", "write", PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert "\\u2500\\u2500 prompt.md" in done.out


def test_json_is_utf_8_in_any_locale(sample: Shell) -> None:
    pipeline = sample.folder / "pipeline.dot"
    pipeline.write_text(pipeline.read_text().replace("Greet the world", "Grüße die Welt"))
    done = sample("plan", "pipeline.dot", "--json", PYTHONIOENCODING="ascii")
    assert done.data["goal"] == "Grüße die Welt"


def test_an_error_that_cannot_be_printed_as_json_is_still_told(custody: Shell) -> None:
    with (
        Path("/dev/full").open("w") as full,
        custody.start("runs", "--oops", "--json", stdout=full, stderr=subprocess.PIPE) as process,
    ):
        _out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.startswith("error: unrecognized arguments: --oops\n")


def test_what_an_agent_says_cannot_steer_the_terminal(sample: Shell) -> None:
    answers = sample.folder / "answers.json"
    said = answers.read_text().replace("I wrote", "\\u001b]0;owned\\u0007I wrote")
    answers.write_text(said.replace("hello, world", "hello,\\u001b[2J world"))
    assert sample("run", "pipeline.dot", "--run-id", "r2").code == 0
    shown = sample("show", "r2", "write", "--attempt", "1.1").out
    assert "\\x1b]0;owned\\x07I wrote" in shown
    assert "\x1b]0;" not in sample.on_terminal("show", "r2", "write", "--attempt", "1.1").out
    assert "\x1b[2J" not in sample.on_terminal("diff", "r2").out
    assert "+hello,\x1b[2J world" in sample("diff", "r2").out, "a patch is kept as it is"


def test_no_colour_unless_on_a_terminal(sample: Shell) -> None:
    assert "\x1b" not in sample("show", "r1").out
    assert "\x1b[32mPASS" in sample.on_terminal("show", "r1").out
    assert "\x1b" not in sample.on_terminal("show", "r1", NO_COLOR="1").out
    assert "\x1b" not in sample.on_terminal("show", "r1", TERM="dumb").out
