"""How often a contestant really syncs a node, counted by strace."""

from __future__ import annotations

import os

from benchmarks.contestants import Contestant
from benchmarks.fresh import Ground, NotMeasured, run

_CALLS = "fsync,fdatasync,sync,syncfs,msync,sync_file_range"
_FEW, _MORE = 5, 30


def syncs_per_node(contestant: Contestant, ground: Ground) -> str:
    """Return the slope between a short run and a longer one, so that set-up does not count.

    Empty when strace is not there or may not trace.
    """
    try:
        slope = (_count(contestant, _MORE, ground) - _count(contestant, _FEW, ground)) / (
            _MORE - _FEW
        )
    except NotMeasured:
        return ""
    return f"{slope:.1f} syncs"


def _count(contestant: Contestant, nodes: int, ground: Ground) -> int:
    folder = ground.fresh()
    report = os.path.join(ground.path, f"{os.path.basename(folder)}.strace")
    command = contestant.argv(nodes, folder)
    run(
        ["strace", "-f", "--seccomp-bpf", "-c", "-o", report, "-e", f"trace={_CALLS}", *command],
        cwd=folder,
    )
    with open(report, encoding="utf-8") as file:
        rows = [line.split() for line in file]
    # % time, seconds, usecs/call, calls, (errors,) syscall
    return sum(int(row[3]) for row in rows if row and row[-1] in _CALLS.split(","))
