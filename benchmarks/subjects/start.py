"""What the start of a run costs over a big tree, in time and on the disk, beside ``cp -a``.

A start also hashes every file and keeps its content durably; ``cp -a`` does neither. The second
run over the same source finds the contents there, and a fork has all of its parent's. Over Django
it is measured as well how long it takes from ``custody run`` to the process of the first agent.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Mapping, Sequence
from functools import partial

from benchmarks.contestants import HERE
from benchmarks.custody_command import one_agent
from benchmarks.fresh import Ground, NotMeasured, run
from benchmarks.rounds import Result, interleave
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row
from benchmarks.tree import plant

DJANGO = "5.2.19"
SCRIPT = "benchmarks.scripts.custody_start"
FIRST_BAR, SECOND_BAR, DISK_BAR, FORK_BAR = 1.5, 1.2, 1.1, 1.0
AGENT_BAR = 1000.0
"""Milliseconds from `custody run` to the first agent process of a second run, over ``cp -a``."""
MEMORY_BAR = 80.0
"""Megabytes of custody itself, in any of its processes."""


def start(ground: Ground, scale: Scale) -> list[Row]:
    """Measure a planted tree, and Django's."""
    planted = ground.fresh()
    plant(planted, scale.tree_files)
    rows = _measured(f"{scale.tree_files:,} files", planted, ground, scale)
    name = f"Django {DJANGO}"
    try:
        source = _django(ground)
        rows += _measured(name, source, ground, scale)
    except NotMeasured as reason:
        missing = {who: Result(failure=str(reason)) for who in ("custody", "cp -a")}
        return [*rows, *_rows(name, missing), *agent_rows(name, missing)]
    turns = {"custody": partial(_agent, source, ground), "cp -a": partial(_copy, source, ground)}
    return [*rows, *agent_rows(name, interleave(turns, scale.tree_rounds))]


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


def agent_rows(what: str, results: Mapping[str, Result]) -> list[Row]:
    """Return the rows about the first agent process of a second run."""
    own, copy = results["custody"], results["cp -a"]
    agent, plain = own.median("agent"), copy.median("copy")
    over = None if agent is None or plain is None else 1e3 * (agent - plain)
    note = "" if agent is None else f"{1e3 * agent:,.0f} ms in all"
    memory = own.median("memory")
    return [
        Row(
            f"first agent process, second run over {what}, over cp -a",
            Figure(over, "ms", "", note, own.failure or copy.failure),
            Figure(AGENT_BAR, "ms", "bar"),
            1.0,
        ),
        Row(
            f"peak memory of custody, second run over {what}",
            Figure(memory and memory * 1e-6, "MB", failure=own.failure),
            Figure(MEMORY_BAR, "MB", "bar"),
            1.0,
        ),
    ]


def _agent(source: str, ground: Ground) -> Mapping[str, float]:
    """Run an agent over a source twice, as a user does; tell of the second time."""
    folder = ground.fresh()
    argv = one_agent(folder, source)
    _ask(argv, folder)
    os.sync()
    return _ask(argv, folder)


def _ask(argv: Sequence[str], folder: str) -> Mapping[str, float]:
    """Return when the agent's process had begun, after custody was asked, and custody's memory."""
    begin = time.time()
    with open(os.path.join(folder, "told"), "w", encoding="utf-8") as told:
        process = subprocess.Popen(argv, cwd=folder, stdout=told, stderr=told)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise NotMeasured(f"custody run: exit code {process.returncode}")
    run = max(os.scandir(os.path.join(folder, "runs")), key=lambda item: item.name)
    with open(os.path.join(run.path, "workspace", "began"), encoding="ascii") as file:
        return {"agent": float(file.read()) - begin, "memory": used.ru_maxrss * 1024.0}


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
