"""The processes below this one, which is their subreaper: noticed when they end, and ended."""

from __future__ import annotations

import os
import select
import time

from custody.supervise.command_list import End, end_of
from custody.supervise.descendants import children, kill_all
from custody.supervise.detach import wait_for_threads, wake_on_child_exit
from custody.supervise.reaper import PATIENCE


class Children:
    """Every child but one that is spared, which waits for work of its own."""

    def __init__(self) -> None:
        self.ended: dict[int, End] = {}
        """How each has ended; whoever starts one anew forgets what was noted of its number."""
        self.spared = 0
        """A process that is not ended with the others; 0 when there is none, or it is gone."""
        self.exits = wake_on_child_exit()
        """Can be read when one has ended."""
        self._reaped = 0

    def hear(self) -> None:
        """Empty what can be read when one has ended."""
        os.read(self.exits, 4096)

    def reap(self) -> bool:
        """Take note of every child that has ended; tell whether any is left to be ended."""
        try:
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                self._reaped += 1
                self.ended[found[0]] = end_of(os.waitstatus_to_exitcode(found[1]))
                if found[0] == self.spared:
                    self.spared = 0  # its number may be another's from now on
        except ChildProcessError:
            return False
        return not self.spared or bool(self.others())

    def wait_for(self, child: int, seconds: float) -> None:
        """Wait until one has ended, so long at most, and do nothing else."""
        deadline = time.monotonic() + seconds
        while self.reap() and child not in self.ended:
            left = deadline - time.monotonic()
            if left <= 0:
                return
            if select.select([self.exits], [], [], left)[0]:
                self.hear()

    def others(self) -> list[int]:
        """Return the children that are not spared."""
        return [child for child in children(os.getpid()) if child != self.spared]

    def kill(self) -> tuple[int, int]:
        """Kill every descendant that is not spared; return how many there were, and are still.

        The children of a killed process become children of this one, so the last is reached in
        as many rounds as there are generations; inside a sandbox one round reaches all.
        """
        if self.spared:
            wait_for_threads()  # children move when one ends, and a list of them can miss some
        if not self.reap():
            return 0, 0
        before = self._reaped
        deadline = time.monotonic() + PATIENCE
        while self.reap():
            left = self.others()
            if time.monotonic() > deadline:
                return self._reaped - before + len(left), len(left)
            kill_all(left)
            if select.select([self.exits], [], [], 0.05)[0]:
                self.hear()
        return self._reaped - before, 0
