"""A custody journal of so many events: appended in groups, then read back and verified."""

from __future__ import annotations

import json
import sys
import time

GROUP = 100
"""Events a commit. Wide, so that the disk does not hide what an event costs."""


def main(events: int, folder: str) -> None:
    """Write and read the journal and print what one event took, and the memory at each end."""
    from custody.model.event import StageCompleted
    from custody.model.outcome import Outcome
    from custody.store.journal import Journal, read_lines
    from custody.store.root import Root

    outcome = Outcome(status="success", notes="Did the least a node can do.")
    with Root.open(folder) as root:
        journal = Journal.create(root, "bench")
        begin = time.perf_counter()
        for number in range(events):
            fact = StageCompleted(node=f"n{number}", visit=1, attempt=1, outcome=outcome)
            journal.append(fact, role="codergen", path=f"nodes/n{number}/1.1")
            if number % GROUP == GROUP - 1:
                journal.commit()
        journal.commit()
        appended = time.perf_counter() - begin
        append_kb = peak_kb()
        begin = time.perf_counter()
        count = sum(1 for _ in read_lines(root, run_id="bench"))
        read = time.perf_counter() - begin
        journal.close()
    assert count == events
    figures = {
        "append_us": appended / events * 1e6,
        "read_us": read / events * 1e6,
        "append_kb": append_kb,
        "read_kb": peak_kb(),
    }
    sys.stdout.write(json.dumps(figures) + "\n")


def peak_kb() -> int:
    """Return the most memory that this process ever held; Linux tells it in kilobytes."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
