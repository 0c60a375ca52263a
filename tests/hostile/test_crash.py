"""Runs that end before their end: killed, out of disk, out of power, or two at a time."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from custody import api
from custody.model.event import PipelineFailed
from support.crash import Place, Point, fingerprint, leftovers, points
from support.hostile import Case, Ground, cases, custody, facts_of, picture
from support.power import Recorder, survive
from support.shell import FAILING, WAITING, Shell
from support.sweep import POINT, Sweep, budget, chance

KILL = "signal=KILL"
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
POWER_CUTS = round(budget(20, 400))
EVERY = 60
FAMILIES = {
    "write": ("write", "pwrite64", "writev"),
    "fsync": ("fsync", "fdatasync", "syncfs"),
    "rename": ("rename", "renameat", "renameat2"),
    "link": ("link", "linkat"),
    "unlink": ("unlink", "unlinkat"),
    "mkdir": ("mkdir", "mkdirat"),
    "truncate": ("ftruncate",),
}
"""System calls by the word that a case uses for them."""

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")

POLL = "ppoll" if sys.version_info >= (3, 15) else "poll"
"""The call by which Python waits for descriptors."""


class Known:
    """A run that went well: what it does to the disk, and what it leaves."""

    def __init__(self, home: Path) -> None:
        self.points = points(Place.make(home))
        self.fingerprint = fingerprint(home / "runs" / "r1")

    def named(self, text: str) -> list[Point]:
        """Return the points of every kind of call that a text names."""
        words = [word for word in FAMILIES if re.search(rf"\b{word}\b", text)]
        return [point for point in self.points if family(point) in words]


def family(point: Point) -> str:
    """Return the word that a case uses for a call; empty when there is none."""
    return next((word for word, calls in FAMILIES.items() if point.call in calls), "")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """Return the run that the others are compared with."""
    return Known(tmp_path_factory.mktemp("known"))


@pytest.mark.req("P-11")
@pytest.mark.parametrize("case", cases("crash"), ids=str)
def test_crash(case: Case, ground: Ground, request: pytest.FixtureRequest) -> None:
    ((how, text),) = case.input.items()
    for kind, pattern, happen, proven in WHAT_HAPPENS:
        if kind == how and re.search(pattern, text):
            assert case.expect in proven
            happen(Event(case, text, ground, request))
            return
    raise AssertionError(f"nobody knows how to let this happen: {case.input}")


class Event:
    """What happens in one case, and where."""

    def __init__(
        self, case: Case, text: str, ground: Ground, request: pytest.FixtureRequest
    ) -> None:
        self.case = case
        self.text = text
        self.ground = ground
        self.sweep: Sweep = request.getfixturevalue("sweep")
        self._request = request

    @property
    def known(self) -> Known:
        """The run that went well."""
        found: Known = self._request.getfixturevalue("known")
        return found

    def at_each(self, attempt: Callable[[Point], str | None]) -> None:
        """Try points of the calls that the case names, of each kind at least one."""
        chosen = self.sweep.points(self.known.named(self.text), every=EVERY, kind=family, most=3)
        self.sweep.over(chosen, attempt)

    def place(self, name: object = "p") -> Place:
        """Return a fresh run to be hit."""
        return Place.make(self.ground.home / str(name))

    def resumes_well(self, place: Place) -> None:
        """Go on with a run; it must come to the same end, with nothing left lying about."""
        resumed = place.run()
        assert resumed.returncode == 0, resumed.stderr
        assert fingerprint(place.run_directory) == self.known.fingerprint
        assert leftovers(place.home / "runs") == []
        assert api.verify(str(place.run_directory)).mismatches == ()


def killed_at_calls(event: Event) -> None:
    def attempt(point: Point) -> None:
        place = event.place(point)
        assert place.hit(point, KILL).returncode in KILLED
        event.resumes_well(place)

    event.at_each(attempt)


def calls_fail(event: Event) -> None:
    """The error is told in one sentence, and when the disk is well again the run goes on."""
    error = re.findall(r"\bE[A-Z]+\b", event.text)[0]
    codes = []

    def attempt(point: Point) -> None:
        place = event.place(point)
        hit = place.hit(point, f"error={error}")
        codes.append(hit.returncode)
        assert hit.returncode in {0, 1}
        assert hit.returncode == 0 or hit.stderr.startswith("error: ")
        assert "Traceback" not in hit.stderr
        event.resumes_well(place)

    event.at_each(attempt)
    assert POINT or 1 in codes


def killed_while_files_could_be_hidden(event: Event) -> None:
    """Scenario files are where they were, in the source and in the workspace, at every moment."""
    for number in range(1, 20):  # the first calls are for the program that tries the level out
        place = event.place(number)
        hidden = place.home / "project" / "scripts" / "scenarios"
        hidden.mkdir(parents=True)
        (hidden / "holdout.sh").write_text("exit 0\n")
        before = picture(place.home / "project")
        assert place.hit(Point(POLL, number), KILL).returncode in KILLED
        if (place.run_directory / "layers").exists():
            break
    copy = place.run_directory / "workspace" / "scripts"
    assert picture(copy) == picture(hidden.parent)
    assert place.run().returncode == 0
    assert picture(copy) == picture(hidden.parent)
    assert picture(place.home / "project") == before


def killed_before_a_rename(event: Event) -> None:
    """What was written under a temporary name is swept away, and no name holds half a file."""
    left = 0

    def attempt(point: Point) -> None:
        nonlocal left
        place = event.place(point)
        assert place.hit(point, KILL).returncode in KILLED
        left += len(leftovers(place.home / "runs"))
        event.resumes_well(place)

    renames = event.known.named("rename")
    event.sweep.over(event.sweep.points(renames, every=len(renames) / 3), attempt)
    assert POINT or left


class WholeRun(Recorder):
    """Records what a run does to the disk.

    What is written in place belongs to views that are never synced: none of it arrives.
    """

    def _ftruncate(self, *given: int) -> None:
        self._os["ftruncate"](*given)


def power_fails(event: Event) -> None:
    """Whatever part of the unsynced data is gone, a run goes on, or has never begun."""
    ground = event.ground
    (ground.workdir / "app.txt").write_text("old\n")
    ground.answers({"edits": [{"path": "app.txt", "content": "new\n"}], "text": "long " * 2000})
    pipeline = ground.pipeline(
        'fix [prompt="x"] report [type=write_file, output_path="docs/r.md", content="y"] '
        "start -> fix -> report -> done"
    )
    recorded = ground.home / "recorded"
    recorded.mkdir()
    recorder = WholeRun(str(recorded))
    try:
        assert run_or_resume(ground, pipeline, recorded)
    finally:
        recorder.stop()

    def attempt(number: int) -> None:
        left = ground.home / f"left{number}"
        by = chance("power", number)
        until = by.randrange(len(recorder.log) + 1)
        survive(recorder.log[:until], recorder.top, by, str(left))
        nothing_is_half(ground, pipeline, left)
        shutil.rmtree(left)

    event.sweep.over(event.sweep.points(range(POWER_CUTS), every=1), attempt)


def nothing_is_half(ground: Ground, pipeline: str, home: Path) -> None:
    """Go on with what a power failure left.

    The files of a workspace are not synced. A run that goes on puts them back; one that had
    ended stays as it is, and then `verify` names every file that is not what it was.
    """
    run = home / "runs" / "r1"
    had_ended = "PipelineCompleted" in last_line(run)
    assert run_or_resume(ground, pipeline, home)
    assert had_ended or leftovers(home / "runs") == []
    wrong = {mismatch.code for mismatch in api.verify(str(run)).mismatches}
    assert wrong <= ({"workspace"} if had_ended else set())
    assert wrong or (run / "workspace" / "app.txt").read_text() == "new\n"


def run_or_resume(ground: Ground, pipeline: str, home: Path) -> bool:
    result = api.run(
        pipeline,
        workdir=str(ground.workdir),
        runsdir=str(home / "runs"),
        run_id="r1",
        agent=f"fake:{ground.home / 'answers.json'}",
        resume_existing=True,
    )
    return result.summary.status == "PASS"


@contextmanager
def at_work(shell: Shell, last: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Start a command that does not end by itself; go on when its tool is at work."""
    process = shell.start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        wait_for(lambda: f'"event":"{last}","node":' in last_line(shell.folder / "runs" / "r1"))
        yield process
    finally:
        process.kill()
        process.communicate()


