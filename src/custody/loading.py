"""Signals that come while a module is being loaded.

An exception in the middle of that may be swallowed, as if nobody had pressed Ctrl-C, or leave a
record's type half made: the process ends with a segmentation fault then, as soon as msgspec writes
such a record. So whoever would raise one for a signal lets the signal come again a moment later
instead, until the module is there.
"""

from __future__ import annotations

import os
import time
from _thread import start_new_thread
from types import FrameType

PAUSE = 0.01
_LOADER = "<frozen importlib."


def comes_again(number: int, frame: FrameType | None) -> bool:
    """Whether a signal came while a module is being loaded; it is sent once more then."""
    if not _is_loading(frame):
        return False
    start_new_thread(_send, (number,))
    return True


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise `KeyboardInterrupt`, but never while a module is being loaded: a handler of signals."""
    if not comes_again(number, frame):
        raise KeyboardInterrupt


def _is_loading(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(_LOADER):
            return True
        frame = frame.f_back
    return False


def _send(number: int) -> None:
    time.sleep(PAUSE)
    os.kill(os.getpid(), number)
