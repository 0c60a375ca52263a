from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from custody.supervise.descendants import (
    children,
    children_by_search,
    descendants,
    freeze,
    parent,
    process_state,
)
from support.overlay import in_child


def test_children_are_found_with_and_without_the_kernels_list() -> None:
    with subprocess.Popen(
        ["sh", "-c", "sleep 1000 & echo; wait"], stdout=subprocess.PIPE, start_new_session=True
    ) as shell:
        try:
            assert shell.stdout is not None
            shell.stdout.readline()
            listed, searched = children(shell.pid), children_by_search(shell.pid)
            ours = children_by_search(os.getpid())
        finally:
            os.killpg(shell.pid, signal.SIGKILL)
    assert len(listed) == 1
    assert searched == listed
    assert shell.pid in ours
    assert children(shell.pid) == children_by_search(shell.pid) == []


def test_children_of_children_are_found() -> None:
    script = "sh -c 'sleep 1000 & echo; wait' & wait"
    with subprocess.Popen(
        ["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True
    ) as shell:
        try:
            assert shell.stdout is not None
            shell.stdout.readline()
            found = descendants(shell.pid)
            above = [parent(process) for process in found]
        finally:
            os.killpg(shell.pid, signal.SIGKILL)
    assert len(found) == 2
    assert above == [shell.pid, found[0]]
    assert parent(shell.pid) == 0


AT_REST = {"T", "Z", "X"}
"""Stopped, or ended."""

BOMB = """
import os
os.setsid()
count = 0
print(flush=True)
while count < 200:
    if os.fork():
        os._exit(0)
    count += 1
"""


@pytest.mark.req("G-09")
def test_whoever_forks_out_of_the_way_is_stopped() -> None:
    def work() -> set[str]:
        from custody.supervise.reaper import become_subreaper

        become_subreaper()
        command = [sys.executable, "-c", f"{BOMB}os.fork(); os.fork()\nimport time; time.sleep(60)"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            freeze(os.getpid())
            until = time.monotonic() + 10
            states = {"R"}
            # Who is stopped is told so when a processor has next been given to it.
            while not states <= AT_REST and time.monotonic() < until:
                found = descendants(os.getpid())
                states = {process_state(one)[0] for one in found}
            for one in found:
                os.kill(one, signal.SIGKILL)
            process.stdout.close()
            return states

    assert "T" in (states := in_child(work))
    assert states <= AT_REST
