"""A skill job by the command line, whose runtime is killed, and what must hold when it goes on."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from custody import api
from custody.model import layout
from custody.model.event import AnyFact
from custody.model.session_event import SessionOpened
from custody.store.journal import read_lines
from custody.store.root import Root
from support.agent_run import AgentPlace, wait_for
from support.crash import Point, leftovers
from support.jobs import CONTRACT, DESIGN, SCRIPT, Job

LANDMARKS = {
    "a request is published": r"^linkat .*/queue>",
    "an ack is published": r"^linkat .*/ack>",
    "a token is taken": r"^mkdirat .*/session/tool",
    "the journal is synced": r"^fdatasync .*/events\.jsonl>",
    "a script is written": r"^renameat .*/scripts>",
}
"""Calls that a job stands or falls by, whatever their numbers are: a sweep has one of each."""
_LOG = "set log [open [file join $env(SP_REPORTS_DIR) log] a]\nputs $log {}\nclose $log\n"
ASKED = ("restore", "run")


def kind(point: Point) -> str:
    """Return the landmark that a point is; empty when it is none."""
    line = f"{point.call} {point.arguments}"
    return next((name for name, text in LANDMARKS.items() if re.search(text, line)), "")


class JobPlace(AgentPlace):
    """A job that counts how often each of its scripts is carried out."""

    @classmethod
    def make(cls, home: Path) -> Self:
        """Lay out the design and the skill."""
        (home / "count" / "templates").mkdir(parents=True)
        (home / "top.enc.dat").mkdir()
        (home / "top.enc").write_text(_LOG.format("restore") + DESIGN)
        (home / "top.enc.dat" / "cells.tcl").write_text("set cells 42\n")
        (home / "count" / "contract.yaml").write_text(CONTRACT)
        slow = "after 300\n"
        (home / "count" / "templates" / "run.tcl").write_text(_LOG.format("run") + slow + SCRIPT)
        return cls(home)

    def command(self) -> list[str]:
        """Return the command that starts the job, or goes on with it."""
        settings = {
            "skill": "count",
            "skill_path": str(self.home / "count"),
            "design": "top",
            "cwd": str(self.home),
            "adapter": "local",
        }
        given = [word for name in settings for word in ("--set", f"{name}={settings[name]}")]
        return [
            sys.executable, "-m", "custody", "run", "skill_job", "--runsdir", "runs",
            "--run-id", "r1", "--resume", *given,
        ]  # fmt: skip

    def job(self) -> Job:
        """Return the job when it has ended."""
        return Job(api.show(str(self.run_directory)))

    def facts(self) -> list[AnyFact]:
        """Return every fact so far."""
        with Root.open(str(self.run_directory)) as root:
            return [line.fact() for line in read_lines(root, run_id="r1", torn_ok=True)]

    def carried_out(self) -> Counter[str]:
        """Return how often each script was carried out."""
        log = self.run_directory / "reports" / "log"
        return Counter(log.read_text().split() if log.exists() else ())

    def at_work(self) -> None:
        """Wait until the tool works on the script of the skill."""
        wait_for(lambda: self.carried_out()["run"] > 0)

    def trouble(self) -> Iterator[str]:
        """Yield what is wrong with a job that has ended as it would have without a kill."""
        job = self.job()
        if job.verdict != ("PASS", "OK"):
            yield f"it ended {job.verdict}: {job.manifest['message']}"
        if self.carried_out() != Counter(ASKED):
            yield f"carried out: {self.carried_out()}"
        names = [f"r1_000{number}_{tag}.json" for number, tag in enumerate(ASKED, 1)]
        for folder in (layout.QUEUE, layout.ACK):
            if (there := sorted(each.name for each in (job.path / folder).iterdir())) != names:
                yield f"{folder}: {there}"
        opened = [fact.token for fact in self.facts() if isinstance(fact, SessionOpened)]
        if self.carried_out() and len(opened) > 2:
            yield f"opened: {opened}"
        ends = [line["event"] for line in job.timeline if line["event"] in ("DONE", "FAIL")]
        if ends != ["DONE"] or job.states("STATE_ENTER") != job.states("STATE_EXIT"):
            yield f"the timeline says {ends}"
        if left := leftovers(self.home / "runs"):
            yield f"left behind: {left}"
        if mismatches := api.verify(str(self.run_directory)).mismatches:
            yield f"does not verify: {mismatches}"
