"""No crash is dumped, whatever the machine does with dumps."""

from __future__ import annotations

import os
import resource
import sys

import pytest

from custody.sandbox.dumps import end_dumps
from support.overlay import in_child
from support.sandboxes import Site

UNLIMITED = resource.RLIM_INFINITY


@pytest.mark.req("G-05")
@pytest.mark.parametrize(
    ("before", "after"),
    [((0, UNLIMITED), 1), ((UNLIMITED, UNLIMITED), 1), ((0, 4096), 1), ((1, 1), 1), ((0, 0), 0)],
)
def test_a_pipe_gets_no_dump_where_there_may_be_any(before: tuple[int, int], after: int) -> None:
    """The kernel starts the machine's program for dumps at any limit but this one."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if hard != UNLIMITED and before[1] not in range(hard + 1):
        pytest.skip("dumps are limited here")

    def work() -> tuple[int, int]:
        resource.setrlimit(resource.RLIMIT_CORE, before)
        end_dumps()
        return resource.getrlimit(resource.RLIMIT_CORE)

    assert in_child(work) == (after, after)


CRASH = """
import os, resource
child = os.fork()
if not child: os.abort()
status = os.waitpid(child, 0)[1]
print(*resource.getrlimit(resource.RLIMIT_CORE), os.WTERMSIG(status), os.WCOREDUMP(status))
"""


@pytest.mark.req("G-05")
@pytest.mark.parametrize("level", ["L2", "L3"])
def test_a_crash_of_a_stage_is_kept_by_nobody(site: Site, level: str) -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    limit = 0 if hard == 0 else 1
    before = os.listdir(site.workspace)
    ran = site.run(site.confinement(level), sys.executable, "-c", CRASH)
    assert ran.stdout == f"{limit} {limit} 6 {bool(not limit and _pipes())}\n", ran
    assert os.listdir(site.workspace) == before


def _pipes() -> bool:
    with open("/proc/sys/kernel/core_pattern", "rb") as pattern:
        return pattern.read(1) == b"|"
