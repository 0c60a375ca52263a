"""Requests to a resident tool: how long until the ack, and what the tool takes while it waits.

Custody's are those of a real session: the request is durable before it can be seen, the tool is
confined as the machine allows, and the ack is read and waited for as in a run. The others are a
plain loop in the same tool that looks every 200 ms, and pexpect typing at its prompt.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

from benchmarks.fresh import Ground, NotMeasured
from benchmarks.subjects import Scale
from benchmarks.table import HEADINGS, Figure, Row, Section, failures
from benchmarks.tool_peers import polling_loop, prompt
from custody.executors.sessions.generation import Generation
from custody.executors.sessions.lease import Leases
from custody.executors.sessions.live import LiveSession
from custody.model.session import SessionKind, SessionOrder
from custody.skills.tools import EXECUTOR, TOOLS
from custody.store.root import Root
from custody.supervise.probe import try_levels

FIFO_BAR, POLL_BAR = 5.0, 60.0
"""Milliseconds from a request to its ack, median."""
IDLE_BAR = 0.3
"""Percent of a core that the tool takes while nothing is asked."""
FLAT_BAR = 1.5
"""How many times as long it may take after thousands of finished requests."""
LEGEND = "The ratio is custody divided by the peer: below 1 custody is faster or takes less."
TOOL, BARE = "opensta", ("sta", "-no_init", "-no_splash")
JOB = "bench"

Ask = Callable[[], None]
Opened = AbstractContextManager[tuple[Ask, int]]


def tool_sessions(ground: Ground, scale: Scale) -> list[Section]:
    """Measure one way after the other."""
    found, failed = {}, {}
    for name, opened in ways(ground, scale).items():
        try:
            with opened() as (ask, process):
                found[name] = measured(ask, process, name, scale)
        except (NotMeasured, OSError) as reason:
            failed[name] = str(reason)
    return [section(rows(found, failed, scale))]


def section(table: Sequence[Row]) -> Section:
    """Return the rows as a table of their own, for they are measured by themselves."""
    missing = (f"Not measured, {reason}." for reason in failures(table))
    return Section(
        "tool-sessions", HEADINGS, tuple(row.cells() for row in table), (LEGEND, *missing)
    )


def ways(ground: Ground, scale: Scale) -> dict[str, Callable[[], Opened]]:
    """Return every way of asking the tool, by its name."""
    if shutil.which(BARE[0]) is None:
        return {}
    loop = (*BARE, "-exit")
    many = scale.tool_finished
    return {
        "fifo": lambda: resident(ground.fresh(), wake=True, finished=0),
        "fifo, many": lambda: resident(ground.fresh(), wake=True, finished=many),
        "poll": lambda: resident(ground.fresh(), wake=False, finished=0),
        "poll, many": lambda: resident(ground.fresh(), wake=False, finished=many),
        "loop": lambda: polling_loop(loop, ground.fresh(), 0),
        "loop, many": lambda: polling_loop(loop, ground.fresh(), many),
        "pexpect": lambda: prompt(BARE, ground.fresh(), pause=True),
        "pexpect, no pause": lambda: prompt(BARE, ground.fresh(), pause=False),
    }


def measured(ask: Ask, process: int, name: str, scale: Scale) -> Mapping[str, float]:
    """Return the milliseconds of a request, and the percent of a core of an idle tool."""
    quick = name.startswith(("fifo", "pexpect"))
    chance = random.Random(0)  # noqa: S311 - pauses
    taken = []
    for _ in range(scale.tool_requests if quick else scale.tool_requests // 4):
        time.sleep(chance.uniform(0.0, 0.05))
        began = time.perf_counter()
        ask()
        taken.append(1000 * (time.perf_counter() - began))
    time.sleep(4)  # what has just been asked is looked after for a while
    before = computed(process)
    time.sleep(scale.tool_idle_s)
    idle = 100 * (computed(process) - before) / scale.tool_idle_s
    return {"median": statistics.median(taken), "idle": idle}


@contextmanager
def resident(folder: str, *, wake: bool, finished: int) -> Iterator[tuple[Ask, int]]:
    """Open a session of the runtime; yield what asks it, and the tool's process."""
    scripts = os.path.join(folder, "scripts")
    os.makedirs(scripts)
    with open(os.path.join(scripts, "empty.tcl"), "w", encoding="ascii"):
        pass
    kind = SessionKind(
        name="tool",
        argv=TOOLS[TOOL].argv(),
        folder="work",
        readable=(EXECUTOR, scripts),
        variables={
            "SP_RUN_DIR": folder, "SP_SCRIPTS_DIR": scripts, "SP_JOB_ID": JOB,
            **({} if wake else {"SP_FIFO": "/nowhere"}),
        },
    )  # fmt: skip
    with Root.open(folder) as root:
        order = SessionOrder(token=1, level=try_levels(folder).level, kind=kind)
        generation = Generation.create(root, order)
        _finish(os.path.join(folder, generation.path, "box"), finished)
        leases = Leases()
        live = LiveSession(generation, kind, leases)
        try:
            if live.launch(root.path) or live.until_ready() != "idle":
                raise NotMeasured(f"{TOOL} is not ready")
            while not live.observer.program:
                time.sleep(0.05)
                live.look()
            yield _asking(live), live.observer.program
        finally:
            live.end(fence=False)
            leases.close()


