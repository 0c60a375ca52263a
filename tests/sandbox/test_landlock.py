"""What a stage starts lives in a domain of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from custody.model.request import Command, CommandLine
from custody.sandbox.landlock import has_scopes
from custody.supervise.supervisor import Launch, Limits, Supervisor

pytestmark = pytest.mark.skipif(
    not has_scopes(), reason="this kernel's Landlock has no scopes (Linux 6.12 and later do)"
)

PASS_A_DESCRIPTOR = """
import array, os, socket, sys
file = os.open("report.txt", os.O_RDWR | os.O_CREAT)
door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
door.connect("\\0" + sys.argv[1])
door.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))])
"""


def run(script: str, argument: str, folder: Path) -> tuple[int | None, str]:
    """Run a Python script as a stage would; return its exit code and what it complained of."""
    line = CommandLine(
        text="script", commands=(Command(argv=(sys.executable, "-c", script, argument)),)
    )
    errors = folder / "stderr"
    out = os.open(os.devnull, os.O_WRONLY)
    err = os.open(errors, os.O_WRONLY | os.O_CREAT)
    try:
        with Supervisor() as supervisor:
            place = Launch(workspace=str(folder), environment={"PATH": os.environ["PATH"]})
            result = supervisor.run(line, place, Limits(timeout=30), stdout=out, stderr=err)
    finally:
        os.close(out)
        os.close(err)
    return result.exit_code, errors.read_text()


def test_a_descriptor_cannot_be_handed_out_by_an_abstract_socket(tmp_path: Path) -> None:
    name = f"custody-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        code, complaint = run(PASS_A_DESCRIPTOR, name, tmp_path)
        assert code == 1
        assert "Operation not permitted" in complaint
        outside = subprocess.run(
            [sys.executable, "-c", PASS_A_DESCRIPTOR, name], cwd=tmp_path, check=False
        )
        assert outside.returncode == 0, "the same script must work where no domain stands"


def test_the_runtime_cannot_be_signalled(tmp_path: Path) -> None:
    script = f"import os, sys; os.kill(int(sys.argv[1]), {int(signal.SIGUSR1)})"
    code, complaint = run(script, str(os.getpid()), tmp_path)
    assert code == 1
    assert "Operation not permitted" in complaint
