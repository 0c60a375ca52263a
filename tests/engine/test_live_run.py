"""What a process holds while it works on a run, and gives back."""

from __future__ import annotations

import os

import pytest

from custody import api
from support.bench import Bench


def held() -> set[str]:
    """Return what this process has open."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            found.add(os.readlink(f"/proc/self/fd/{name}"))
        except FileNotFoundError:
            continue  # the one that the listing was read with
    return found


@pytest.mark.parametrize("level", ["L1", "L2", "L3"])
def test_nothing_of_a_run_stays_open(bench: Bench, level: str) -> None:
    body = 't [type=tool, tool_command="touch made"]\na [prompt="x"]\nstart -> t -> a -> done'
    bench.run(body, confinement=level)
    api.resume("r1", runsdir=str(bench.runsdir))
    api.fork("r1", "a", runsdir=str(bench.runsdir), run_id="r2")
    api.verify("r2", runsdir=str(bench.runsdir))
    assert [path for path in held() if path.startswith(str(bench.home))] == []
