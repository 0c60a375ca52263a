"""A tool that stays, with the executor in it: asked by files, as without a runtime."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any

from custody.skills.tools import TOOLS
from custody.store.root import Root
from custody.store.wake import Wake
from support.agent_run import wait_for

JOB = "20260101_120000_7_abcd"
TOKEN = 3
RESIDENT = ("tclsh", "opensta", "yosys", "magic", "netgen")
"""The tools that the executor is proven in."""


class Resident:
    """One tool with the executor, in a run directory as documented, with a FIFO or without."""

    def __init__(self, home: Path, tool: str, *, wake: bool = True, **variables: str) -> None:
        self.home = home
        self.tool = tool
        for name in ("queue", "ack", "scripts", "reports", "session/claim"):
            (home / name).mkdir(parents=True, exist_ok=True)
        self._root = Root.open(str(home))
        self.wake = Wake(self._root, "session/wake")
        self._asked = 0
        if wake:
            os.mkfifo(home / "session/wake")
            variables["SP_FIFO"] = str(home / "session/wake")
        self._variables = {
            "SP_RUN_DIR": str(home), "SP_JOB_ID": JOB, "SP_TOKEN": str(TOKEN), **variables,
        }  # fmt: skip
        self.process = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        """Start the tool and wait until it takes requests."""
        ready = self.home / "session/ready"
        ready.unlink(missing_ok=True)
        with self.stream("stdout").open("ab") as out, self.stream("stderr").open("ab") as err:
            self.process = subprocess.Popen(
                TOOLS[self.tool].argv(),
                cwd=self.home,
                env={**os.environ, **self._variables},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        wait_for(lambda: ready.exists() or self.process.poll() is not None)
        assert self.process.poll() is None, self.said("stderr")
        return self.process

    def stop(self) -> int:
        """Ask it to end; return its exit code."""
        (self.home / "session/stop").touch()
        code = self.process.wait(60)
        self._root.close()
        return code

    def kill(self) -> None:
        """End it without asking."""
        self.process.kill()
        self.process.wait()

    def script(self, name: str, text: str) -> str:
        """Write a script; return what a request calls it."""
        (self.home / "scripts" / name).write_text(text, "utf-8", "surrogatepass")
        return f"scripts/{name}"

    def next_id(self, tag: str) -> str:
        """Return an id that no request has had."""
        self._asked += 1
        return f"{JOB}_{self._asked:04}_{tag}"

    def run(self, text: str, tag: str = "run", seconds: float = 60) -> dict[str, Any]:
        """Have a script sourced; return the ack."""
        name = self.next_id(tag)
        return self.ask(name, request(name, self.script(f"{name}.tcl", text)), seconds)

    def ask(self, name: str, data: Any, seconds: float = 60) -> dict[str, Any]:
        """Hand a request in and wait for its ack."""
        self.post(name, data)
        return self.ack(name, seconds)

    def post(self, name: str, data: Any) -> None:
        """Hand a request in, whole and once."""
        if not isinstance(data, bytes):
            data = json.dumps(data).encode()
        part = self.home / "queue" / f".{name}.part"
        part.write_bytes(data)
        os.link(part, self.home / "queue" / f"{name}.json")
        part.unlink()
        self.wake.tell(name)

    def ack(self, name: str, seconds: float = 60) -> dict[str, Any]:
        """Wait for an ack."""
        path = self.home / "ack" / f"{name}.json"
        deadline = time.monotonic() + seconds
        while not path.exists():
            assert self.process.poll() is None, f"{self.tool} has ended: {self.said('stderr')}"
            assert time.monotonic() < deadline, f"no ack: {self.said('stderr')}"
            time.sleep(0.0005)
        found: dict[str, Any] = json.loads(path.read_bytes())
        return found

    def stream(self, name: str) -> Path:
        """Return where what it prints is kept."""
        return self.home / "session" / f"{self.tool}.{name}.log"

    def said(self, stream: str, name: str = "") -> str:
        """Return what it has printed, during one request or in all.

        OpenSTA prints both streams to its standard output, with all marks.
        """
        both = self.tool == "opensta"
        text = self.stream("stdout" if both else stream).read_text(errors="replace")
        if not name:
            return text
        _, _, after = text.partition(f"\n@@custody begin {name}\n")
        inner, end, _ = after.rpartition(f"\n@@custody end {name}\n")
        assert end, text
        return re.sub(r"\n@@custody \w+ .*\n", "", inner)


def request(name: str, script: Any, **changed: Any) -> dict[str, Any]:
    """Return a request as documented; what is ``...`` is left out."""
    fields = {
        "schema_version": "1.0", "request_id": name, "job_id": JOB, "action": "SOURCE_TCL",
        "script": script, "created_at": "2026-01-01T12:00:00Z", **changed,
    }  # fmt: skip
    return {key: value for key, value in fields.items() if value is not ...}
