"""The least a durable pipeline can do a node: append, sync, and replace a checkpoint.

One write of as many bytes as custody's journal grows by a node, one ``fdatasync``, and a
checkpoint written beside its name and renamed over it. The checkpoint is not synced, neither
here nor by custody, because the journal can make it again.
"""

from __future__ import annotations

import json
import os
import sys
import time

NODE_BYTES = 2200
CHECKPOINT_BYTES = 400


def main(nodes: int, folder: str) -> None:
    """Run the loop and print how long it took."""
    line = b"x" * (NODE_BYTES - 1) + b"\n"
    checkpoint = b"y" * CHECKPOINT_BYTES
    name = os.path.join(folder, "checkpoint.json")
    journal = os.open(
        os.path.join(folder, "events.jsonl"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644
    )
    begin = time.perf_counter()
    for _ in range(nodes):
        os.write(journal, line)
        os.fdatasync(journal)
        beside = os.open(name + ".tmp", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.write(beside, checkpoint)
        os.close(beside)
        os.rename(name + ".tmp", name)
    seconds = time.perf_counter() - begin
    sys.stdout.write(json.dumps({"nodes": nodes, "seconds": seconds}) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
