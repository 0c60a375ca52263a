"""Which files of tests take the time of a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import pytest


def slowest(reports: Iterable[object], number: int) -> Iterator[str]:
    """Yield a line for each of so many files, with all that was spent for their tests."""
    seconds: defaultdict[str, float] = defaultdict(float)
    tests: Counter[str] = Counter()
    for report in reports:
        if isinstance(report, pytest.TestReport):
            file = report.nodeid.partition("::")[0]
            seconds[file] += report.duration
            tests[file] += report.when == "call"
    for file in sorted(seconds, key=seconds.__getitem__, reverse=True)[:number]:
        yield f"{seconds[file]:7.1f} s {tests[file]:5} tests  {file}"