def last_line(run: Path) -> str:
    journal = run / "events.jsonl"
    text = journal.read_text(errors="replace") if journal.exists() else ""
    return text.rstrip("\n").rpartition("\n")[2]


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def somebody_else_is_at_work(event: Event) -> None:
    """The second one is told so, and changes nothing."""
    shell = Shell(event.ground.home)
    run = [shell.write("waiting.dot", WAITING), "--runsdir", "runs", "--run-id", "r1"]
    if "two resumes" in event.text:
        with at_work(shell, "StageStarted", "run", *run) as process:
            process.send_signal(signal.SIGTERM)
            assert process.wait() == 130
        first = ["RunResumed", "resume", "r1", "--runsdir", "runs"]
    else:
        first = ["StageStarted", "run", *run]
    with at_work(shell, *first) as process:
        before = event.ground.path("events.jsonl").read_bytes()
        second = event.ground.ask("resume")
        assert (second.code, second.data["error_type"]) == (1, "RUN_LOCKED")
        assert event.ground.path("events.jsonl").read_bytes() == before
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130


def told_to_end(event: Event) -> None:
    """A run that is told to end says so in its journal, and can be taken up again."""
    number = signal.SIGINT if "SIGINT" in event.text else signal.SIGTERM
    shell = Shell(event.ground.home)
    run = [shell.write("waiting.dot", WAITING), "--runsdir", "runs", "--run-id", "r1"]
    with at_work(shell, "StageStarted", "run", *run) as process:
        process.send_signal(number)
        assert process.wait() == 130
    assert event.ground.events()[-1] == "RunInterrupted"
    assert event.ground.ask("verify").code == 0
    with at_work(shell, "RunResumed", "resume", "r1", "--runsdir", "runs") as process:
        process.send_signal(number)
        assert process.wait() == 130


