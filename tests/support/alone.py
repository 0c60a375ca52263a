"""Python code in a process of its own: one thread, so that it may fork, and nothing patched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent.parent


def start_alone(
    code: str, *arguments: object, prefix: tuple[str, ...] = ()
) -> subprocess.Popen[str]:
    """Start some code; its arguments are those of ``sys.argv``."""
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(TESTS), "PYTHONWARNINGS": "error"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_alone(code: str, *arguments: object) -> Any:
    """Run some code to its end; return what it printed, as JSON."""
    process = start_alone(code, *arguments)
    printed, complained = process.communicate(timeout=120)
    assert complained == ""
    assert process.returncode == 0
    return json.loads(printed)
