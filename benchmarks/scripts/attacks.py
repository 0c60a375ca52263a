"""Try every attack on every sandbox.

    python -m benchmarks.scripts.attacks FOLDER [--names]

Prints how many of each kind were tried, of those that succeed where nothing is confined, how many
got through each sandbox, and why a sandbox was not tried; with ``--names``, which got through.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.fresh import NotMeasured
from benchmarks.sandbox_peers import ways
from benchmarks.sandboxes import Ask, Run, Way, site_below

if TYPE_CHECKING:
    from support.escape_world import World

LIMITS = "limits"
"""The kind of those that use the machine up."""
HOLD = "1.5"
"""Seconds that they hold on to what they have."""


def main(folder: str, *options: str) -> None:
    """Try them all."""
    with ExitStack() as stack:
        site = stack.enter_context(site_below(folder))
        from support.attacks import kinds
        from support.escape_world import World
        from support.exhaustion import SMALL

        world = World(site, Path(folder), stack)
        known, failed = ways(Ask(site))
        small, _ = ways(Ask(site, SMALL))
        free = _through(world.attempt(world.unconfined)) | _taken(world, world.unconfined)
        through: dict[str, set[str]] = {}
        for name in (name for name in known if name != "plain"):
            sys.stderr.write(f"  {name}\n")
            try:
                found = _through(world.attempt(_anew(known[name])))
                through[name] = free & (found | _taken(world, _anew(small[name])))
            except NotMeasured as reason:
                failed[name] = str(reason)
    if "--names" in options:
        names = {way: sorted(found) for way, found in through.items()}
        sys.stdout.write(json.dumps(names, indent=1) + "\n")
    told = kinds(root=os.geteuid() == 0)
    counts = {way: _counted(found, told) for way, found in through.items()}
    figures = {"tried": _counted(free, told), "through": counts, "failed": failed}
    sys.stdout.write(json.dumps(figures) + "\n")


def _through(outcomes: Mapping[str, str]) -> set[str]:
    return {name for name, outcome in outcomes.items() if outcome == "ok"}


def _anew(way: Way) -> Run:
    """Return a run that makes everything ready again for each program, as a stage does."""

    def run(argv: Sequence[str], stdin: str) -> str:
        return way()(argv, stdin)

    return run


def _taken(world: World, run: Run) -> set[str]:
    """Return which of the programs that take too much got it; raises `NotMeasured`."""
    from support.exhaustion import ATTACKS, BEGIN, END, HARMLESS, TAKEN

    stdin = f"{world.outside}/input.txt"
    run([sys.executable, "-c", BEGIN + HARMLESS["some_files"], "", HOLD], stdin)
    found = set()
    for name in TAKEN:
        world.tidy()
        try:
            program = BEGIN + ATTACKS[name].text + END
            told = run([sys.executable, "-c", program, "", HOLD], stdin)
        except (NotMeasured, subprocess.TimeoutExpired):
            continue  # it was held
        if "taken" in told:
            found.add(f"{LIMITS}: {name}")
    world.tidy()
    return found


def _counted(names: Iterable[str], known: Mapping[str, str]) -> Counter[str]:
    return Counter(known.get(name, LIMITS) for name in names)


if __name__ == "__main__":
    main(*sys.argv[1:])
