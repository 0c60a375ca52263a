"""An agent that counts how often it is asked, and answers when it is let.

It writes a line for every question into ``asked`` of the folder that COUNTED names, and answers
a request when the folder holds ``<node>.go`` or ``all.go``. A file ``<node>.json`` is what the
answer puts into the context. Both sides may be in several processes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from support.bench import Bench
from support.plugins import install

COUNTED = """
import json, os, time
from pathlib import Path
from custody.executors.agents import AgentType
from custody.model.request import Ack, Usage

class Counted:
    def work(self, request, stage):
        folder = Path(os.environ["COUNTED"])
        began = time.monotonic()
        with open(folder / "asked", "a") as out:
            out.write(f"{request.id}\\n")
        while not ((folder / f"{stage.node}.go").exists() or (folder / "all.go").exists()):
            time.sleep(0.005)
        response = stage.folder.write("response.md", f"{stage.node} " * 500)
        usage = Usage(model="m", input_tokens=10, output_tokens=1, cost_usd=0.5)
        seconds = round(time.monotonic() - began, 3)
        script = folder / f"{stage.node}.json"
        updates = json.loads(script.read_text()) if script.exists() else {}
        return Ack(
            request_id=request.id, status="ok", seconds=seconds, evidence=(response,),
            usage=usage, context_updates=updates,
        )

AGENT = AgentType(
    name="NAME", doc="Counts.", make=lambda _argument, _context: Counted(),
    starts_programs=False, parallel=True,
)
"""
PATIENCE = 60.0


class CountedAgent:
    """What a test knows of the agent."""

    def __init__(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        self.name = f"counted{os.getpid()}"
        self._folder = bench.home / "counted"
        self._folder.mkdir()
        site = bench.home / "site"
        install(site, self.name, COUNTED.replace("NAME", self.name), "AGENT")
        monkeypatch.syspath_prepend(str(site))
        monkeypatch.setenv("COUNTED", str(self._folder))
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), *sys.path]))

    def let(self, *nodes: str) -> None:
        """Let requests of these nodes be answered, or all."""
        for node in nodes or ("all",):
            (self._folder / f"{node}.go").touch()

    def gives(self, node: str, updates: dict[str, str]) -> None:
        """Let answers of a node put something into the context."""
        (self._folder / f"{node}.json").write_text(json.dumps(updates))

    def asked(self) -> Counter[str]:
        """Return how often each request was asked."""
        try:
            return Counter((self._folder / "asked").read_text().split())
        except FileNotFoundError:
            return Counter()


def custody(*words: str) -> subprocess.Popen[str]:
    """Start the command line."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-m", "custody", *words], stdout=pipe, stderr=pipe, text=True
    )


def told(process: subprocess.Popen[str], number: signal.Signals) -> float:
    """Send a signal; return the seconds until the process has ended."""
    began = time.monotonic()
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    return time.monotonic() - began


def until(path: Path, text: str, number: int = 1) -> None:
    """Wait until a file holds a text so many times."""
    deadline = time.monotonic() + PATIENCE
    while not path.exists() or path.read_text(errors="replace").count(text) < number:
        assert time.monotonic() < deadline, f"{path} never held {text!r}"
        time.sleep(0.005)
