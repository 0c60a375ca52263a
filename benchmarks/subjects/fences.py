"""Reading the fenced blocks of a long document: custody beside markdown-it-py.

The peer makes a tree of everything, which is more than is asked for here; it is what one would use
otherwise. It reads a part of the document, and its time is scaled up by the size.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import partial

from benchmarks.contestants import HERE, version
from benchmarks.fresh import Ground, run
from benchmarks.rounds import interleave
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row

SCRIPT = "benchmarks.scripts.fences"
ROUNDS = 3
TIME_BAR = 1 / 20
MEMORY_BAR = 3.0
"""Times the size of the document."""


def fences(ground: Ground, scale: Scale) -> list[Row]:
    """Measure the time to find every block, and the memory that it takes."""
    folder = ground.fresh()
    sizes = {"custody": scale.fence_blocks, "markdown-it": scale.fence_peer_blocks}
    paths = {name: os.path.join(folder, f"{name}.md") for name in sizes}
    for name, blocks in sizes.items():
        _run("write", paths[name], blocks)
    turns = {name: partial(_turn, name, paths[name], blocks) for name, blocks in sizes.items()}
    results = interleave(turns, ROUNDS)
    own, peer = results["custody"], results["markdown-it"]
    size = own.median("input_mb")
    title = f"markdown-it-py {version('markdown-it-py')}"
    part = f"{scale.fence_peer_blocks:,} of the blocks, scaled"
    what = f"{scale.fence_blocks:,} fences in {size or 0:.0f} MB"
    return [
        Row(
            f"reading {what}",
            Figure(_scaled(own.median("ms_per_mb"), size), "ms", failure=own.failure),
            Figure(_scaled(peer.median("ms_per_mb"), size), "ms", title, part, peer.failure),
            TIME_BAR,
        ),
        Row(
            f"peak memory, {what}",
            Figure(own.median("peak_mb"), "MB", failure=own.failure),
            Figure(size, "MB", "the document itself"),
            MEMORY_BAR,
        ),
    ]


def _turn(name: str, path: str, blocks: int) -> Mapping[str, float]:
    figures = _run(name, path, blocks)
    return {**figures, "ms_per_mb": figures["seconds"] * 1e3 / figures["input_mb"]}


def _run(does: str, path: str, blocks: int) -> Mapping[str, float]:
    return run([sys.executable, "-m", SCRIPT, does, path, str(blocks)], cwd=os.path.dirname(HERE))


def _scaled(rate: float | None, size: float | None) -> float | None:
    return None if rate is None or size is None else rate * size