def _asking(live: LiveSession) -> Ask:
    numbers = itertools.count(1)

    def ask() -> None:
        key = f"{JOB}_{next(numbers):04}_run"
        live.generation.mailbox.requests.put(key, _request(key))
        live.generation.wake.tell(key)
        ack = live.listen(key, 30).ack
        if ack is None or json.loads(ack)["status"] != "PASS":
            raise NotMeasured(f"the ack says {ack!r}")

    return ask


def _request(key: str) -> bytes:
    fields = {
        "schema_version": "1.0", "request_id": key, "job_id": JOB, "action": "SOURCE_TCL",
        "script": "scripts/empty.tcl", "created_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    return json.dumps(fields).encode()


def _finish(box: str, count: int) -> None:
    """Let so many requests and acks be there already."""
    for number in range(count):
        for name in ("queue", "ack", "claim"):
            path = os.path.join(box, name, f"{JOB}_a{number:05}.json")
            with open(path, "w", encoding="ascii") as file:
                file.write("{}")


def computed(process: int) -> float:
    """Return the seconds that all threads of a process have computed."""
    total = 0
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def rows(
    found: Mapping[str, Mapping[str, float]], failed: Mapping[str, str], scale: Scale
) -> list[Row]:
    """Return the table's rows."""

    def figure(way: str, what: str, title: str = "") -> Figure:
        why = failed.get(way, f"{BARE[0]} is not installed")
        unit = "ms" if what == "median" else "%"
        return Figure(found.get(way, {}).get(what), unit, title, failure=why)

    def bar(value: float, unit: str) -> Figure:
        return Figure(value, unit, "bar")

    many = f"after {scale.tool_finished:,} finished"
    ack, idle = "tool session: request to ack", "tool session: idle tool"
    loop, typing = "200 ms loop", "pexpect"
    return [
        Row(ack, figure("fifo", "median"), bar(FIFO_BAR, "ms"), 1.0),
        Row(f"{ack}, by looking", figure("poll", "median"), bar(POLL_BAR, "ms"), 1.0),
        Row(f"{ack}, {many}", figure("fifo, many", "median"),
            figure("fifo", "median", "custody, none finished"), FLAT_BAR),
        Row(f"{ack}, by looking, {many}", figure("poll, many", "median"),
            figure("poll", "median", "custody, none finished"), FLAT_BAR),
        Row(ack, figure("fifo", "median"), figure("pexpect", "median", typing)),
        Row(ack, figure("fifo", "median"),
            figure("pexpect, no pause", "median", f"{typing}, without its pause of 50 ms")),
        Row(ack, figure("fifo", "median"), figure("loop", "median", loop)),
        Row(f"{ack}, {many}", figure("fifo, many", "median"), figure("loop, many", "median", loop)),
        Row(idle, figure("fifo", "idle"), bar(IDLE_BAR, "%"), 1.0),
        Row(f"{idle}, by looking", figure("poll", "idle"), bar(IDLE_BAR, "%"), 1.0),
        Row(f"{idle}, {many}", figure("poll, many", "idle"), bar(IDLE_BAR, "%"), 1.0),
        Row(idle, figure("poll", "idle"), figure("loop", "idle", loop)),
        Row(f"{idle}, {many}", figure("poll, many", "idle"), figure("loop, many", "idle", loop)),
    ]  # fmt: skip
