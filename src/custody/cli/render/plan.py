"""What a run would do, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from custody.cli.render.table import count
from custody.cli.result import Line
from custody.model.graph import Node, Pipeline
from custody.pipeline.plan import PlannedNode

ASKED_BY = (
    "tool_command",
    "prompt",
    "verification.required_commands",
    "verification.allowed_commands",
    "output_path",
)
"""Attributes that say best what a stage does."""
_WIDTH = 90


def plan(pipeline: Pipeline, stages: Sequence[PlannedNode]) -> Iterator[Line]:
    """Return the page."""
    yield Line(f"{pipeline.name or 'pipeline'}  {count(len(stages), 'stage')}", "strong")
    if pipeline.goal:
        yield Line(f"goal: {pipeline.goal}")
    for name, value in pipeline.variables.items():
        yield Line(f"variable: {name} = {value!r}")
    for number, stage in enumerate(stages, 1):
        yield Line("")
        label = f"  {stage.label}" if stage.label else ""
        yield Line(f"{number:>3}  {stage.id}  {stage.type}{label}", "strong")
        for text in (*_work(pipeline.nodes[stage.id]), *_limits(stage), *_ways(stage)):
            yield Line(f"     {text}")


def sight(shown: Sequence[str]) -> Iterator[Line]:
    """Return what is told of the machine that programs see."""
    yield Line("")
    yield Line("programs read, beside the workspace (at L3; the ack of a stage says what held)")
    yield from (Line(f"     {path}") for path in shown)


def _work(node: Node) -> Iterator[str]:
    for name in ASKED_BY:
        if node.get(name) is not None:
            yield f"{name}: {_cut(node.text(name))}"
    if node.get("agent") is not None:
        yield f"agent: {node.text('agent')}"


def _limits(stage: PlannedNode) -> Iterator[str]:
    if stage.may_write is not None:
        yield f"may write: {', '.join(stage.may_write)}"
    if stage.attempts > 1:
        yield f"tried up to {stage.attempts} times"
    if stage.max_visits is not None:
        yield f"entered at most {count(stage.max_visits, 'time')}"
    if stage.timeout is not None:
        yield f"ended after {stage.timeout}"


def _ways(stage: PlannedNode) -> Iterator[str]:
    if len(stage.routes) == 1 and not stage.routes[0].condition:
        yield f"then: {stage.routes[0].target}"
        return
    yield from (f"then: {route}" for route in stage.routes)
    if stage.stuck_on:
        yield f"no way on after {' or '.join(stage.stuck_on)}: the run would fail there"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
