"""Which way a run goes. Pure: the same pipeline, outcome and context give the same way.

1. Edges whose condition holds come first.
2. If there are none, the unconditional edges.
3. Among several the highest weight wins, then the smallest target id.
"""

from __future__ import annotations

from functools import lru_cache

from custody.model.graph import Pipeline
from custody.model.outcome import Candidate, Outcome, OutcomeStatus, Route
from custody.model.output import Output
from custody.model.scope import Scope
from custody.pipeline.condition import Condition, Told, parse_condition


@lru_cache(maxsize=4096)
def _condition(text: str) -> Condition:
    return parse_condition(text)


def told_by_code(outcome: Outcome, output: Output | None) -> Told:
    """Return what the exit code of a stage's last command tells of how the stage ended.

    Of what a guard refused, and of what failed although its command ended with 0, it tells
    nothing. One that is not there, because the runtime ended the command, is at least not 0.
    """
    if outcome.status in ("success", "partial_success"):
        return "all"
    code = None if output is None else output.exit_code
    if outcome.refused or code == 0:
        return "nothing"
    return "failed" if code is None else "all"


# BEHAVIOR_ID: B001
def choose(
    pipeline: Pipeline,
    node: str,
    outcome: OutcomeStatus,
    scope: Scope,
    prefix: str = "",
    *,
    told: Told = "all",
) -> Route:
    """Return the way out of ``node``; its target is empty when there is none.

    ``prefix`` is what the names of nodes begin with that conditions have without it. An edge
    on the node's exit code takes care of no failure but what that code has ``told``.
    """
    edges = pipeline.outgoing[node]

    def exit_code(named: str) -> int | None:
        output = scope.outputs.get(prefix + named)
        return None if output is None else output.exit_code

    holding = [
        edge
        for edge in edges
        if edge.condition and _condition(edge.condition).holds(outcome, scope.context, exit_code)
    ]
    open_edges = holding or [edge for edge in edges if not edge.condition]
    ranked = sorted(open_edges, key=lambda edge: (-edge.weight, edge.target))
    candidates = tuple(
        Candidate(
            target=edge.target,
            condition=edge.condition,
            weight=edge.weight,
            matched=edge in open_edges,
        )
        for edge in sorted(edges, key=lambda edge: (edge.target, edge.condition, -edge.weight))
    )
    if not ranked:
        return Route(target="", by_condition=False, candidates=candidates)
    taken = ranked[0]
    asking = node.removeprefix(prefix)
    by_condition = bool(taken.condition) and _condition(taken.condition).on_outcome_of(asking, told)
    return Route(target=taken.target, by_condition=by_condition, candidates=candidates)
