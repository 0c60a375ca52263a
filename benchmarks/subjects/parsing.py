"""Reading a pipeline's text: the parser beside the same language as a lark grammar."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Mapping
from functools import partial

from benchmarks.contestants import HERE
from benchmarks.fresh import Ground, run
from benchmarks.rounds import interleave
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row

SCRIPT = "benchmarks.scripts.parse_pipeline"
SIZES = (100, 1_000)
"""Besides the scale's own size."""
BAR = 1.0


def parsing(ground: Ground, scale: Scale) -> list[Row]:
    """Measure import and grammar in a fresh process, then files of several sizes."""
    sizes = (*SIZES, scale.parser_nodes)
    turns = {
        f"{which} {nodes}": partial(_turn, which, nodes, ground)
        for nodes in sizes
        for which in ("custody", "lark")
    }
    results = interleave(turns, scale.rounds)

    def figure(which: str, nodes: int, name: str) -> Figure:
        result = results[f"{which} {nodes}"]
        value = result.median(name)
        title = f"lark {importlib.metadata.version('lark')}" if which == "lark" else ""
        return Figure(None if value is None else value * 1e3, "ms", title, failure=result.failure)

    def row(what: str, nodes: int, name: str) -> Row:
        return Row(what, figure("custody", nodes, name), figure("lark", nodes, name), BAR)

    start = row("parser, import to first graph", SIZES[0], "start")
    return [start, *(row(f"parsing {n:,} nodes and edges", n, "parse") for n in sizes)]


def _turn(which: str, nodes: int, ground: Ground) -> Mapping[str, float]:
    del ground  # nothing is written
    argv = [sys.executable, "-m", SCRIPT, which, str(nodes)]
    return run(argv, cwd=os.path.dirname(HERE))
