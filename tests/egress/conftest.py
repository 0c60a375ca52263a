"""What holds for everything that goes through the proxy."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest


@pytest.fixture
def _nothing_is_left() -> Iterator[None]:
    """Fail a test that leaves a thread or a descriptor."""
    before = set(threading.enumerate()), len(os.listdir("/proc/self/fd"))
    yield
    assert (set(threading.enumerate()), len(os.listdir("/proc/self/fd"))) == before
