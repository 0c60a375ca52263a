"""How many attacks get through custody's levels, and through the sandboxes of others."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from benchmarks.contestants import HERE
from benchmarks.fresh import Ground, NotMeasured, tell
from benchmarks.sandbox_peers import titles
from benchmarks.subjects import Scale
from benchmarks.table import Section

ATTACKS = "benchmarks.scripts.attacks"
LEVELS = {"L3": "custody, L3", "L2": "custody, L2"}
NOT_RUN = "not run"
USER = "root" if os.geteuid() == 0 else "an ordinary user"

Figures = Mapping[str, Mapping[str, Any]]


def attacks(ground: Ground, _scale: Scale) -> list[Section]:
    """Try every attack of the tests on everybody."""
    argv = [sys.executable, "-m", ATTACKS, ground.fresh()]
    try:
        return [attack_section(tell(argv, cwd=os.path.dirname(HERE)), "")]
    except NotMeasured as reason:
        return [attack_section({}, str(reason))]


def attack_section(figures: Figures, failure: str) -> Section:
    """Return the section; ``failure`` says why there are no figures."""
    tried, through, failed = (figures.get(name, {}) for name in ("tried", "through", "failed"))
    columns = {**LEVELS, **titles()}
    counts = [tried, *(through.get(way) for way in columns)]
    lines = [(kind, *(_cell(count, kind) for count in counts)) for kind in sorted(tried)]
    lines.append(("all", *(NOT_RUN if count is None else _sum(count) for count in counts)))
    missing = [f"{columns[way]} was not run: {reason}." for way, reason in failed.items()]
    return Section(
        "attacks",
        ("attacks that got through", "tried", *columns.values()),
        tuple(lines),
        (
            f"Tried by {USER}; counted are those that succeed where nothing is confined.",
            *missing,
            *([f"Nothing was tried: {failure}."] if failure else []),
        ),
    )


def _cell(count: Mapping[str, int] | None, kind: str) -> str:
    return NOT_RUN if count is None else str(count.get(kind, 0))


def _sum(count: Mapping[str, int]) -> str:
    return str(sum(count.values()))
