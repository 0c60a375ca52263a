"""Command lines of every kind, level and network in random order, through one server."""

from __future__ import annotations

import random
import sys
import tempfile
import time

import msgspec

from custody.model.request import Command, CommandLine
from custody.supervise.supervisor import Launch, Limits
from support.sandboxes import Site

DAEMONS = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    os.wait()
"""
LINES = {
    "true": ("true",),
    "false": ("false",),
    "flood": ("sh", "-c", "yes | head -c 3000000"),
    "endless": ("yes",),
    "sleep": ("sleep", "1000"),
    "trap": ("sh", "-c", "trap '' TERM; sleep 1000; sleep 1000"),
    "daemons": (sys.executable, "-c", DAEMONS),
    "crowd": ("sh", "-c", "for i in $(seq 30); do sleep 1000 & done"),
    "suicide": ("sh", "-c", "kill -9 $$"),
    "massacre": ("sh", "-c", "kill -9 -1"),
    "missing": ("no-such-tool",),
}
EXPECTED = {
    "true": {""},
    "false": {"tool_exit_code_1"},
    "flood": {"output_limit"},
    "endless": {"timeout", "output_limit"},
    "sleep": {"timeout"},
    "trap": {"timeout"},
    "daemons": {""},
    "crowd": {""},
    "suicide": {"tool_exit_code_137"},
    "massacre": {"tool_exit_code_1"},
    "missing": {"tool_not_found: no-such-tool"},
}
"""What `ProcessResult.failure_reason` may be."""
BROKEN = "confinement_failed: /no/such/cache is missing"


def stress(site: Site, chance: random.Random, count: int) -> list[str]:
    """Run so many lines; return what was not as it must be."""
    return [wrong for _ in range(count) if (wrong := _one(site, chance))]


def _one(site: Site, chance: random.Random) -> str:
    level = chance.choice(("L1", "L2", "L3", "L3"))
    network = chance.choice(("none", "loopback", "host") if level == "L3" else ("none", "host"))
    name = chance.choice([name for name in LINES if level == "L3" or name != "massacre"])
    confinement = site.confinement(level, network=network, layered=chance.random() < 2 / 3)
    broken = level == "L3" and chance.random() < 1 / 8
    if broken:
        confinement = msgspec.structs.replace(confinement, cache="/no/such/cache")
    impatient = name in {"endless", "sleep", "trap"}
    limits = Limits(
        chance.choice((0.005, 0.02, 0.2)) if impatient else 60,
        output=1_000_000,
        grace=chance.choice((0.0, 0.05)),
    )
    with tempfile.TemporaryFile() as sink:
        result = site.supervisor.run(
            CommandLine(text=name, commands=(Command(argv=LINES[name]),)),
            Launch(str(site.workspace), site.environment, confinement),
            limits,
            stdout=sink.fileno(),
            stderr=sink.fileno(),
        )
    time.sleep(chance.choice((0.0, 0.0, 0.001, 0.01)))  # a sandbox is prepared, or nearly
    allowed = EXPECTED[name] | ({BROKEN, "timeout"} if broken else set())
    fine = result.failure_reason in allowed and not result.survivors
    return "" if fine else f"{level} {network} {name}: {result}"
