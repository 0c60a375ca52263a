"""Tools that stay, shared by the tests of a file: starting one is most of what they cost."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from custody.skills.tools import TOOLS
from support.resident import RESIDENT, Resident


@pytest.fixture(scope="module", params=RESIDENT)
def resident(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Resident]:
    """Return one tool after the other, with the executor in it."""
    tool: str = request.param
    skip_without(tool)
    one = Resident(tmp_path_factory.mktemp(tool), tool)
    try:
        yield one
    finally:
        one.kill()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Resident]]:
    """Return what starts a tool of a test's own."""
    started: list[Resident] = []

    def begin(tool: str = "tclsh", *, wake: bool = True, **variables: str) -> Resident:
        skip_without(tool)
        started.append(Resident(tmp_path, tool, wake=wake, **variables))
        return started[-1]

    try:
        yield begin
    finally:
        for one in started:
            one.kill()


def skip_without(tool: str) -> None:
    """Skip a test, with the reason, where a tool is not installed."""
    names = {"opensta": ("sta",), "yosys": ("stdbuf", "yosys")}
    for program in names.get(tool, TOOLS[tool].command[:1]):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
