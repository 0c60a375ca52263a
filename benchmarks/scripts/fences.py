"""The fenced blocks of a Markdown document read by custody, or by markdown-it-py.

Prints how long it took, and the most memory that the process had; the document is made by another
process, because a new one begins with the mark that the memory of the one before left.
"""

from __future__ import annotations

import json
import resource
import sys
import time


def write(path: str, blocks: int) -> None:
    """Write a document with so many blocks, each with prose before it."""
    with open(path, "wb") as file:
        file.writelines(map(_part, range(blocks)))


def _part(number: int) -> bytes:
    prose = b"".join(
        b"Sentence %d says what is done in part %d, with `code` and *stress* in it.\n" % (i, number)
        for i in range(60)
    )
    code = b"".join(b"    value_%d = compute(%d)  # part %d\n" % (i, i, number) for i in range(140))
    return b"## Part %d\n\n%s\n```python file=src/part_%d.py\n%s```\n\n" % (
        number,
        prose,
        number,
        code,
    )


def read(reader: str, path: str, blocks: int) -> None:
    """Read the document at ``path``, which has so many blocks."""
    with open(path, "rb") as file:
        data = file.read()
    if reader == "custody":
        from custody.ingest.fences import parse_fences

        begin = time.perf_counter()
        count = sum(1 for fence in parse_fences(data) if not fence.reason)
    else:
        from markdown_it import MarkdownIt

        peer, text = MarkdownIt("commonmark"), data.decode()
        begin = time.perf_counter()
        count = sum(1 for token in peer.parse(text) if token.type == "fence")
    seconds = time.perf_counter() - begin
    assert count == blocks
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = {"seconds": seconds, "peak_mb": peak, "input_mb": len(data) / (1 << 20)}
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], int(sys.argv[3]))
    else:
        read(sys.argv[1], sys.argv[2], int(sys.argv[3]))
