"""Rules about ways that look open and are not. None of them forbids a run: each one is a warning.

failure_exits   an exit that only failures lead to, and that does not say how the run ends
never_taken     an edge that another one is always preferred to
no_route        a node that only such edges, or conditions that can never hold, lead to
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from custody.errors import MalformedDocument
from custody.model.finding import Finding
from custody.model.graph import Catalog, Edge, Pipeline
from custody.pipeline.build import UNDECLARED
from custody.pipeline.condition import OUTCOME, Clause, Condition, parse_condition
from custody.pipeline.messages import found, shown
from custody.pipeline.plan import preferred
from custody.pipeline.rules.structure import EXIT, START, reached

_GOOD = ("success", "partial_success")
_FINAL = (*_GOOD, "fail")
"""Outcomes that a stage can end with: attempts turn ``retry`` into another one."""

_Clauses = frozenset[Clause]


def failure_exits(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find exits that every edge leads to from a failure, and that leave open what that means."""
    open_exits = {
        node.id for node in pipeline.nodes.values() if node.type == EXIT and not node.get("status")
    }
    leading: dict[str, list[Edge]] = {}
    for edge in pipeline.edges if open_exits else ():
        if edge.target in open_exits:
            leading.setdefault(edge.target, []).append(edge)
    conditions = _conditions(pipeline)
    for name, edges in leading.items():
        if all(_only_after_failure(edge, conditions) for edge in edges):
            what = f"only failures lead to exit {shown(name)}, and a run that ends there passes"
            hint = "say which is meant: status=fail, or status=success"
            yield found("exit_status", what, pipeline.nodes[name].position, hint, "warning")


def never_taken(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find edges that can never be taken, because another one always goes first."""
    for edge, first in _shadowed(pipeline):
        if edge.target == first.target and edge.condition == first.condition:
            continue  # a doubled edge, which is told as such
        why = "has the same weight and comes first by its name"
        if edge.weight != first.weight:
            why = "has the higher weight"
        elif bool(edge.condition) != bool(first.condition):
            why = "is one of those that hold after every outcome"
        what = f"the edge from {shown(edge.source)} to {shown(edge.target)} can never be taken"
        hint = f"the one to {shown(first.target)} {why}; give one of them a condition of its own"
        yield found("never_taken", what, edge.position, hint, "warning")


def no_route(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find nodes that edges lead to, but no way that a run can take.

    Of several in a row the first is told, and none that an edge leads to which was told already.
    """
    start = [node.id for node in pipeline.nodes.values() if node.type == START]
    conditions = _conditions(pipeline)
    told = {id(edge): edge.target for edge, _first in _shadowed(pipeline)}
    shut = {
        id(edge): edge.target
        for edge in pipeline.edges
        if id(edge) not in told and not _is_open(edge, start, conditions)
    }
    if not shut:
        return
    closed = told.keys() | shut.keys()
    near = reached(start, [edge for edge in pipeline.edges if id(edge) not in closed])
    first = {
        edge.target
        for edge in pipeline.edges
        if id(edge) in shut and edge.source in near and edge.target not in near
    }
    for name in first - {*told.values()}:
        what = f"no run can reach node {shown(name)}: no way to it can ever be taken"
        at = pipeline.nodes[name].position
        yield found("no_route", what, at, "look at the conditions of the edges into it", "warning")


def _conditions(pipeline: Pipeline) -> Mapping[str, Condition]:
    """Return every condition that can be read, by its text."""
    known: dict[str, Condition] = {}
    for text in {edge.condition for edge in pipeline.edges if edge.condition}:
        try:
            known[text] = parse_condition(text)
        except MalformedDocument:
            continue  # told by the rule about conditions
    return known


def _only_after_failure(edge: Edge, conditions: Mapping[str, Condition]) -> bool:
    condition = conditions.get(edge.condition)
    if condition is None:
        return False
    if any(clause.only_failed and clause.node == edge.source for clause in condition.clauses):
        return True
    return not any(condition.may_hold(outcome) for outcome in _GOOD)


def _is_open(edge: Edge, start: Sequence[str], conditions: Mapping[str, Condition]) -> bool:
    """Whether some outcome that the source can have lets a run go along."""
    condition = conditions.get(edge.condition)
    if condition is None:
        return True
    outcomes = _GOOD[:1] if edge.source in start else _FINAL
    return any(condition.may_hold(outcome) for outcome in outcomes)


def _shadowed(pipeline: Pipeline) -> Iterator[tuple[Edge, Edge]]:
    """Yield each edge that can never be taken, with one that is always preferred to it."""
    conditions = _conditions(pipeline)
    wrong = {node.id for node in pipeline.nodes.values() if node.type in {START, UNDECLARED}}
    for edges in pipeline.outgoing.values():
        if len(edges) > 1:
            drawn = tuple(edge for edge in edges if edge.target not in wrong)
            yield from _shadowed_among(drawn, conditions)


def _shadowed_among(
    edges: tuple[Edge, ...], conditions: Mapping[str, Condition]
) -> Iterator[tuple[Edge, Edge]]:
    """Do so for the edges of one node.

    Of those that were looked at, each with its clauses, the first is always taken when it holds.
    Another one's clauses are a part of ours when they are the same, or one of ours alone.
    """
    seen: dict[_Clauses, Edge] = {}
    always = _always(edges, conditions)
    for edge in preferred(edges):
        if edge.condition and edge.condition not in conditions:
            continue
        clauses: _Clauses = (
            frozenset(conditions[edge.condition].clauses) if edge.condition else frozenset()
        )
        parts = (clauses, *(frozenset((clause,)) for clause in clauses))
        first = next((seen[part] for part in parts if part in seen), None)
        if first is None and not edge.condition:
            first = always
        if first is not None:
            yield edge, first
        else:
            seen[clauses] = edge


def _always(edges: tuple[Edge, ...], conditions: Mapping[str, Condition]) -> Edge | None:
    """Return the first of conditional edges one of which holds after every outcome; else None."""
    plain = [
        (edge, conditions[edge.condition])
        for edge in edges
        if edge.condition in conditions
        and all(clause.key == OUTCOME for clause in conditions[edge.condition].clauses)
    ]
    if all(any(condition.may_hold(o) for _, condition in plain) for o in _FINAL):
        return plain[0][0]
    return None
