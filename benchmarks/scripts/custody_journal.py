"""A custody journal of so many events: appended in groups, then read back and verified.

Time is measured twice: on the wall, waiting for the disk included, and of the processor, where
a cost that grows with the journal shows even while the disk is busy with something else.
"""

from __future__ import annotations

import json
import os
import sys
import time

from benchmarks.scripts.custody_pipeline import peak_kb
from custody.model.change import Tree
from custody.model.event import GENESIS, PipelineStarted, StageCompleted
from custody.model.outcome import Outcome
from custody.store.journal import Journal, read_lines
from custody.store.root import Root

RUN_ID = "bench"
GROUP = 100
"""Events a commit. Wide, so that the disk does not hide what an event costs."""
LEAST_EVENTS = 10_000
"""Short journals are written again and again, so that there is something to measure."""


def main(events: int, folder: str) -> None:
    """Write and read journals and print what one event took, and the peak of memory."""
    turns = max(1, LEAST_EVENTS // events)
    figures = dict.fromkeys(("append_us", "append_cpu_us", "read_us", "read_cpu_us"), 0.0)
    for turn in range(turns):
        path = os.path.join(folder, str(turn))
        os.mkdir(path)
        with Root.open(path) as root:
            begin = _clocks()
            _write(root, events)
            written = _clocks()
            assert sum(1 for _ in read_lines(root, run_id=RUN_ID)) == events
            spans = (begin, written), (written, _clocks())
        spent = [
            later - earlier
            for first, last in spans
            for earlier, later in zip(first, last, strict=True)
        ]
        for name, seconds in zip(figures, spent, strict=True):
            figures[name] += seconds / turns / events * 1e6
    sys.stdout.write(json.dumps({**figures, "peak_kb": peak_kb()}) + "\n")


def _clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _write(root: Root, events: int) -> None:
    journal = Journal.create(root, RUN_ID)
    journal.append(_started(), role="engine", path="pipeline.dot")
    outcome = Outcome(status="success", notes="Did the least a node can do.")
    for number in range(1, events):
        fact = StageCompleted(node=f"n{number}", visit=1, attempt=1, outcome=outcome)
        journal.append(fact, role="codergen", path=f"nodes/n{number}/1.1")
        if number % GROUP == 0:
            journal.commit()
    journal.commit()
    journal.close()


def _started() -> PipelineStarted:
    return PipelineStarted(
        pipeline="linear",
        pipeline_sha256=GENESIS,
        decided_as=RUN_ID,
        goal="Measure",
        variables={},
        agent="stub",
        workdir="",
        workspace=Tree(sha256=GENESIS, entries=0, bytes=0),
        versions={},
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
