"""Which files of tests take the time of a run."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import pytest

WORK = "work"
"""The name under which the last report of a test carries what `worked` has grown by."""


def worked() -> float:
    """Return the seconds that this process has computed, with whatever it has waited for."""
    return sum(os.times()[:4])


def slowest(reports: Iterable[object], number: int) -> Iterator[str]:
    """Yield a line for each of so many files: what their tests computed, and how long they took.

    A test that waits leaves its processor to others.
    """
    work: defaultdict[str, float] = defaultdict(float)
    seconds: defaultdict[str, float] = defaultdict(float)
    tests: Counter[str] = Counter()
    for report in reports:
        if isinstance(report, pytest.TestReport):
            file = report.nodeid.partition("::")[0]
            seconds[file] += report.duration
            tests[file] += report.when == "call"
            told = [value for name, value in report.user_properties if name == WORK]
            work[file] += sum(float(str(value)) for value in told)
    for file in sorted(work, key=work.__getitem__, reverse=True)[:number]:
        yield f"{work[file]:7.1f} s of work in {seconds[file]:6.1f} s {tests[file]:5} tests  {file}"
