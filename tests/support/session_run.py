"""A run whose stages ask a session, by the command line, and what must hold after a kill."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, Self

from custody.model.event import AnyFact
from custody.model.session import Beat
from custody.model.session_event import SessionFact
from custody.store.journal import read_lines
from custody.store.root import Root
from support.agent_run import AgentPlace, wait_for
from support.crash import Point, fingerprint

PIPELINE = """
digraph echo {
    graph [goal="Say it"]
    node [max_retries=1, retry_delay="0s"]
    start [shape=Mdiamond]
    one [prompt="one: $goal"]
    two [prompt="slow:0.3 two"]
    check [type=tool, tool_command="cat one.txt two.txt"]
    three [prompt="three"]
    done [shape=Msquare]
    start -> one -> two -> check -> three -> done
}
"""
LANDMARKS = {
    "a token is taken": r"^mkdirat .*/session/echo",
    "the journal is synced": r"^fdatasync .*/events\.jsonl>",
    "a request is handed in": r"^linkat .*/queue>",
    "the session is told to close": r'^linkat .*"close"',
}
"""Calls that a session stands or falls by, whatever their numbers are: a sweep has one of each."""
KEYS = ("one.1.1", "two.1.1", "three.1.1")


def kind(point: Point) -> str:
    """Return the landmark that a point is; empty when it is none."""
    line = f"{point.call} {point.arguments}"
    return next((name for name, text in LANDMARKS.items() if re.search(text, line)), "")


def install(site: Path) -> None:
    """Make the agent known to whoever has the folder on its import path."""
    metadata = site / "echo_agent-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: echo-agent\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[custody.agents]\necho = support.echo_agent:AGENT\n"
    )


class SessionPlace(AgentPlace):
    """Such a run, in a folder of its own."""

    @classmethod
    def make(cls, home: Path) -> Self:
        """Lay out the pipeline and an empty project."""
        (home / "project").mkdir(parents=True)
        (home / "pipeline.dot").write_text(PIPELINE)
        return cls(home)

    def command(self) -> list[str]:
        """Return the command that starts the run, or goes on with it."""
        return [
            sys.executable, "-m", "custody", "run", "pipeline.dot", "--workdir", "project",
            "--runsdir", "runs", "--run-id", "r1", "--resume", "--agent", "echo",
        ]  # fmt: skip

    def state(self) -> list[str]:
        """Return everything that a kill may not change: all but the token of an ack."""
        return [line for line in fingerprint(self.run_directory) if "/echo.ack.json " not in line]

    def facts(self) -> list[AnyFact]:
        """Return every fact of the run so far."""
        with Root.open(str(self.run_directory)) as root:
            return [line.fact() for line in read_lines(root, run_id="r1", torn_ok=True)]

    def told(self) -> list[str]:
        """Return what happened to the session, in a few words."""
        return [
            " ".join(filter(None, (type(f).__name__, str(f.token), getattr(f, "reason", ""))))
            for f in self.facts()
            if isinstance(f, SessionFact)
        ]

    def log(self) -> list[tuple[str, str, int]]:
        """Return what the program has begun and done: the word, the request's key, the token."""
        files = sorted((self.run_directory / "session/echo").glob("*/box/work/log"))
        words = (line.split() for file in files for line in file.read_text().splitlines())
        return [(word, key, int(token)) for word, key, token, *_ in words]

    def beat(self, token: int = 1) -> Beat:
        """Return what the watcher says once the program runs."""
        path = self.run_directory / f"session/echo/{token}/beat.json"
        found: dict[str, Any] = {}

        def runs() -> bool:
            if path.exists():
                found.update(json.loads(path.read_text()))
            return bool(found.get("program"))

        wait_for(runs)
        return Beat(**found)

    def begun_with(self, key: str) -> None:
        """Wait until the program works on a request."""
        wait_for(lambda: any(entry[:2] == ("begin", key) for entry in self.log()))
