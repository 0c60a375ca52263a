"""Limits stand on a node, or on the graph for all of its nodes, and are asked for by name."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from custody import api
from custody.model.event import RequestAnswered, StageStarted
from custody.model.limits import StageLimits
from custody.model.request import ToolRequest, WriteRequest, stage_limits
from support.bench import Bench

TOOL = 'a [type=tool, tool_command="true"{}]\nstart -> a -> done'


def asked(bench: Bench) -> ToolRequest:
    """Return what was asked for."""
    started = [fact.request for fact in bench.facts() if isinstance(fact, StageStarted)]
    (request,) = [request for request in started if isinstance(request, ToolRequest)]
    return request


@pytest.mark.req("G-09")
@pytest.mark.parametrize(
    ("graph", "node", "limits"),
    [
        ("", "", {}),
        ("limits.memory=1G", "", {"memory": 1 << 30}),
        ("limits.memory=1G", ", limits.memory=2G", {"memory": 2 << 30}),
        ("limits.files=9", ', limits.written="64M"', {"written": 64 << 20, "files": 9}),
    ],
)
def test_who_decides(bench: Bench, graph: str, node: str, limits: dict[Any, int]) -> None:
    bench.run(TOOL.format(node), graph=graph)
    request = asked(bench)
    assert (request.limits or {}) == limits
    assert (request.limits is UNSET) is (not limits)
    (answered,) = [fact for fact in bench.facts() if isinstance(fact, RequestAnswered)]
    assert answered.ack.confined is not None
    assert answered.ack.confined.limits == stage_limits(request)
    assert answered.ack.confined.held_by.keys() == limits_of(StageLimits())
    api.replay("r1", runsdir=str(bench.runsdir))


def limits_of(limits: StageLimits) -> set[str]:
    """Return their names."""
    return set(limits.__struct_fields__)


def test_what_starts_no_program_has_none(bench: Bench) -> None:
    bench.run(
        'w [type=write_file, output_path="docs/a.md", content="x"]\nstart -> w -> done',
        graph="limits.files=9",
    )
    started = [fact.request for fact in bench.facts() if isinstance(fact, StageStarted)]
    (request,) = [request for request in started if isinstance(request, WriteRequest)]
    assert not hasattr(request, "limits")
