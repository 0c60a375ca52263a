"""A run is said to be running only while somebody works on it, from another terminal as well."""

from __future__ import annotations

import os
import signal

import pytest

from support.shell import WAITING
from support.terminal import Screen
from support.transcript import Transcript


def at_work(screen: Screen) -> None:
    screen.until(lambda lines: any(line.startswith("wait") for line in lines[1:]))


@pytest.mark.req("U-12")
@pytest.mark.usefixtures("confined")
def test_running_interrupted_and_crashed(terminal: Transcript) -> None:
    terminal.write("waiting.dot", WAITING)
    first, again = "custody run waiting.dot --run-id r1", "custody resume r1"
    with terminal.typed(first) as here:
        at_work(here)
        terminal.keep(first, here)
        terminal("custody runs")
        terminal("custody show r1")
        here.type("\x03")
        terminal.keep(first, here, here.ended().code, after="Ctrl-C")
    terminal("custody runs")
    with terminal.typed(again) as here:
        at_work(here)
        os.killpg(here.process.pid, signal.SIGKILL)
        here.ended()
    terminal("custody runs")
    terminal("custody show r1")
    terminal.must_be_as_kept()
