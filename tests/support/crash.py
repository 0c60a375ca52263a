"""A run that is hit at one system call, by strace, and what must hold after it is resumed.

The run is small but whole: a tool that fails, an agent that repairs, a verification, a
document. Nothing in it depends on a clock, so that two runs of it can be compared to the byte.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from custody.model.event import RequestAnswered
from custody.model.record import encode
from custody.store.journal import read_lines
from custody.store.root import Root

CALLS = (
    "write", "pwrite64", "writev", "fsync", "fdatasync", "syncfs", "rename", "renameat",
    "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat", "ftruncate",
    "symlinkat", "fchmod",
)  # fmt: skip
"""What changes a disk, or makes a change durable."""
LANDMARKS = {
    "the run gets its name": r'^renameat .*"\.new\.r1", .*"r1"\)',
    "the journal gets a line": r"^write .*/events\.jsonl>",
    "the journal is synced": r"^fdatasync .*/events\.jsonl>",
    "a blob gets its name": r"^(renameat|linkat) .*/blobs/\w\w>",
    "a blob is synced": r"^fsync .*/blobs/\w\w/",
    "a stage leaves evidence": r"^(renameat|mkdirat) .*/nodes",
    "the workspace is changed": r"^renameat .*/workspace>",
    "the manifest gets its name": r'^renameat .*"manifest\.json"',
}
"""Calls that a run stands or falls by, whatever their numbers are: a sweep has one of each."""

PIPELINE = """
digraph crash {
    graph [goal="Repair the file"]
    start [shape=Mdiamond]
    test [type=tool, tool_command="grep fixed app.txt"]
    fix [prompt="$goal", allowed_write_paths="app.txt,notes/", max_retries=1, retry_delay="0s"]
    verify [type=verification, verification.allowed_commands="grep,cat"]
    report [type=write_file, output_path="docs/report.md", content="$goal: done"]
    done [shape=Msquare]
    start -> test
    test -> done [condition="outcome=success"]
    test -> fix [condition="outcome=fail"]
    fix -> verify
    verify -> report [condition="outcome=success"]
    verify -> fix [condition="outcome=fail"]
    report -> done
}
"""

ANSWERS = {
    "schema_version": "1.0",
    "answers": [
        {
            "text": "A first try.\n" * 300,
            "outcome": "retry",
            "edits": [{"path": "app.txt", "content": "still broken\n"}],
        },
        {
            "text": "Repaired.\n",
            "edits": [
                {"path": "app.txt", "content": "fixed\n"},
                {"path": "notes/why.md", "content": "because\n"},
            ],
            "context_updates": {
                "verification.plan": {
                    "required_files": ["app.txt"],
                    "commands": ["grep fixed app.txt", "cat notes/why.md"],
                }
            },
        },
    ],
}


HIT = "hit.log"
"""What strace saw of a run that is hit."""


class Point(NamedTuple):
    """The n-th use of one system call."""

    call: str
    number: int
    arguments: str = ""

    def __str__(self) -> str:
        return f"{self.call}#{self.number}"

    @property
    def kind(self) -> str:
        """The landmark that the point is, or the call alone."""
        return self.landmark or self.call

    @property
    def landmark(self) -> str:
        """The landmark that the point is; empty for any other call."""
        line = f"{self.call} {self.arguments}"
        return next((name for name, text in LANDMARKS.items() if re.search(text, line)), "")


class Place(NamedTuple):
    """One run with everything it needs, in a folder of its own."""

    home: Path

    @classmethod
    def make(cls, home: Path) -> Self:
        """Lay out the pipeline, the recorded answers and the project."""
        project = home / "project"
        (project / "sub").mkdir(parents=True)
        (project / "app.txt").write_text("broken\n")
        (project / "sub" / "tool.sh").write_text("#!/bin/sh\n")
        (project / "sub" / "tool.sh").chmod(0o755)
        (project / "link").symlink_to("sub/tool.sh")
        (home / "pipeline.dot").write_text(PIPELINE)
        (home / "answers.json").write_text(json.dumps(ANSWERS))
        return cls(home)

    @property
    def run_directory(self) -> Path:
        """Where the run is."""
        return self.home / "runs" / "r1"

    def command(self) -> list[str]:
        """Return the command that starts the run, or goes on with it."""
        return [
            sys.executable, "-m", "custody", "run", "pipeline.dot", "--workdir", "project",
            "--runsdir", "runs", "--run-id", "r1", "--resume", "--agent", "fake:answers.json",
        ]  # fmt: skip

    def run(self, *prefix: str) -> subprocess.CompletedProcess[str]:
        """Run the command, under another one where given."""
        return subprocess.run(
            [*prefix, *self.command()],
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def hit(self, point: Point, fault: str) -> subprocess.CompletedProcess[str]:
        """Run the command and inject ``fault`` at one system call of the runtime itself."""
        return self.run(
            "strace", "-q", "-o", str(self.home / HIT), "-e", f"trace={point.call}",
            "-e", f"inject={point.call}:{fault}:when={point.number}",
        )  # fmt: skip

    def outlived(self, hit: subprocess.CompletedProcess[str], point: Point) -> bool:
        """Whether a run goes on, or fails, although it was to be killed at a call.

        A run may end without coming to one of its last: the thread that writes the views may be
        the first to make what both of them need.
        """
        came = len(traced((self.home / HIT).read_text()))
        missed = hit.returncode == 0 and came < point.number
        return hit.returncode not in (-9, 137) and not missed


def points(place: Place, calls: tuple[str, ...] = CALLS) -> list[Point]:
    """Return every system call of those that the run makes, in the order of their names."""
    log = place.home / "strace.log"
    done = place.run("strace", "-q", "-y", "-o", str(log), "-e", f"trace={','.join(calls)}")
    assert done.returncode == 0, done.stderr
    return traced(log.read_text())


def traced(log: str) -> list[Point]:
    """Return the system calls of a log of strace, in the order of their names."""
    numbers: Counter[str] = Counter()
    found = []
    for call, arguments in re.findall(r"^(\w+)\((.*)", log, re.MULTILINE):
        numbers[call] += 1
        found.append(Point(call, numbers[call], arguments))
    return sorted(found)


def fingerprint(run: Path) -> list[str]:
    """Return everything about a run that a crash may not change, one thing a line."""
    return [
        f"status {json.loads((run / 'summary.json').read_text())['status']}",
        *_facts(run),
        *(
            f"{path.relative_to(run)} {_content(path)}"
            for folder in ("workspace", "docs", "nodes")
            for path in sorted((run / folder).rglob("*"))
            if not path.is_dir() and ".lost." not in str(path) and not _tells_the_time(path)
        ),
    ]


def _facts(run: Path) -> Iterator[str]:
    with Root.open(str(run)) as root:
        for line in read_lines(root, run_id=run.name):
            fact = line.fact()
            if isinstance(fact, RequestAnswered):
                yield f"answered {fact.ack.request_id} {fact.ack.status} {fact.diff.sha256}"
            elif fact.traits.decision and line.event != "PipelineStarted":
                yield f"{line.event} {encode(fact).decode()}"


def _tells_the_time(path: Path) -> bool:
    return path.name == "status.json" or path.name.endswith(".log.jsonl")


def _content(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    if path.name == "verification.results.json":
        return repr(re.sub(r'"seconds": [\d.e-]+', '"seconds": 0', path.read_text()))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def leftovers(run: Path) -> list[str]:
    """Return temporary files that were left behind."""
    return [str(path) for path in run.rglob("*") if path.name.startswith((".tmp.", ".new."))]


def remove(home: Path) -> None:
    """Make room again."""
    shutil.rmtree(home)
