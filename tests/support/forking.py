"""A fork of the process that runs the tests."""

from __future__ import annotations

import os
import warnings


def fork() -> int:
    """Fork; the child must touch nothing that a thread of the test runner may hold.

    Python warns of such threads, and pytest-xdist has one.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()
