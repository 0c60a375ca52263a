"""The sandboxes of others, each set up to be asked for the same, as far as it can be.

bubblewrap       the arguments of Codex's workspace-write sandbox: everything can be read
nono-py          Landlock, and its filter of system calls; limits of files and processes
sandlock         Landlock, its filter, and limits of memory, processes and open files
sandbox-runtime  nothing but what is named can be read; its proxy lets nothing through
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from benchmarks.contestants import HERE, version
from benchmarks.fresh import NotMeasured
from benchmarks.sandboxes import Ask, Run, Way, custody

NODE_MODULES = os.path.join(os.path.dirname(HERE), ".peers", "node_modules")
SANDBOX_RUNTIME = os.path.join(NODE_MODULES, "@anthropic-ai", "sandbox-runtime")
TIME_LIMIT = 120


class Peer(NamedTuple):
    """A sandbox beside custody's."""

    title: str
    """What the table calls it, with its version in place of ``{}``."""
    version: Callable[[], str]
    make: Callable[[Ask], Run]
    """Raises `NotMeasured` when it is not installed."""
    levels: tuple[str, ...] = ("L3", "L2")
    """The levels of custody that it is measured against."""


def ways(ask: Ask) -> tuple[dict[str, Way], dict[str, str]]:
    """Return every way that there is on this machine, and of the others why there is none."""
    found: dict[str, Way] = {
        "plain": lambda: custody(ask, ""),
        "L2": lambda: custody(ask, "L2"),
        "L3": lambda: custody(ask, "L3"),
    }
    missing: dict[str, str] = {}
    for name, peer in PEERS.items():
        try:
            run = peer.make(ask)
            run(["/bin/true"], "")
        except NotMeasured as reason:
            missing[name] = str(reason)
        else:
            found[name] = _once(run)
    return found, missing


def titles() -> dict[str, str]:
    """Return what the table calls the others."""
    return {name: peer.title.format(peer.version()) for name, peer in PEERS.items()}


def _bubblewrap(ask: Ask) -> Run:
    """Return bubblewrap with the arguments of Codex's workspace-write sandbox.

    From codex-rs/linux-sandbox/src/bwrap.rs of openai/codex. Its filter of system calls is set by
    a program of its own and is not part of bubblewrap's arguments.
    """
    _require("bwrap")
    before = (
        "bwrap", "--new-session", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev",
        "--bind", ask.workspace, ask.workspace, "--unshare-user", "--unshare-pid", "--unshare-net",
        "--proc", "/proc", "--",
    )  # fmt: skip
    return _program(ask, lambda argv: [*before, *argv], dict(ask.site.environment))


def _sandbox_runtime(ask: Ask) -> Run:
    for name in ("bwrap", "socat", "rg"):
        _require(name)
    program, node = f"{SANDBOX_RUNTIME}/dist/cli.js", f"{NODE_MODULES}/.bin/node"
    if not os.path.exists(program) or not os.path.exists(node):
        raise NotMeasured("sandbox-runtime is not installed: npm is missing")
    settings = os.path.join(os.path.dirname(ask.site.run_folder), "srt.json")
    with open(settings, "w", encoding="utf-8") as file:
        json.dump(_settings(ask), file)
    environment = dict(ask.site.environment)
    environment["PATH"] = f"{NODE_MODULES}/.bin:{environment['PATH']}"
    before = [node, program, "--settings", settings, "-c"]
    return _program(ask, lambda argv: [*before, shlex.join(argv)], environment)


def _settings(ask: Ask) -> dict[str, object]:
    own = f"{SANDBOX_RUNTIME}/vendor"
    return {
        "network": {"allowedDomains": [], "deniedDomains": []},
        "filesystem": {
            "denyRead": ["/", ask.hidden],
            "allowRead": [*ask.readable, own, ask.workspace],
            "allowWrite": [ask.workspace],
            "denyWrite": [],
        },
    }


def _nono(ask: Ask) -> Run:
    try:
        import nono_py
    except ImportError as error:
        raise NotMeasured("nono-py is not installed") from error
    allowed = nono_py.CapabilitySet()
    for path in ask.readable:
        allow = allowed.allow_path if os.path.isdir(path) else allowed.allow_file
        allow(path, nono_py.AccessMode.READ)
    allowed.allow_path(ask.workspace, nono_py.AccessMode.READ_WRITE)
    allowed.block_network()
    variables = list(ask.site.environment.items())
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]  # which it does not raise

    def run(argv: Sequence[str], stdin: str) -> str:
        with _as_input(stdin):
            done = nono_py.sandboxed_exec(
                allowed,
                list(argv),
                cwd=ask.workspace,
                env=variables,
                timeout_secs=TIME_LIMIT,
                enforcement_mode="seccomp",
                max_processes=ask.limits.processes,
                max_open_files=min(ask.limits.open_files, hard),
                max_file_size_bytes=ask.limits.file_size,
            )
        return _checked(done.exit_code, done.stdout, done.stderr)

    return run


def _sandlock(ask: Ask) -> Run:
    try:
        import sandlock
    except ImportError as error:
        raise NotMeasured("sandlock is not installed") from error
    box = sandlock.Sandbox(
        fs_readable=ask.readable,
        fs_writable=[ask.workspace],
        fs_denied=[ask.hidden],
        cwd=ask.workspace,
        clean_env=True,
        env=dict(ask.site.environment),
        no_coredump=True,
        max_memory=ask.limits.memory,
        max_processes=ask.limits.processes,
        max_open_files=ask.limits.open_files,
    )

    def run(argv: Sequence[str], stdin: str) -> str:
        with _as_input(stdin):
            done = box.run(list(argv), timeout=TIME_LIMIT)
        return _checked(done.exit_code, done.stdout, done.stderr)

    return run


def _once(run: Run) -> Way:
    return lambda: run


def _program(
    ask: Ask, line: Callable[[Sequence[str]], list[str]], environment: dict[str, str]
) -> Run:
    """Return a way that is a program of its own, in front of the one that is to run."""

    def run(argv: Sequence[str], stdin: str) -> str:
        with open(stdin or os.devnull, "rb") as source:
            done = subprocess.run(
                line(argv), cwd=ask.workspace, env=environment, stdin=source,
                capture_output=True, text=True, check=False, timeout=TIME_LIMIT,
            )  # fmt: skip
        return _checked(done.returncode, done.stdout, done.stderr)

    return run


def _require(program: str) -> None:
    if not shutil.which(program):
        raise NotMeasured(f"{program} is not installed")


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


def _sandbox_runtime_version() -> str:
    try:
        with open(f"{SANDBOX_RUNTIME}/package.json", encoding="utf-8") as file:
            return str(json.load(file)["version"])
    except OSError:
        return "(not installed)"


PEERS = {
    "bubblewrap": Peer(
        "bubblewrap {}, Codex's arguments", _bubblewrap_version, _bubblewrap, ("L3",)
    ),
    "nono": Peer("nono-py {}", lambda: version("nono-py"), _nono),
    "sandlock": Peer("sandlock {}", lambda: version("sandlock"), _sandlock),
    "srt": Peer("sandbox-runtime {}", _sandbox_runtime_version, _sandbox_runtime, ("L3",)),
}
