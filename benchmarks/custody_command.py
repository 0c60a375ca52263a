"""The command line of custody that the cold start is measured on."""

from __future__ import annotations

import os
import sys

from benchmarks.scripts.custody_pipeline import write_linear


def three_nodes(folder: str) -> list[str]:
    """Write a pipeline of three nodes into ``folder`` and return the command that runs it."""
    custody = os.path.join(os.path.dirname(sys.executable), "custody")
    runs = os.path.join(folder, "runs")
    return [custody, "run", write_linear(3, folder), "--agent", "stub", "--runsdir", runs]
