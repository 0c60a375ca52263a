"""Start one of the two parsers and read a pipeline of so many nodes; print what each took.

python -m benchmarks.scripts.parse_pipeline custody|lark NODES
"""

from __future__ import annotations

import json
import sys
import time

TURNS = 5


def main() -> None:
    """Measure in this fresh process: nothing of either parser is imported yet."""
    which, nodes = sys.argv[1], int(sys.argv[2])
    begin = time.perf_counter()
    if which == "lark":
        from benchmarks.lark_dot import parse
    else:
        from custody.pipeline.parser import parse
    parse("digraph g { a -> b [weight=1] }")
    start = time.perf_counter() - begin
    source = text(nodes)
    times = []
    for _ in range(TURNS):
        begin = time.perf_counter()
        statements = parse(source).statements
        times.append(time.perf_counter() - begin)
        assert len(statements) == 2 * nodes + 3
    print(json.dumps({"start": start, "parse": min(times)}))


def text(nodes: int) -> str:
    """Return a chain of nodes, each with two attributes, and one edge for each of them."""
    lines = ["digraph chain {", "  start [shape=Mdiamond]", "  done [shape=Msquare]"]
    lines += [f'  n{n} [prompt="Do step {n} of $goal", max_retries=2]' for n in range(nodes)]
    lines += ["  start -> n0"]
    lines += [f'  n{n} -> n{n + 1} [condition="outcome=success"]' for n in range(nodes - 1)]
    lines += [f"  n{nodes - 1} -> done", "}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
