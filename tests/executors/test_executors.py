"""What stands at the top of the package loads no sandbox."""

from __future__ import annotations

import subprocess
import sys

import pytest

import custody.executors
from custody.sandbox.stage import Stage


def test_a_stage_is_loaded_when_it_is_asked_for() -> None:
    assert custody.executors.Stage is Stage
    code = "import sys, custody.executors; print('custody.sandbox.stage' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"


def test_nothing_else_is_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(custody.executors, "nothing")  # noqa: B009 - a type checker knows that it is not
