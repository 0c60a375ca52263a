from __future__ import annotations

import os
import signal
import subprocess

from custody.supervise.descendants import children, children_by_search


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
