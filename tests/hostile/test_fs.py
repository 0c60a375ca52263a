"""Trees that somebody prepared: links, pipes, devices, mounts, writers that do not stop.

A trap is set in the workspace right after the stage has begun, so that nothing but the stage's
own act stands between the trap and the files outside; then the act goes through it.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.model.change import Change, WorkspaceDiff
from custody.model.event import AnyFact, JournalLine, RequestAnswered, StageStarted
from custody.model.record import decode
from support.hostile import Case, Ground, cases, custody, picture, quoted
from support.privileges import IS_ROOT, modes_count, with_own_mounts
from support.race import Race
from support.shell import Done
from support.sweep import budget
from support.traps import Place, needs_mounts, needs_root, set_trap

CHANGES = {"created": "added", "modified": "modified", "deleted": "deleted", "mode": "mode"}
"""What a look at the workspace must call a change."""
RACE_SECONDS = budget(1, 60)

BACKGROUND = """#!/bin/sh
(setsid sh -c 'while :; do echo x >> late; done' & )
while [ ! -s late ]; do :; done
"""
HAND_OUT = """
import array, errno, os, socket, sys
report = os.open("report", os.O_RDWR | os.O_CREAT)
door = socket.socket(socket.AF_UNIX)
try:
    door.connect("\\0" + sys.argv[1])
    door.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [report]))])
except OSError as error:
    sys.exit(errno.errorcode[error.errno])
"""


@pytest.mark.req("P-04", "P-06")
@pytest.mark.parametrize("case", cases("fs"), ids=str)
def test_fs(case: Case, ground: Ground) -> None:
    setup = case.input.get("setup", [])
    if needs_root(setup) and not IS_ROOT:
        pytest.skip("only root can make devices and mounts")
    act = way_to_act(case)
    if needs_mounts(setup):
        with_own_mounts(lambda: act(case, ground))
    else:
        act(case, ground)


def way_to_act(case: Case) -> Callable[[Case, Ground], None]:
    text = " ".join(case.input.get("setup", []))
    if "race" in case.input:
        return writing_races_with_a_swap
    if "resume" in case.input:
        return resuming_what_cannot_be_touched
    if "background process" in text:
        return a_process_is_left_behind
    if "abstract socket" in text:
        return a_descriptor_is_handed_out
    return one_stage_meets_a_trap


def one_stage_meets_a_trap(case: Case, ground: Ground) -> None:
    for name in ("f", "x"):
        (ground.workdir / name).write_text("as it was\n")
    acts = [case.input[act] for act in ("write", "read", "source", "hash") if act in case.input]
    agent = ground.answers(
        {"edits": [{"path": case.input["write"], "content": "x"}] if "write" in case.input else []}
    )
    before = ground.surroundings()
    with ExitStack() as meanwhile:
        place = Place(ground.workspace, ground.outside, "".join(acts), meanwhile)
        run_into(case, ground, place, agent)
    left = {path: state for path, state in ground.surroundings().items() if path != "pipeline.dot"}
    assert left == before
    assert verdict_of(case, ground)
    assert ground.ask("verify").code == 0


def run_into(case: Case, ground: Ground, place: Place, agent: str) -> None:
    """Run one stage that acts as the case says; the trap is set when it has begun."""

    def heard(_line: JournalLine, fact: AnyFact) -> None:
        if isinstance(fact, StageStarted) and fact.node == "act":
            for line in case.input["setup"]:
                set_trap(line, place)

    read = case.input.get("read", case.input.get("source", ""))
    script = f", test.response_file={quoted(read)}" if read else ""
    body = f'act [prompt="x"{script}] start -> act -> done'
    closed = any(" is mode " in line for line in case.input["setup"])
    with modes_count() if closed else nullcontext():
        if needs_mounts(case.input["setup"]):
            # What is mounted cannot be taken away; the verdict is in the journal all the same.
            with pytest.raises(PathRefused, check=lambda refused: refused.code == case.code):
                ground.run(body, agent=agent, listeners=(heard,))
            return
        result = ground.run(body, agent=agent, listeners=(heard,))
    refused_or_odd = case.kind == "reject" or case.code not in {"", *CHANGES}
    assert result.summary.status == ("FAIL" if refused_or_odd else "PASS")


def verdict_of(case: Case, ground: Ground) -> bool:
    """Whether the journal and the stage's diff say what the case expects."""
    codes = {verdict.code for verdict in ground.refusals()}
    if case.kind == "accept":
        written = case.input.get("write")
        return not codes and (not written or (ground.workspace / written).read_text() == "x")
    if case.kind == "reject":  # the act itself, not only what the look found afterwards
        return case.code in {v.code for v in ground.refusals() if v.check != "writes"}
    if case.code in CHANGES:
        seen = (change for change in changes(ground) if not change.path.startswith(".git"))
        return CHANGES[case.code] in {change.change for change in seen}
    return case.code in codes


