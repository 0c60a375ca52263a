"""Ways to start a program in a sandbox: custody's levels, and the sandboxes beside them.

Everybody is asked for the same: read what belongs to the system and to Python, change the
workspace, reach no network, see no variable of the caller.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.contestants import HERE, version
from benchmarks.fresh import NotMeasured
from custody.model.request import Command, CommandLine
from custody.supervise.supervisor import Launch, Limits

if TYPE_CHECKING:
    from support.sandboxes import Site

TESTS = os.path.join(os.path.dirname(HERE), "tests")
"""Where the site and the ways out are kept, which the tests use too."""

Run = Callable[[Sequence[str], str], str]
"""Runs a program in the workspace, with a file as its input; returns what it printed."""
Way = Callable[[], Run]
"""Makes ready, out of the measured time, and returns what is measured."""

SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc", "/proc", "/dev")
"""What the others are told can be read, as their own examples have it."""


def ways(site: Site) -> dict[str, Way]:
    """Return every way that there is on this machine, by its name."""
    found: dict[str, Way] = {
        "plain": lambda: _custody(site, ""),
        "L2": lambda: _custody(site, "L2"),
        "L3": lambda: _custody(site, "L3"),
    }
    for name, make in (("bubblewrap", _bubblewrap), ("nono", _nono), ("sandlock", _sandlock)):
        with contextlib.suppress(NotMeasured):
            found[name] = _once(make(site))
    return found


def titles() -> dict[str, str]:
    """Return what the table calls the others."""
    return {
        "bubblewrap": f"bubblewrap {_bubblewrap_version()}, Codex's arguments",
        "nono": f"nono-py {version('nono-py')}",
        "sandlock": f"sandlock {version('sandlock')}",
    }


def _custody(site: Site, level: str) -> Run:
    place = Launch(
        str(site.workspace), site.environment, site.confinement(level) if level else None
    )

    def run(argv: Sequence[str], stdin: str) -> str:
        out, err = os.memfd_create("stdout"), os.memfd_create("stderr")
        line = CommandLine(text=argv[0], commands=(Command(argv=tuple(argv)),))
        result = site.supervisor.run(line, place, Limits(120), stdout=out, stderr=err, stdin=stdin)
        told = os.pread(out, 1 << 20, 0).decode()
        os.close(out)
        os.close(err)
        if not result.succeeded:
            raise NotMeasured(result.failure_reason)
        return told

    return run


def _bubblewrap(site: Site) -> Run:
    """Return bubblewrap with the arguments of Codex's workspace-write sandbox.

    From codex-rs/linux-sandbox/src/bwrap.rs of openai/codex. Its filter of system calls is set by
    a program of its own and is not part of bubblewrap's arguments.
    """
    if not shutil.which("bwrap"):
        raise NotMeasured("bubblewrap is not installed")
    workspace = str(site.workspace)
    before = (
        "bwrap", "--new-session", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev",
        "--bind", workspace, workspace, "--unshare-user", "--unshare-pid", "--unshare-net",
        "--proc", "/proc", "--",
    )  # fmt: skip

    def run(argv: Sequence[str], stdin: str) -> str:
        with open(stdin or os.devnull, "rb") as source:
            done = subprocess.run(
                [*before, *argv], cwd=workspace, env=site.environment, stdin=source,
                capture_output=True, text=True, check=False,
            )  # fmt: skip
        return _checked(done.returncode, done.stdout, done.stderr)

    return run


def _nono(site: Site) -> Run:
    try:
        import nono_py
    except ImportError as error:
        raise NotMeasured("nono-py is not installed") from error
    allowed = nono_py.CapabilitySet()
    for path in (*SYSTEM, sys.base_prefix, sys.prefix):
        allowed.allow_path(path, nono_py.AccessMode.READ)
    allowed.allow_path(str(site.workspace), nono_py.AccessMode.READ_WRITE)
    allowed.block_network()
    variables = list(site.environment.items())

    def run(argv: Sequence[str], stdin: str) -> str:
        with _as_input(stdin):
            done = nono_py.sandboxed_exec(
                allowed, list(argv), cwd=str(site.workspace), env=variables
            )
        return _checked(done.exit_code, done.stdout, done.stderr)

    return run


def _sandlock(site: Site) -> Run:
    try:
        import sandlock
    except ImportError as error:
        raise NotMeasured("sandlock is not installed") from error
    box = sandlock.Sandbox(
        fs_readable=[*SYSTEM, sys.base_prefix, sys.prefix],
        fs_writable=[str(site.workspace)],
        fs_denied=[str(site.workspace / "holdout")],
        cwd=str(site.workspace),
        clean_env=True,
        env=dict(site.environment),
    )

    def run(argv: Sequence[str], stdin: str) -> str:
        with _as_input(stdin):
            done = box.run(list(argv), timeout=120)
        return _checked(done.exit_code, done.stdout, done.stderr)

    return run


def _once(run: Run) -> Way:
    return lambda: run


def _checked(exit_code: int, stdout: str | bytes, stderr: str | bytes) -> str:
    out, err = (text if isinstance(text, str) else text.decode() for text in (stdout, stderr))
    if exit_code:
        raise NotMeasured(f"exit code {exit_code}: {err.strip()[-200:]}")
    return out


@contextlib.contextmanager
def _as_input(path: str) -> Iterator[None]:
    """Make a file this process's own input, for those that hand it on."""
    before = os.dup(0)
    source = os.open(path or os.devnull, os.O_RDONLY)
    os.dup2(source, 0)
    os.close(source)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)


def _bubblewrap_version() -> str:
    try:
        told = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "(not installed)"
    return told.stdout.split()[-1]


@contextlib.contextmanager
def site_below(folder: str) -> Iterator[Site]:
    """Make a run directory with everything that a stage has, and a hidden folder."""
    sys.path.append(TESTS)
    from custody.supervise.supervisor import Supervisor
    from support.sandboxes import Site

    with Supervisor() as supervisor:
        yield Site(supervisor, Path(folder))
