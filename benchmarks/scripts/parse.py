"""The pipeline language read by custody's parser, or by the same language as a lark grammar.

Both make the same statements. ``start_ms`` is what it takes until the first text can be read:
importing the parser and, for lark, building its tables.
"""

from __future__ import annotations

import json
import sys
import time

# What both parsers make is loaded before the clock starts.
import custody.pipeline.syntax
import custody.pipeline.values  # noqa: F401
from benchmarks.scripts.custody_pipeline import linear


def main(parser: str, nodes: int) -> None:
    """Read a pipeline of so many nodes and print how long start-up and reading took."""
    text = linear(nodes)
    begin = time.perf_counter()
    if parser == "lark":
        from benchmarks import lark_dot

        lark_dot.parser()
        parse = lark_dot.parse
    else:
        from custody.pipeline.parser import parse
    started = time.perf_counter()
    source = parse(text)
    read = time.perf_counter()
    assert len(source.statements) >= nodes
    figures = {"start_ms": (started - begin) * 1e3, "parse_ms": (read - started) * 1e3}
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
