"""SIGKILL for a runtime, its server or its reaper at a moment of chance.

Everything that a runtime starts carries a mark in its environment, so what is left is found
whoever its parent is by then.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

from custody.supervise.descendants import children
from support.processes import descendants

RUNTIME = """
import random, sys
from pathlib import Path
from custody.supervise.supervisor import Supervisor
from support.sandboxes import Site
folder, level, mark = sys.argv[1:]
networks = ("none", "loopback", "host") if level == "L3" else ("none",)
line = "setsid sh -c 'sleep 1000 & sleep 1000' & sleep 0.02; sh -c 'sleep 0.05'"
with Supervisor() as supervisor:
    site = Site(supervisor, Path(folder))
    site.environment["MARK"] = mark
    print(supervisor._ready_client()._pid, flush=True)
    while True:
        confinement = site.confinement(level, network=random.choice(networks))
        site.run(confinement, "sh", "-c", line, timeout=0.2)
"""
VICTIMS = ("runtime", "server", "reaper")
_PATIENCE = 10.0


def kill_once(folder: Path, level: str, victim: str, delay: float) -> list[int]:
    """Run a runtime, kill one process after a delay; return what is left in the end."""
    mark = uuid.uuid4().hex
    runtime = subprocess.Popen(
        [sys.executable, "-c", RUNTIME, folder, level, mark],
        stdout=subprocess.PIPE,
        env={**os.environ, "MARK": mark, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with runtime:
        assert runtime.stdout is not None
        reaper = int(runtime.stdout.readline())
        time.sleep(delay)
        started = descendants(reaper)
        pids = {"runtime": [runtime.pid], "server": children(reaper), "reaper": [reaper]}
        for pid in pids[victim]:
            os.kill(pid, signal.SIGKILL)
        left = [] if victim == "runtime" else _wait_for_none(started, "")
        runtime.kill()
    return left or _wait_for_none([], mark)


def _wait_for_none(pids: list[int], mark: str) -> list[int]:
    """Wait until none of the processes is left, nor any with the mark; return what stays."""
    deadline = time.monotonic() + _PATIENCE
    while left := [pid for pid in pids if _runs(pid)] or _marked(mark):
        if time.monotonic() > deadline:
            return left
        time.sleep(0.005)
    return []


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in {"Z", "X"}


def _marked(mark: str) -> list[int]:
    if not mark:
        return []
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and _has(name, mark)]


def _has(process: str, mark: str) -> bool:
    try:
        return mark.encode() in Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return False  # it has ended, or is somebody else's
