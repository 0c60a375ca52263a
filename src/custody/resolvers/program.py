"""Runs a program of version control: without a shell, without a question, within bounds."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, NamedTuple, cast

from custody.errors import ResolveFailed
from custody.evidence import failure
from custody.resolvers import LIMIT, SECONDS

_PIECE = 1 << 16
_SAID = 8 << 10
"""How much of what it says on standard error is kept."""
_KEPT = ("PATH", "HOME", "USER", "LOGNAME", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK")
"""The variables that it gets; none that tells it to start something else."""


class Said(NamedTuple):
    """What a program printed, and how it ended."""

    exit_code: int
    out: bytes
    error: str


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    variables: Mapping[str, str],
    *,
    where: str,
    seconds: float = SECONDS,
    limit: int = LIMIT,
) -> Said:
    """Return what a program says; raises `ResolveFailed` where it is missing, slow or endless."""
    kept = {name: environment[name] for name in _KEPT if name in environment}
    try:
        process = subprocess.Popen(
            command,
            env={**kept, **variables, "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        what = f"{command[0]} cannot be started: {(error.strerror or '').lower()}"
        hint = f"install {command[0]}"
        raise ResolveFailed(failure.UNREACHABLE, what, where=where, hint=hint) from None
    with process:
        try:
            deadline = time.monotonic() + seconds
            out, error_text = _streams(process, deadline, limit, where)
            exit_code = process.wait(max(deadline - time.monotonic(), 0.0))
        except subprocess.TimeoutExpired:
            _end(process)
            raise _too_slow(where) from None
        except BaseException:
            _end(process)
            raise
    return Said(exit_code, out, error_text.decode(errors="replace").strip())


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program with all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _streams(
    process: subprocess.Popen[bytes], deadline: float, limit: int, where: str
) -> tuple[bytes, bytes]:
    """Return both streams to their ends."""
    out, error = (cast("IO[bytes]", end).fileno() for end in (process.stdout, process.stderr))
    kept = {out: bytearray(), error: bytearray()}
    with selectors.DefaultSelector() as selector:
        for stream in kept:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                raise _too_slow(where)
            for key, _ in selector.select(left):
                piece = os.read(key.fd, _PIECE)
                if not piece:
                    selector.unregister(key.fd)
                elif key.fd == out or len(kept[key.fd]) < _SAID:
                    kept[key.fd] += piece
            if len(kept[out]) > limit:
                what = f"it has more than {limit} bytes"
                raise ResolveFailed(failure.TOO_LARGE, what, where=where)
    return bytes(kept[out]), bytes(kept[error][:_SAID])


def _too_slow(where: str) -> ResolveFailed:
    return ResolveFailed(failure.UNREACHABLE, "it took too long", where=where)
