"""What holds for every command: exit codes, errors, streams, and what is loaded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from custody.cli import main
from custody.cli.commands import commands
from support.shell import FAILING, WAITING, Shell, command

HEAVY = {"asyncio", "msgspec", "rich", "subprocess", "difflib", "shtab", "tomllib", "custody.api"}


def loaded_by(*words: str) -> set[str]:
    code = "import sys; from custody.cli import main; assert main(sys.argv[1:]) == 0; "
    code += "print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.rpartition("\n")[0].splitlines()[-1].split())


def module_of(command: str) -> str:
    return f"custody.cli.commands.{command}"


def test_help_loads_no_command_and_nothing_heavy() -> None:
    loaded = loaded_by("--help")
    assert loaded & (HEAVY | set(map(module_of, commands()))) == set()
    assert "custody.cli.parser" in loaded


@pytest.mark.parametrize("name", commands())
def test_help_of_a_command_loads_only_that_one(name: str) -> None:
    others = {module_of(other) for other in commands() if other != name}
    assert loaded_by(name, "--help") & (HEAVY | others) == set()


@pytest.mark.parametrize("name", commands())
def test_every_command_has_help_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"usage: custody {name} ")
    assert f"  custody {name}" in printed.partition("\nexample")[2]
    assert "--json" in printed


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert [line for line in commands().values() if line not in printed] == []


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("custody ")


@pytest.mark.req("P-16")
@pytest.mark.parametrize(
    "words",
    [
        [],
        ["no-such-command"],
        ["run"],
        ["run", "--no-such-option", "p.dot"],
        ["schema", "no-such-schema"],
        ["graph", "p.dot", "--format", "png"],
    ],
)
def test_wrong_usage_is_1(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert "\n  hint: " in printed.err


def test_a_mistyped_command_is_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verfy"]) == 1
    assert "did you mean 'verify'?" in capsys.readouterr().err


@pytest.mark.req("P-16")
def test_done_is_0_and_failed_is_1(sample: Shell) -> None:
    sample.write("failing.dot", FAILING)
    assert sample("run", "pipeline.dot").code == 0
    failed = sample("run", "failing.dot")
    assert failed.code == 1
    assert failed.out.startswith("FAIL  failing  run ")
    assert sample("resume", "last").code == 1


def install_agent(custody: Shell, body: str) -> None:
    """Make an agent called ``own`` known, as an installed package does."""
    custody("init")
    custody.write("own.py", f"def agent(argument):\n    {body}\n")
    (custody.folder / "own-1.dist-info").mkdir()
    custody.write("own-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: own\nVersion: 1\n")
    custody.write("own-1.dist-info/entry_points.txt", "[custody.agents]\nown = own:agent\n")


@pytest.mark.req("P-16")
def test_interrupted_is_130_even_inside_code_run_from_a_string(custody: Shell) -> None:
    install_agent(custody, "exec('raise KeyboardInterrupt')")
    done = custody("run", "pipeline.dot", "--agent", "own", PYTHONPATH=".")
    assert done.code == 130


@pytest.mark.req("P-16")
@pytest.mark.parametrize("debug", [False, True])
def test_an_internal_error_is_2(custody: Shell, debug: bool) -> None:
    """An agent from another package that raises what nobody expects is such an error."""
    install_agent(custody, "raise ZeroDivisionError('oh no')")
    words = ["run", "pipeline.dot", "--agent", "own", *(["--debug"] if debug else [])]
    done = custody(*words, PYTHONPATH=".", TMPDIR=str(custody.folder))
    assert done.code == 2
    assert "error: internal error: ZeroDivisionError: oh no\n" in done.err
    kept = list(custody.folder.glob("custody-error-*.txt"))
    if debug:
        assert kept == []
        assert "Traceback (most recent call last)" in done.err
    else:
        assert "Traceback" not in done.err
        assert f"the traceback is in {kept[0]}" in done.err
        assert "in agent\n" in kept[0].read_text()


@pytest.mark.req("P-16")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_is_130_and_can_be_resumed(custody: Shell, number: signal.Signals) -> None:
    custody.write("waiting.dot", WAITING)
    with custody.start(
        "run", "waiting.dot", "-v", "--run-id", "r1", stderr=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("start ")
        process.send_signal(number)
        _out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "error: run r1 was interrupted\n" in err
    assert "hint: " in err
    assert "custody resume r1" in err
    assert custody("show", "r1").out.startswith("RUNNING  waiting  run r1\n")


def test_errors_are_json_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "nothing", "--json"]) == 1
    printed = capsys.readouterr()
    assert printed.err == ""
    error = json.loads(printed.out)
    assert error["error_type"] == "USAGE"
    assert error["what"] == "no schema is called 'nothing'"
    assert error.keys() == {"error_type", "what", "where", "hint", "code"}


def test_wrong_usage_is_json_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--json", "--nonsense"]) == 1
    assert json.loads(capsys.readouterr().out)["error_type"] == "USAGE"


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
    assert "error: the answer could not be written: No space left on device" in err


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


def test_words_that_are_not_text_are_refused(custody: Shell) -> None:
    done = custody("check", "\udcff.dot", "--json")
    assert (done.code, done.data["error_type"]) == (1, "USAGE")
    assert done.data["what"] == "'\\udcff.dot' is not UTF-8"


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


def test_a_terminal_without_rich_sees_lines(sample: Shell) -> None:
    (sample.folder / "site").mkdir()
    sample.write(
        "site/sitecustomize.py",
        "import importlib.util as util\n"
        "find = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'rich' else find(name, *rest)\n",
    )
    shown = sample.on_terminal("run", "pipeline.dot", PYTHONPATH="site")
    assert shown.code == 0
    assert shown.out.partition("PASS  greeting")[0].count("\n") == 6
