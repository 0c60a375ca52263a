"""What a process was told on its command line is not for everybody."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import os
from custody.store.arguments import hide_arguments
hide_arguments({0})
print(open('/proc/self/cmdline').read().rstrip(chr(0)).replace(chr(0), '|'))
print(os.environ['KEPT'])
"""


@pytest.mark.req("G-11")
@pytest.mark.parametrize(("shown", "left"), [("", 1), ("2", 2), ("shown=4", 4), ("99", 5)])
def test_all_but_the_first_are_blank(shown: str, left: int) -> None:
    argv = [sys.executable, "-c", SCRIPT.format(shown), "run", "--set=key=value"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, env={"KEPT": "kept"})
    assert done.stdout == "|".join(argv[:left]) + "\nkept\n"


def test_an_argument_may_be_empty() -> None:
    argv = [sys.executable, "-c", SCRIPT.format(3), "", "secret"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, env={"KEPT": "kept"})
    assert "secret" not in done.stdout
