"""How a process begins, on Linux and elsewhere."""

from __future__ import annotations

import subprocess
import sys

import pytest

from custody.version import VERSION

ELSEWHERE = "import sys; sys.platform = {!r}; from custody.__main__ import main; main()"


@pytest.mark.req("U-20")
@pytest.mark.parametrize("system", ["darwin", "win32", "freebsd14"])
def test_other_systems_are_told_so_in_a_sentence(system: str) -> None:
    told = subprocess.run(
        [sys.executable, "-c", ELSEWHERE.format(system)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert told.returncode == 1
    assert told.stdout == ""
    assert told.stderr.startswith(f"error: custody runs on Linux only, and this is {system}\n")
    assert "Traceback" not in told.stderr


def test_the_module_is_the_command() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "custody", "--version"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert told.stdout == f"custody {VERSION}\n"
