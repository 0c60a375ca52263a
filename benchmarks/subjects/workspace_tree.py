"""Snapshot of a big tree and the set of its changed files, beside ``cp -a`` and ``git status``."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial

from benchmarks.contestants import HERE
from benchmarks.fresh import Ground, NotMeasured, run
from benchmarks.rounds import Result, Turn, interleave
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row
from benchmarks.tree import disturb, plant

SCRIPT = "benchmarks.scripts.custody_workspace"
LAYERS_SCRIPT = "benchmarks.scripts.custody_layers"
STATUS_BAR = 3.0
LAYER_BAR = Figure(5.0, "ms", "at most")
"""What finding and hashing the changes may take, whatever others need."""
_GIT = (
    "git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0",
)  # fmt: skip


def workspace_tree(ground: Ground, scale: Scale) -> list[Row]:
    """Measure the copy, the changed set, and the two together."""
    source = ground.fresh()
    plant(source, scale.tree_files)
    repository = ground.fresh()
    plant(repository, scale.tree_files)
    failure = _commit(repository)
    turns: dict[str, Turn] = {
        "custody": partial(_custody, SCRIPT, source, scale.tree_files, ground),
        "layers": partial(_custody, LAYERS_SCRIPT, source, scale.tree_files, ground),
        "cp -a": partial(_copy, source, ground),
        "git status": _Status(repository, scale.tree_files, failure),
    }
    results = interleave(turns, scale.tree_rounds)
    return _rows(results, scale.tree_files)


def _rows(results: Mapping[str, Result], files: int) -> list[Row]:
    def figure(contestant: str, name: str) -> Figure:
        result = results[contestant]
        value = result.median(name)
        title = "" if contestant in {"custody", "layers"} else contestant
        milliseconds = None if value is None else value * 1e3
        return Figure(milliseconds, "ms", title, failure=result.failure)

    what = f"{files:,} files"
    copy, status = figure("cp -a", "copy"), figure("git status", "status")
    together = Figure(
        copy.value + status.value if copy.value and status.value else None,
        "ms",
        "cp -a + git status",
        failure=copy.failure or status.failure,
    )
    return [
        Row(f"changed set, {what}", figure("custody", "changed"), status, STATUS_BAR),
        Row(f"changed set at L3, {what}", figure("layers", "scan"), LAYER_BAR, 1.0),
        Row(f"changed set at L3, kept as blobs, {what}", figure("layers", "changed"), status),
        Row(f"layers of a stage at L3, {what}", figure("layers", "begin"), copy),
        Row(f"promotion of a stage at L3, {what}", figure("layers", "promote"), copy),
        Row(f"snapshot, {what}", figure("custody", "snapshot"), copy),
        Row(f"snapshot + first changed set, {what}", figure("custody", "both"), together),
    ]


def _custody(script: str, source: str, files: int, ground: Ground) -> Mapping[str, float]:
    folder = ground.fresh()
    argv = [sys.executable, "-m", script, source, folder, str(files)]
    return run(argv, cwd=os.path.dirname(HERE))


def _copy(source: str, ground: Ground) -> Mapping[str, float]:
    folder = ground.fresh()
    return {"copy": run(["cp", "-a", source, os.path.join(folder, "copy")], cwd=folder)["wall"]}


def _commit(repository: str) -> str:
    """Commit the whole tree; return why that was not possible."""
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "tree")):
        done = subprocess.run(
            [*_GIT, *command], cwd=repository, capture_output=True, text=True, check=False
        )
        if done.returncode:
            return done.stderr.strip()
    return ""


class _Status:
    """``git status`` with an index that has seen the tree, after new changes each turn."""

    def __init__(self, repository: str, files: int, failure: str) -> None:
        self._repository = repository
        self._files = files
        self._failure = failure
        self._turn = 0

    def __call__(self) -> Mapping[str, float]:
        if self._failure:
            raise NotMeasured(self._failure)
        self._status()
        self._turn += 1
        disturb(self._repository, self._turn, self._files)
        return {"status": self._status()}

    def _status(self) -> float:
        begin = time.perf_counter()
        subprocess.run(
            [*_GIT, "status", "--porcelain"], cwd=self._repository, stdout=subprocess.DEVNULL,
            check=True,
        )  # fmt: skip
        return time.perf_counter() - begin
