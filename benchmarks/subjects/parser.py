"""Reading a long pipeline: custody's own parser beside one made by lark."""

from __future__ import annotations

import os
import sys
from functools import partial

from benchmarks.contestants import HERE
from benchmarks.fresh import Ground, run
from benchmarks.rounds import interleave
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row

SCRIPT = "benchmarks.scripts.parse"
ROUNDS = 3


def parser(_sandbox: Ground, scale: Scale) -> list[Row]:
    """Measure start-up and reading apart, in the same processes."""
    turns = {
        name: partial(
            run,
            [sys.executable, "-m", SCRIPT, name, str(scale.parser_nodes)],
            cwd=os.path.dirname(HERE),
        )
        for name in ("custody", "lark")
    }
    results = interleave(turns, ROUNDS)

    def row(what: str, figure: str) -> Row:
        own, peer = results["custody"], results["lark"]
        return Row(
            what,
            Figure(own.median(figure), "ms", failure=own.failure),
            Figure(peer.median(figure), "ms", "lark, LALR", failure=peer.failure),
        )

    return [
        row(f"parser, reading {scale.parser_nodes:,} nodes", "parse_ms"),
        row("parser, start-up", "start_ms"),
    ]