def a_pid_belongs_to_another(event: Event) -> None:
    """A file with a number in it locks nothing: only the kernel's lock does."""
    place = event.place()
    syncs = event.known.named("fsync")
    point = syncs[len(syncs) // 2]
    assert place.hit(point, KILL).returncode in KILLED
    files = [place.run_directory / name for name in ("lock", ".lock", "run.lock", "pid", "r1.pid")]
    for file in files:
        file.write_text(f"{os.getppid()}\n")
    assert place.run().returncode == 0
    for file in files:
        file.unlink()
    event.resumes_well(place)


def no_room_for_the_last_documents(event: Event) -> None:
    """The run has failed, and that is in the journal, whatever cannot be written about it."""
    error = re.findall(r"\bE[A-Z]+\b", event.text)[0]
    for name in ("summary.json", "summary.md", "manifest.json"):
        place = event.place(name)
        (place.home / "pipeline.dot").write_text(FAILING)
        hit = place.run(*without_room_for(name, error, skip=name == "manifest.json"))
        assert (hit.returncode, hit.stderr.splitlines()[0]) == (1, "error: no space left on device")
        assert any(isinstance(fact, PipelineFailed) for fact in facts_of(place.run_directory))
        resumed = custody("resume", str(place.run_directory), "--json")
        assert (resumed.code, resumed.data["summary"]["status"]) == (1, "FAIL")
        assert json.loads((place.run_directory / "manifest.json").read_text())["status"] == "FAIL"
        assert api.verify(str(place.run_directory)).mismatches == ()


def without_room_for(name: str, error: str, *, skip: bool) -> list[str]:
    """Return what lets a file not get its name, the first time or, with ``skip``, the second."""
    renames = ",".join(FAMILIES["rename"])
    return [
        "strace", "-q", "-o", "/dev/null", "-P", name, "-e", f"trace={renames}",
        "-e", f"inject={renames}:error={error}:when={2 if skip else 1}",
    ]  # fmt: skip


WHAT_HAPPENS: tuple[tuple[str, str, Callable[[Event], None], tuple[str, ...]], ...] = (
    ("kill", "at each", killed_at_calls, ("recover:resume_pass",)),
    ("kill", "holdouts", killed_while_files_could_be_hidden, ("recover:holdout_intact",)),
    ("kill", "tmp write and rename", killed_before_a_rename, ("recover:no_partial",)),
    ("kill", "SIGTERM|SIGINT", told_to_end, ("recover:interrupted", "recover:resume_pass")),
    (
        "errno",
        "E[A-Z]+ at each",
        calls_fail,
        ("recover:typed_fail_then_resume", "recover:typed_fail"),
    ),
    ("power", "", power_fails, ("recover:no_partial",)),
    ("resume", "two resumes|while it runs", somebody_else_is_at_work, ("reject:locked",)),
    ("resume", "pid", a_pid_belongs_to_another, ("recover:lock",)),
    ("disk", "E[A-Z]+ while", no_room_for_the_last_documents, ("recover:typed_fail",)),
)
"""How a case begins, what its text says, what is done then, and which verdicts that proves."""
