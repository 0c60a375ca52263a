"""Memory of a run of many nodes while its journal grows, watched from outside."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence

from benchmarks.contestants import CUSTODY
from benchmarks.fresh import TIME_LIMIT, Ground
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row

INTERVAL = 0.02
BAR = 0.1
_PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024


def memory_growth(ground: Ground, scale: Scale) -> list[Row]:
    """Compare what memory grew by, from a tenth of the run to its end, with the journal's growth.

    The pipeline itself is in memory by then. What a run keeps for every node it has been to
    counts here too, not only what it keeps of the journal; `long_run` tells the two apart.
    """
    what = f"memory growth of a run of {scale.long_nodes:,} nodes"
    samples, failure = _watch(ground.fresh(), scale.long_nodes)
    if failure or not samples:
        missing = Figure(None, "KB", failure=failure or "the run was over too soon")
        return [Row(what, missing, missing, BAR)]
    final = samples[-1][0]
    first, early = next(sample for sample in samples if sample[0] >= final / 10)
    peak = max(memory for _, memory in samples)
    grown = Figure(float(peak - early), "KB", note=f"peak {peak / 1024:.0f} MB")
    return [Row(what, grown, Figure((final - first) / 1024, "KB", "journal growth"), BAR)]


def _watch(folder: str, nodes: int) -> tuple[Sequence[tuple[int, int]], str]:
    """Run the pipeline; return pairs of journal bytes and resident kilobytes, and a failure."""
    with open(os.path.join(folder, "stderr"), "w+", encoding="utf-8") as errors:
        process = subprocess.Popen(
            CUSTODY.argv(nodes, folder), stdout=subprocess.DEVNULL, stderr=errors, cwd=folder
        )
        samples: list[tuple[int, int]] = []
        limit = time.monotonic() + TIME_LIMIT
        while process.poll() is None:
            if time.monotonic() > limit:
                process.kill()
                process.wait()
                return [], "took too long"
            samples.append((_journal_bytes(folder), _resident_kb(process.pid)))
            time.sleep(INTERVAL)
        errors.seek(0)
        failure = errors.read().strip().splitlines()[-1:] if process.returncode else []
    return [sample for sample in samples if all(sample)], "".join(failure)


def _journal_bytes(folder: str) -> int:
    runs = os.path.join(folder, "runs")
    for run in os.listdir(runs) if os.path.isdir(runs) else ():
        try:
            return os.path.getsize(os.path.join(runs, run, "events.jsonl"))
        except FileNotFoundError:
            continue
    return 0


def _resident_kb(process_id: int) -> int:
    try:
        with open(f"/proc/{process_id}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * _PAGE_KB
    except (OSError, IndexError):
        return 0
