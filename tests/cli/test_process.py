"""The process of a command begins light, and ends at once unless somebody waits for its end."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.shell import Shell
from support.sweep import Sweep, budget

ENDING = "import sys; from custody.cli.process import run; sys.argv[1:] = ['--version']; "
AT_THE_END = "type('Last', (), {'__del__': lambda self: print('taken apart')})()"


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture
def custody(tmp_path: Path) -> Shell:
    """Return the command line as a process of its own, which is what is shown here."""
    return Shell(tmp_path)


def test_nothing_is_taken_apart_when_nobody_waits_for_it() -> None:
    done = run(f"{ENDING} last = {AT_THE_END}; run()")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("custody ")
    assert "taken apart" not in done.stdout


@pytest.mark.parametrize(
    "others",
    [
        "import atexit; atexit.register(print, 'taken apart')",
        f"import importlib.metadata; last = {AT_THE_END}",
        "import threading; threading.Timer(0.2, print, ('taken apart',)).start()",
    ],
)
def test_whoever_may_have_something_to_do_at_the_end_can(others: str) -> None:
    done = run(f"{ENDING} {others}; run()")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("taken apart\n")


def test_what_is_still_held_back_is_written() -> None:
    done = run(f"{ENDING} sys.stdout.write('before '); sys.stderr.write('aside'); run()")
    assert done.stdout.startswith("before custody ")
    assert done.stderr == "aside"


SMALL = """digraph p {
start [shape=Mdiamond]; done [shape=Msquare]
a [prompt=x]
start -> a -> done
}
"""


@pytest.mark.req("G-15")
@pytest.mark.timeout(1800)
def test_ctrl_c_at_any_moment_of_the_start_is_answered(tmp_path: Path, sweep: Sweep) -> None:
    (tmp_path / "p.dot").write_text(SMALL)
    words = [sys.executable, "-m", "custody", "run", "p.dot", "--agent", "fake", "--resume"]
    begun = time.monotonic()
    subprocess.run([*words, "--run-id", "whole"], cwd=tmp_path, check=True, capture_output=True)
    whole = time.monotonic() - begun

    def interrupted(part: float) -> str:
        process = subprocess.Popen(
            [*words, "--run-id", f"r{part}"], cwd=tmp_path, text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        time.sleep(whole * part)
        process.send_signal(signal.SIGINT)
        complaint = process.communicate(timeout=60)[1]
        # Neither custody was loaded yet, nor, if nothing is said, what Python does on Ctrl-C.
        by_python = complaint.endswith("KeyboardInterrupt\n") or not complaint
        by_python &= process.returncode in (1, -signal.SIGINT)
        answered = process.returncode in (0, 130) and "KeyboardInterrupt" not in complaint
        return "" if answered or by_python else f"{process.returncode} {complaint}"

    sweep.over(sweep.moments(round(budget(8, 300))), interrupted)


def test_the_exit_code_is_that_of_the_command(custody: Shell) -> None:
    assert custody("nothing").code == 1
    assert custody("--version").code == 0


def test_msgspec_does_without_typing_extensions_and_others_still_get_it() -> None:
    code = (
        "import sys; from custody.cli.process import _load_msgspec; _load_msgspec(); "
        "assert 'msgspec' in sys.modules and 'typing_extensions' not in sys.modules; "
        "import typing_extensions; _load_msgspec(); assert 'typing_extensions' in sys.modules"
    )
    assert run(code).stderr == ""


def test_msgspec_reads_the_same_without_typing_extensions() -> None:
    code = (
        "from typing import *; from custody.cli.process import _load_msgspec; {}; "
        "import msgspec; Short = Annotated[str, msgspec.Meta(max_length=2)]; "
        "T = TypedDict('T', {{'a': int, 'b': NotRequired[Short]}}); "
        "print(msgspec.json.decode(b'{{\"a\":1}}', type=T), msgspec.json.schema(T))"
    )
    without, with_it = run(code.format("_load_msgspec()")), run(code.format("pass"))
    assert without.stdout == with_it.stdout
    assert without.stdout.startswith("{'a': 1} ")


def test_what_is_loaded_in_place_of_a_module_does_not_stay() -> None:
    code = (
        "import sys; from custody.cli import process; process._load_argparse(); "
        "process._load_msgspec(); assert not {'gettext', 'platform'} & sys.modules.keys(); "
        "import gettext, platform, uuid; assert platform.machine() and gettext.translation; "
        "import argparse; print(argparse.ngettext('one', 'several', 2), uuid.uuid1().version)"
    )
    done = run(code)
    assert (done.stdout, done.stderr) == ("several 1\n", "")


def test_what_makes_schemas_is_loaded_for_a_schema() -> None:
    code = (
        "import sys; from custody.cli import process; process._load_msgspec(); import msgspec; "
        "assert 'msgspec._json_schema' not in sys.modules; "
        "assert msgspec.json.schema_components([int]) == (({'type': 'integer'},), {}); "
        "print(msgspec.json.schema(int), 'msgspec._json_schema' in sys.modules)"
    )
    done = run(code)
    assert (done.stdout, done.stderr) == ("{'type': 'integer'} True\n", "")


def test_help_is_what_it_is_with_every_module(custody: Shell) -> None:
    """What stands in for a module says the same: a missing description stays missing."""
    from custody.cli import main

    told = custody("--help").out
    whole = io.StringIO()
    with contextlib.redirect_stdout(whole):
        assert main(["--help"]) == 0
    assert told == whole.getvalue()
    assert "\n  None\n" not in told


def test_a_module_that_is_there_already_is_used() -> None:
    code = (
        "import gettext, platform; from custody.cli import process; process._load_argparse(); "
        "process._load_msgspec(); import argparse, sys; "
        "assert argparse.ngettext is gettext.ngettext and sys.modules['platform'] is platform"
    )
    assert run(code).stderr == ""


ODD_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0"}
PIPELINE = """digraph p {
start [shape=Mdiamond]; done [shape=Msquare]
t [type=tool, tool_command="cp gr\u00fc\u00dfe.txt w\u00fcrde.txt"]
start -> t -> done
}
"""


@pytest.mark.req("G-29")
def test_a_run_is_the_same_under_every_locale(tmp_path: Path) -> None:
    def custody(*words: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "custody", *words], env={**os.environ, **variables},
            cwd=tmp_path, capture_output=True, check=False, timeout=120,
        )  # fmt: skip

    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "gr\u00fc\u00dfe.txt").write_text("hello")
    (tmp_path / "p.dot").write_text(PIPELINE, encoding="utf-8")
    names = []
    for run_id, variables in (("odd", ODD_LOCALE), ("plain", {})):
        begin = ("run", "p.dot", "--workdir", "source", "--run-id", run_id)
        done = custody(*begin, **variables)
        assert done.returncode == 0, done.stderr
        for reader in ({}, ODD_LOCALE):
            checked = custody("verify", run_id, **reader)
            assert checked.returncode == 0, checked.stdout + checked.stderr
        workspace = tmp_path / ".custody" / "runs" / run_id / "workspace"
        names.append(sorted(os.listdir(os.fsencode(workspace))))
    assert names[0] == names[1] == [b"gr\xc3\xbc\xc3\x9fe.txt", b"w\xc3\xbcrde.txt"]


@pytest.mark.req("G-29")
def test_a_library_that_reads_names_in_another_way_is_told(tmp_path: Path) -> None:
    code = f"from custody.store.rundir import RunDirectory as R; R.create({str(tmp_path)!r}, 'r')"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **ODD_LOCALE}, check=False,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "reads the names of files as ascii" in done.stderr
    assert os.listdir(tmp_path) == []


LOOKING = """
digraph looking {
    graph [var.name="none"]
    start [shape=Mdiamond]
    look  [type=tool, tool_command="python3 look.py"]
    done  [shape=Msquare]
    start -> look -> done
}
"""
LOOK = """
import os, pathlib
for process in pathlib.Path('/proc').glob('[0-9]*'):
    for name in ('cmdline', 'environ'):
        try:
            told = (process / name).read_text()
        except (OSError, UnicodeError):
            continue
        assert 'given' + 'away' not in told, told
        assert process.name == str(os.getpid()) or '/' + 'looked-at' not in told, told