def changes(ground: Ground, node: str = "act") -> tuple[Change, ...]:
    path = ground.path(f"nodes/{node}/1.1/workspace.diff.json")
    return decode(path.read_bytes(), WorkspaceDiff, where=str(path)).changes


def writing_races_with_a_swap(case: Case, ground: Ground) -> None:
    """Nothing arrives outside, although both ways are taken again and again."""
    assert case.expect == "deny:no_escape"
    race = Race(ground, RACE_SECONDS)
    race.run()
    assert picture(ground.outside).keys() == {"secret"}
    assert race.written > 0
    assert race.refused > 0


def a_process_is_left_behind(case: Case, ground: Ground) -> None:
    """It is dead when the stage ends, and what it wrote until then is all in the diff."""
    assert case.expect == "deny:killed"
    (ground.workdir / "leave.sh").write_text(BACKGROUND)
    body = (
        'leave [type=tool, tool_command="sh leave.sh"] next [type=tool, tool_command="ls"] '
        "start -> leave -> next -> done"
    )
    assert ground.start(ground.pipeline(body)).code == 0
    (late,) = (change for change in changes(ground, "leave") if change.after)
    assert late.path == "late"
    assert late.after is not None
    assert late.after.bytes == (ground.workspace / "late").stat().st_size
    killed = [f.ack.notes for f in ground.facts() if isinstance(f, RequestAnswered) and f.ack.notes]
    assert [note.partition(":")[0] for note in killed] == ["killed what it left running"]
    assert changes(ground, "next") == ()
    assert ground.ask("verify").code == 0


def a_descriptor_is_handed_out(case: Case, ground: Ground) -> None:
    """Nobody outside the stage can be given a descriptor with which to write later."""
    assert case.expect == "deny:socket"
    (ground.workdir / "hand_out.py").write_text(HAND_OUT)
    name = f"custody-{os.getpid()}-{ground.home.name}"
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(f"\0{name}")
        door.listen()
        door.settimeout(0)
        body = f'act [type=tool, tool_command="python3 hand_out.py {name}"] start -> act -> done'
        run = ground.start(ground.pipeline(body))
        with pytest.raises(BlockingIOError):
            door.accept()
    assert run.code == 1
    (answered,) = (fact for fact in ground.facts() if isinstance(fact, RequestAnswered))
    assert re.search("EPERM|ECONNREFUSED", answered.ack.failure_summary)


RUN_FILES = (
    "events.jsonl",
    "pipeline.dot",
    "manifest.json",
    "trace.jsonl",
    "blobs",
    "workspace",
    "",
)


def resuming_what_cannot_be_touched(case: Case, ground: Ground) -> None:
    """What cannot be read or replaced gives a typed error; when it can, the run goes on."""
    assert case.expect == "recover:typed_fail"
    assert ground.start(ground.pipeline('act [prompt="x"] start -> act -> done')).code == 0
    journal = ground.path("events.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-2]))
    ground.path("checkpoint.json").unlink()
    (text,) = case.input["setup"]
    means = [way for words, way in WAYS.items() if words in text]
    assert means
    for number, way in enumerate(means):
        if way is frozen and not (IS_ROOT and can_be_frozen(ground.home)):
            continue
        for name in RUN_FILES:
            home = ground.home / f"copy{number}" / (name or "all")
            shutil.copytree(ground.runsdir, home, symlinks=True)
            tried = way(home, home / "r1" / name)
            assert tried.code in {0, 1}
            assert tried.code == 0 or tried.data["error_type"] in TYPED, tried.out
            assert tried.code == 1 or name != "events.jsonl"
            assert custody("resume", str(home / "r1"), "--json").code == 0
            assert custody("verify", str(home / "r1"), "--json").code == 0


TYPED = {"STORAGE_FAILED", "PATH_REFUSED", "JOURNAL_BROKEN", "RUN_NOT_FOUND", "BLOB_DAMAGED"}


def closed(home: Path, target: Path) -> Done:
    """Try to resume while nobody may open something of the run."""
    mode = target.stat().st_mode
    target.chmod(0)
    with modes_count():
        tried = custody("resume", str(home / "r1"), "--json")
    target.chmod(mode)
    return tried


def frozen(home: Path, target: Path) -> Done:
    """Try to resume while something of the run cannot be changed, by root either."""
    subprocess.run(["chattr", "+i", str(target)], check=True)
    try:
        return custody("resume", str(home / "r1"), "--json")
    finally:
        subprocess.run(["chattr", "-i", str(target)], check=True)


WAYS = {"chmod 000": closed, "chattr +i": frozen}


def can_be_frozen(folder: Path) -> bool:
    """Whether the file system knows files that cannot be changed."""
    if shutil.which("chattr") is None:
        return False
    probe = folder / "probe"
    probe.touch()
    done = subprocess.run(["chattr", "+i", str(probe)], capture_output=True, check=False)
    subprocess.run(["chattr", "-i", str(probe)], capture_output=True, check=False)
    probe.unlink()
    return done.returncode == 0
