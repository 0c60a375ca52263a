"""Try every way out of every sandbox.

    python -m benchmarks.scripts.escapes FOLDER [--names]

Prints how many succeed, of those that do where nothing is confined; with ``--names``, which.
"""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path

from benchmarks.sandboxes import site_below, ways


def main(folder: str, *options: str) -> None:
    """Try them all."""
    with ExitStack() as stack:
        site = stack.enter_context(site_below(folder))
        from support.escape_world import World

        world = World(site, Path(folder), stack)
        told = {name: world.attempt(way()) for name, way in ways(site).items() if name != "plain"}
        free = world.attempt(world.unconfined)
    real = [name for name, outcome in free.items() if outcome == "ok"]
    escaped = {way: [name for name in real if found[name] == "ok"] for way, found in told.items()}
    if "--names" in options:
        sys.stdout.write(json.dumps(escaped, indent=1) + "\n")
    counts = {way: len(names) for way, names in escaped.items()}
    sys.stdout.write(json.dumps({"tried": len(real), **counts}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
