"""The command lines of custody that starts are measured on."""

from __future__ import annotations

import os
import sys

from benchmarks.scripts.custody_pipeline import write_linear

AGENT = """digraph agent {
    start [shape=Mdiamond]; done [shape=Msquare]
    work [agent=local_exec, prompt="Begin.", local_exec.argv="sh -c 'date +%s.%N > began'"]
    start -> work -> done
}
"""
"""Of a run that an agent's process begins."""


def three_nodes(folder: str) -> list[str]:
    """Write a pipeline of three nodes into ``folder`` and return the command that runs it."""
    runs = os.path.join(folder, "runs")
    return [_custody(), "run", write_linear(3, folder), "--agent", "stub", "--runsdir", runs]


def one_agent(folder: str, source: str) -> list[str]:
    """Write a pipeline of one agent, which notes when it began; return the command that runs it."""
    pipeline = os.path.join(folder, "agent.dot")
    with open(pipeline, "w", encoding="ascii") as file:
        file.write(AGENT)
    runs = os.path.join(folder, "runs")
    return [_custody(), "run", pipeline, "--workdir", source, "--runsdir", runs]


def _custody() -> str:
    return os.path.join(os.path.dirname(sys.executable), "custody")
