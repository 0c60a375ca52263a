"""What a stage starts lives in a domain of its own."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import stat
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

from custody.model.request import Command, CommandLine
from custody.sandbox import landlock
from custody.sandbox.landlock import CHANGE, DEVICE, Rule, has_scopes
from custody.supervise.supervisor import Launch, Limits, Supervisor
from support.overlay import in_child

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


def under(*rules: Rule, network: bool = True, ports: tuple[int, ...] = ()) -> None:
    """Put this process, of which nothing is left afterwards, under these rules alone."""
    landlock.restrict(landlock.make_ruleset(rules, network=network, ports=ports))


def failure(work: Callable[[], object]) -> str:
    """Return the name of what a call fails with; empty when it does not."""
    try:
        work()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return ""


@pytest.mark.parametrize("kind", [stat.S_IFCHR, stat.S_IFBLK])
def test_where_files_may_be_changed_no_device_can_be_made(tmp_path: Path, kind: int) -> None:
    """By nobody: root, who has the right to, is refused as others are."""

    def work() -> tuple[str, str]:
        under(Rule("/", CHANGE))
        device = failure(lambda: os.mknod(tmp_path / "device", kind | 0o600, os.makedev(1, 3)))
        return device, failure(lambda: os.mkfifo(tmp_path / "pipe"))

    assert in_child(work) == ("EACCES", "")


def test_where_files_may_be_changed_a_device_takes_no_commands() -> None:
    def ask(path: str) -> str:
        device = os.open(path, os.O_RDONLY)
        return failure(lambda: fcntl.ioctl(device, termios.TIOCGWINSZ, b"8" * 8))

    def work() -> tuple[str, str]:
        under(Rule("/", CHANGE), Rule("/dev/zero", DEVICE))
        return ask("/dev/null"), ask("/dev/zero")

    assert in_child(work) == ("EACCES", "ENOTTY")


def test_a_closed_network_has_no_tcp_but_to_the_ports_that_are_named() -> None:
    here = "127.0.0.1"

    def work(named: int, other: int) -> tuple[str, ...]:
        under(Rule("/", CHANGE), network=False, ports=(named,))
        return (
            failure(lambda: socket.socket().connect((here, named))),
            failure(lambda: socket.socket().connect((here, other))),
            failure(lambda: socket.socket().bind((here, named))),
            failure(lambda: socket.socket().bind((here, 0))),
        )

    with socket.create_server((here, 0)) as one, socket.create_server((here, 0)) as two:
        ports = (one.getsockname()[1], two.getsockname()[1])
        assert in_child(lambda: work(*ports)) == ("", "EACCES", "EACCES", "EACCES")
