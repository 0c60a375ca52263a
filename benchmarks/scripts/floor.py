"""The least a durable pipeline can do a node: append, sync, and replace a checkpoint.

One write of as many bytes as custody's journal grows by a node, one ``fdatasync``, and a
checkpoint written beside its name and renamed over it. The checkpoint is not synced, neither
here nor by custody, because the journal can make it again. With ``files``, every node also gets
the folder and the files that custody leaves of a stage, unsynced as there.
"""

from __future__ import annotations

import json
import os
import sys
import time

NODE_BYTES = 2200
CHECKPOINT_BYTES = 400
STAGE_BYTES = {
    "prompt.md": 28,
    "response.md": 64,
    "status.json": 186,
    "workspace.diff.json": 47,
}
"""The files of a stage, by their sizes."""


def main(nodes: int, folder: str, *, files: bool) -> None:
    """Run the loop and print how long it took."""
    line = b"x" * (NODE_BYTES - 1) + b"\n"
    checkpoint = b"y" * CHECKPOINT_BYTES
    name = os.path.join(folder, "checkpoint.json")
    journal = os.open(
        os.path.join(folder, "events.jsonl"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644
    )
    begin = time.perf_counter()
    for number in range(nodes):
        os.write(journal, line)
        os.fdatasync(journal)
        beside = os.open(name + ".tmp", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.write(beside, checkpoint)
        os.close(beside)
        os.rename(name + ".tmp", name)
        if files:
            write_stage(os.path.join(folder, f"n{number}"))
    seconds = time.perf_counter() - begin
    sys.stdout.write(json.dumps({"nodes": nodes, "seconds": seconds}) + "\n")


def write_stage(folder: str) -> None:
    """Write what custody leaves of one stage."""
    attempt = os.path.join(folder, "1.1")
    os.mkdir(folder)
    os.mkdir(attempt)
    for name, size in STAGE_BYTES.items():
        file = os.open(os.path.join(attempt, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        os.write(file, b"z" * size)
        os.close(file)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], files=sys.argv[3:] == ["files"])
