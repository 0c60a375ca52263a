"""A real Slurm of this process's own: munge, a controller and some nodes, all on this machine.

Everything that it writes lies in a folder of its own, and it listens on ports that were free. It
needs no service manager. Its daemons end with whoever started them, even one that is killed, and
are ended by their numbers. A node is a daemon (slurmd); each job on it has another (slurmstepd),
which outlives it. Those that are killed stay so: each test that kills one takes a spare.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from custody.supervise.descendants import descendants, marked
from support.processes import is_alive
from support.servers import free_port
from support.trees import remove

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun")
SBIN = "/usr/sbin"
"""Where daemons are, which is not in everybody's PATH."""
NODES = 8
SHARED = 2
"""Nodes that all tests use; the others are spares."""
MARK = "CUSTODY_TEST_NODE"
WAIT = 60
"""Seconds within which it is there; it takes one where nothing else is done."""
SETTINGS = """
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
AuthInfo=socket={folder}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=2
SlurmdTimeout=3
KillWait=1
MessageTimeout=2
TCPTimeout=1
PartitionName=all Nodes=ALL Default=YES State=UP
"""
A_NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2\n"


def missing() -> str:
    """Return why there can be no Slurm here; empty when there can."""
    if os.geteuid() != 0:
        return "slurmd runs as root only"
    lost = [name for name in PROGRAMS if _find(name) is None]
    return f"{', '.join(lost)}: not installed" if lost else ""


def _find(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:{SBIN}")


class Slurm:
    """A cluster that is up."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        self.folder.chmod(0o755)
        self.config = str(self.folder / "slurm.conf")
        self.nodes = [f"n{number}" for number in range(1, NODES + 1)]
        self.shared = self.nodes[:SHARED]
        self._spares = self.nodes[SHARED:]
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        self._write()
        self._start_munge()
        self._start("slurmctld", "-D", "-c")
        for node in self.nodes:
            self._start("slurmd", "-D", "-N", node, node=node)
        self._until(lambda: self.told("sinfo", "-h", "-o", "%D %t") == f"{NODES} idle", "idle")
        return self

    def __exit__(self, *_: object) -> None:
        steps = [step for node in self.nodes for step in self.steps(node)]
        daemons = [daemon.pid for daemon in self._daemons.values()]
        everything = [one for top in (*daemons, *steps) for one in (top, *descendants(top))]
        for pid in everything:
            _kill(pid)
        for daemon in self._daemons.values():
            daemon.wait(WAIT)
        self._until(lambda: not any(map(is_alive, everything)), "ended")
        remove(self.folder)

    @property
    def environment(self) -> dict[str, str]:
        """What programs of Slurm need to find this one."""
        return {**os.environ, "SLURM_CONF": self.config}

    def spare(self) -> str:
        """Return a node that the caller may kill."""
        assert self._spares, "every spare node was killed: NODES of support.slurm is too small"
        return self._spares.pop()

    def told(self, *words: str) -> str:
        """Return what a program of Slurm says."""
        done = subprocess.run(
            words, env=self.environment, capture_output=True, text=True, check=False, timeout=WAIT
        )
        return done.stdout.strip()

    def jobs(self, node: str = "") -> str:
        """Return number and state of the jobs that it knows, of one node or of all."""
        where = ["-w", node] if node else []
        return self.told("squeue", "-h", "-o", "%i %t", *where)

    def steps(self, node: str) -> list[int]:
        """Return the daemons of the jobs on a node."""
        daemon = self._daemons.get(f"slurmd {node}")
        found = marked(f"{MARK}={self.folder}/{node}\0".encode(), without=b"SLURM_JOB_ID=")
        return [pid for pid in found if daemon is None or pid != daemon.pid]

    def kill(self, node: str, *, jobs: bool) -> None:
        """Let a node be gone, with its jobs or, as when only its network is, without them."""
        steps = self.steps(node)
        daemon = self._daemons[f"slurmd {node}"]
        daemon.kill()
        daemon.wait(WAIT)
        if jobs:
            below = [pid for step in steps for pid in (step, *descendants(step))]
            for pid in below:
                _kill(pid)
            self._until(lambda: not any(map(is_alive, below)), "killed")

    def _write(self) -> None:
        host, user = socket.gethostname(), pwd.getpwuid(os.geteuid()).pw_name
        port, *ports = _free_ports(1 + NODES)
        text = SETTINGS.format(folder=self.folder, host=host, user=user, port=port)
        for name, each in zip(self.nodes, ports, strict=True):
            text += A_NODE.format(name=name, host=host, port=each)
        Path(self.config).write_text(text)
        (self.folder / "state").mkdir()

    def _start_munge(self) -> None:
        """Start what proves to each side who the other is."""
        key, files = self.folder / "munge.key", self.folder / "munge"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        words = ["--foreground", "--force", f"--key-file={key}", "--num-threads=1"]
        words += [
            f"--socket={files}.socket",
            f"--pid-file={files}.pid",
            f"--seed-file={files}.seed",
        ]
        self._start("munged", *words, f"--log-file={files}.log")
        self._until((self.folder / "munge.socket").exists, "munge")

    def _start(self, program: str, *words: str, node: str = "") -> None:
        found = _find(program)
        assert found is not None
        ends = ["setpriv", "--pdeathsig=KILL"] if shutil.which("setpriv") else []
        mark = {MARK: f"{self.folder}/{node}"} if node else {}
        with (self.folder / "log").open("ab") as log:
            self._daemons[f"{program} {node}".strip()] = subprocess.Popen(
                [*ends, found, *words],
                env={**self.environment, **mark},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
            )

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        until = time.monotonic() + WAIT
        while not condition():
            said = (self.folder / "log").read_text()[-4000:]
            assert time.monotonic() < until, f"{what}: {said}"
            time.sleep(0.02)


def _free_ports(number: int) -> list[int]:
    """Return ports that nobody listens on, each another."""
    ports: set[int] = set()
    while len(ports) < number:
        ports.add(free_port())
    return list(ports)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
