"""Custody's isolated copy of a tree, and the set of files that changed in it.

The snapshot hashes every file and keeps its content, so that the copy can be put back; ``cp -a``
does neither. ``first`` is the changed set straight after the copy, when every file is younger
than a time stamp can tell; ``changed`` is that of a later stage.
"""

from __future__ import annotations

import json
import os
import sys
import time

from benchmarks.tree import disturb
from custody.store.rundir import RunDirectory
from custody.workspace.workspace import Workspace


def main(source: str, folder: str, files: int) -> None:
    """Copy, disturb and compare twice, and print how long each took."""
    with RunDirectory.create(folder, "bench") as run:
        begin = time.perf_counter()
        workspace = Workspace.create(run, source, omit=())
        snapshot = time.perf_counter() - begin
        first = _changed(workspace, os.path.join(run.path, "workspace"), 1, files)
        changed = _changed(workspace, os.path.join(run.path, "workspace"), 2, files)
    figures = {"snapshot": snapshot, "first": first, "changed": changed, "both": snapshot + first}
    sys.stdout.write(json.dumps(figures) + "\n")


def _changed(workspace: Workspace, path: str, turn: int, files: int) -> float:
    disturbed = disturb(path, turn, files)
    begin = time.perf_counter()
    changes = workspace.capture()
    seconds = time.perf_counter() - begin
    assert {str(change.path) for change in changes} == disturbed
    workspace.accept(changes)
    return seconds


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
