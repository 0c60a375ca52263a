"""Help that names everything, and progress that stays in place, on 80 columns as on more."""

from __future__ import annotations

import pytest

from custody.cli.commands import commands
from custody.cli.options import agents
from custody.model.confinement import LEVELS
from custody.variables import VARIABLES
from support.terminal import Screen
from support.transcript import Transcript

ITEM = """digraph item {
  start [shape=Mdiamond]
  node  [command.argv="sh go.sh"]
  write [type=agent_task, prompt="${item}", output_path="docs/${item}.md"]
  done  [shape=Msquare]
  start -> write -> done
}
"""
LIST = """digraph list {
  start [shape=Mdiamond]
  each  [type=each, pipeline="item.dot", items="1..4", max_parallel=2]
  done  [shape=Msquare]
  start -> each -> done
}
"""
RUN = "custody run list.dot --agent command --confinement L1 --workdir source --run-id r1"


def at(screen: Screen, ended: int, *working: int) -> None:
    """Wait until so many items have ended and these are at work."""
    rows = [f"each.{item}.write" for item in working]

    def holds(lines: list[str]) -> bool:
        names = [line.split()[0] for line in lines if "at work" in line]
        return names == ["each", *rows] and (not ended or f"{ended} item" in "".join(lines))

    screen.until(holds)


@pytest.mark.req("U-13")
def test_custody_alone_and_a_list_while_it_runs(terminal: Transcript) -> None:
    words = terminal("custody").text.replace(",", " ").split()
    for named in (*agents(), *LEVELS, *VARIABLES, *commands()):
        assert named in words, named
    terminal.write("item.dot", ITEM)
    terminal.write("list.dot", LIST)
    wait = f"while [ ! -e {terminal.folder}/go.$item ]; do sleep 0.05; done"
    terminal.write("source/go.sh", f"read item\n{wait}\necho done\n")
    watch = "custody show r1 --watch"
    with terminal.typed(RUN) as here:
        at(here, 0, 1, 2)
        with terminal.typed(watch) as there:
            terminal.write("go.1", "")
            at(here, 1, 2, 3)
            terminal.keep(RUN, here)
            at(there, 1, 2, 3)
            terminal.keep(watch, there)
            for item in (2, 3, 4):
                terminal.write(f"go.{item}", "")
            ended = there.ended()
            terminal.keep(watch, there, ended.code, after="all items have ended")
        terminal.keep(RUN, here, here.ended().code, after="the same")
    terminal.must_be_as_kept()
