"""What the start of a run costs over a big tree, in time and on the disk, beside ``cp -a``.

A start also hashes every file and keeps its content durably; ``cp -a`` does neither. The second
run over the same source finds the contents there, and a fork has all of its parent's.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from functools import partial

from benchmarks.contestants import HERE
from benchmarks.fresh import Ground, NotMeasured, run
from benchmarks.rounds import Result, interleave
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row
from benchmarks.tree import plant

DJANGO = "5.2.19"
SCRIPT = "benchmarks.scripts.custody_start"
FIRST_BAR, SECOND_BAR, DISK_BAR, FORK_BAR = 1.5, 1.2, 1.1, 1.0


def start(ground: Ground, scale: Scale) -> list[Row]:
    """Measure a planted tree, and Django's."""
    planted = ground.fresh()
    plant(planted, scale.tree_files)
    rows = _measured(f"{scale.tree_files:,} files", planted, ground, scale)
    name = f"Django {DJANGO}"
    try:
        return rows + _measured(name, _django(ground), ground, scale)
    except NotMeasured as reason:
        missing = {who: Result(failure=str(reason)) for who in ("custody", "cp -a")}
        return rows + _rows(name, missing)


def _measured(what: str, source: str, ground: Ground, scale: Scale) -> list[Row]:
    turns = {"custody": partial(_custody, source, ground), "cp -a": partial(_copy, source, ground)}
    return _rows(what, interleave(turns, scale.tree_rounds))


def _rows(what: str, results: Mapping[str, Result]) -> list[Row]:
    def figure(contestant: str, name: str, unit: str, factor: float) -> Figure:
        result = results[contestant]
        value = result.median(name)
        title = "" if contestant == "custody" else contestant
        return Figure(value and value * factor, unit, title, failure=result.failure)

    own = partial(figure, "custody", unit="ms", factor=1e3)
    copy = figure("cp -a", "copy", "ms", 1e3)
    before = Figure(own("first").value, "ms", "its first start", failure=own("first").failure)
    disk = partial(figure, name="disk", unit="MB", factor=1e-6)
    return [
        Row(f"start of a run, first over {what}", own("first"), copy, FIRST_BAR),
        Row(f"start of a run, second over {what}", own("second"), copy, SECOND_BAR),
        Row(f"disk of the second run over {what}", disk("custody"), disk("cp -a"), DISK_BAR),
        Row(f"start of a fork over {what}", own("fork"), before, FORK_BAR),
    ]


def _custody(source: str, ground: Ground) -> Mapping[str, float]:
    folder = ground.fresh()
    first = _start("first", source, folder)
    one = _disk(folder)
    second = _start("second", source, folder)
    two = _disk(folder)
    fork = _start("fork", source, folder)
    return {"first": first, "second": second, "fork": fork, "disk": two - one}


def _start(how: str, source: str, folder: str) -> float:
    os.sync()
    argv = [sys.executable, "-m", SCRIPT, how, source, folder]
    return run(argv, cwd=os.path.dirname(HERE))["start"]


def _copy(source: str, ground: Ground) -> Mapping[str, float]:
    folder = ground.fresh()
    wall = run(["cp", "-a", source, os.path.join(folder, "copy")], cwd=folder)["wall"]
    return {"copy": wall, "disk": _disk(folder)}


def _disk(path: str) -> int:
    """Return the bytes that a tree takes on the disk; a file with several names counts once."""
    blocks: dict[int, int] = {}
    for folder, _, names in os.walk(path):
        for name in (*names, ""):
            state = os.lstat(os.path.join(folder, name))
            blocks[state.st_ino] = state.st_blocks
    return sum(blocks.values()) * 512


def _django(ground: Ground) -> str:
    """Have pip fetch Django as it is released, and return the folder it is in."""
    place = ground.fresh()
    asked = ["download", "--quiet", "--no-deps", "--no-binary", "django", f"django=={DJANGO}"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *asked, "--dest", place],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NotMeasured(f"pip cannot fetch Django: {done.stderr.strip()}")
    (archive,) = os.listdir(place)
    with tarfile.open(os.path.join(place, archive)) as packed:
        packed.extractall(place, filter="data")
    os.unlink(os.path.join(place, archive))
    return place
