"""What only root can arrange, for the time of a test: mounts of its own, modes that count."""

from __future__ import annotations

import ctypes
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

IS_ROOT = os.geteuid() == 0

_CLONE_NEWNS = 0x20000
_VERSION_3 = 0x20080522
_OVERRIDES = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: whoever has them need not ask for modes."""


def with_own_mounts(work: Callable[[], None]) -> None:
    """Do something in a thread whose mounts nobody else sees, and which go when it ends."""
    failures: list[BaseException] = []

    def isolated() -> None:
        try:
            if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNS):
                raise OSError(ctypes.get_errno(), "unshare")  # noqa: TRY301
            subprocess.run(["mount", "--make-rprivate", "/"], check=True)
            work()
        except BaseException as error:  # noqa: BLE001 - raised again where it is seen
            failures.append(error)

    thread = threading.Thread(target=isolated)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


@contextmanager
def modes_count() -> Iterator[None]:
    """Let permission bits bind this thread, and what it starts, whoever runs the tests."""
    before = _capabilities()
    without = (ctypes.c_uint32 * 6)(*before)
    without[0] &= ~_OVERRIDES
    _set_capabilities(without)
    try:
        yield
    finally:
        _set_capabilities(before)


def lose(rights: int) -> None:
    """Give up some of the first 32 capabilities, in this thread and for good."""
    left = _capabilities()
    left[0] &= ~rights
    left[1] &= ~rights
    _set_capabilities(left)


def _capabilities() -> Any:
    """Return effective, permitted and inheritable capabilities of this thread, twice 32 bits."""
    data = (ctypes.c_uint32 * 6)()
    _call("capget", data)
    return data


def _set_capabilities(data: Any) -> None:
    _call("capset", data)


def _call(name: str, data: Any) -> None:
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    if getattr(ctypes.CDLL(None, use_errno=True), name)(header, data):
        raise OSError(ctypes.get_errno(), name)
