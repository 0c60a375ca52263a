"""Exit codes are decided in one place."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from support.shell import FAILING, WAITING, Shell, command


@pytest.fixture
def custody(tmp_path: Path) -> Shell:
    """Return the command line as a process of its own, which is what is shown here."""
    return Shell(tmp_path)


@pytest.mark.req("P-16")
def test_done_is_0_and_failed_is_1(custody: Shell) -> None:
    assert custody("init").code == 0
    custody.write("failing.dot", FAILING)
    assert custody("run", "pipeline.dot").code == 0
    failed = custody("run", "failing.dot")
    assert failed.code == 1
    assert failed.out.startswith("FAIL  failing  run ")
    assert custody("resume", "last").code == 1


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


@pytest.mark.req("G-01")
@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("return type('A', (), {'work': lambda *_: exit(0)})()", "SystemExit: 0"),
        ("raise GeneratorExit", "GeneratorExit: "),
    ],
)
def test_no_agent_ends_a_run_as_if_it_had_passed(custody: Shell, body: str, told: str) -> None:
    install_agent(custody, body)
    words = ["run", "pipeline.dot", "--agent", "own", "--run-id", "r1"]
    done = custody(*words, PYTHONPATH=".", TMPDIR=str(custody.folder))
    assert done.code == 2
    assert f"error: internal error: {told}\n" in done.err
    assert "Traceback" not in done.err
    assert custody("resume", "r1", PYTHONPATH=".", TMPDIR=str(custody.folder)).code == 2


@pytest.mark.req("G-01")
def test_an_agent_that_ends_while_it_is_loaded_is_not_there(custody: Shell) -> None:
    install_agent(custody, "pass\nraise SystemExit(0)")
    done = custody("run", "pipeline.dot", "--agent", "own", PYTHONPATH=".")
    assert done.code == 1
    assert "the agent 'own' cannot be loaded: SystemExit: 0" in done.err


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
    assert custody("show", "r1").out.startswith("INTERRUPTED  waiting  run r1\n")


@pytest.mark.parametrize("words", [["run", "x.dot"], ["runs"], ["doctor"], ["init"]])
def test_a_folder_that_is_gone_is_told(custody: Shell, words: list[str]) -> None:
    inside = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", inside, "sh", *command(*words)],
        cwd=custody.folder, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "error: the current folder is gone\n  hint: go to one that is there\n"


@pytest.mark.parametrize("words", [["run", "pipeline.dot"], ["doctor"]])
def test_a_folder_whose_path_is_not_utf8_is_told(tmp_path: Path, words: list[str]) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    custody = Shell(odd)
    assert custody("init").code == 0
    done = custody(*words)
    assert done.code == 1
    assert done.err.startswith("error: the path is not UTF-8\n")
    assert r"caf\xe9" in done.err
    assert not (odd / ".custody").exists()