assert not {'CUSTODY_RUN_DIR', 'CUSTODY_STAGE_DIR'} & set(os.environ)
"""


@pytest.mark.req("G-11")
@pytest.mark.parametrize("level", ["L2", "L3"])
def test_a_stage_does_not_see_what_custody_was_told(custody: Shell, level: str) -> None:
    (custody.folder / "p.dot").write_text(LOOKING)
    source = custody.folder / "source"
    source.mkdir()
    (source / "look.py").write_text(LOOK)
    options = ("--workdir", "source", "--runsdir", "looked-at", "--run-id", "r")
    done = custody("run", "p.dot", *options, "--set", "name=givenaway", "--confinement", level)
    log = custody.folder / "looked-at" / "r"
    assert done.code == 0, (done, [p.read_text() for p in log.rglob("*.stderr.log")])


@pytest.mark.req("G-06")
def test_the_ack_says_what_a_stage_saw(custody: Shell) -> None:
    (custody.folder / "p.dot").write_text(LOOKING.replace("python3 look.py", "true"))
    programs = custody.folder / "source" / "bin"
    programs.mkdir(parents=True)
    path = f"{programs}:{custody.environment['PATH']}"
    done = custody(
        "run", "p.dot", "--workdir", "source", "--run-id", "r", "--confinement", "L3", PATH=path
    )
    assert done.code == 0, done
    journal = custody.folder / ".custody" / "runs" / "r" / "events.jsonl"
    (answered,) = (line for line in journal.read_text().splitlines() if '"confined"' in line)
    confined = json.loads(answered)["data"]["ack"]["confined"]
    assert "/usr" in confined["readable"]
    assert not [path for path in confined["readable"] if path.startswith(str(custody.folder))]
    planned = custody("plan", "p.dot", "--json", PATH=path).data["readable"]
    assert set(confined["readable"]) <= {*planned}
