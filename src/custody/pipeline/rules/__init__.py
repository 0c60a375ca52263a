"""What must hold of a pipeline before it runs. Each rule is a pure function that yields findings.

    about one node or edge                       about the graph as a whole
    known_attributes   names, kinds, ranges      one_start          exactly one entry
    required           what a type needs         some_exit          at least one exit
    handler_checks     what a handler refuses    open_ends          into start, out of an exit
    variables          names of var.*            reachable          every node from the start
    conditions         readable, possible        exits_reachable    an exit from every node
    templates          names have values         doubled_edges      two edges that say the same
    write_paths        allowed_write_paths       item_names         as an item's stage is called
    bidirectional      hidden text order         named_nodes        nodes that attributes name
                                                 named_outputs      NODE.stdout and the like
                                                 unjudged_agents    who may change his own judge
                                                 failure_exits      exits that do not say how
                                                 never_taken        edges that others go before
                                                 no_route           nodes that no run can reach

Types that do not exist and nodes that are not declared are found earlier, by `build`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from custody.model.finding import Finding
from custody.model.graph import Catalog, Pipeline
from custody.pipeline.rules import attributes, content, judges, outputs, structure, traps

Rule = Callable[[Pipeline, Catalog], Iterator[Finding]]

LOCAL: tuple[Rule, ...] = (
    attributes.known_attributes,
    attributes.handler_checks,
    attributes.variables,
    content.conditions,
    content.templates,
    content.write_paths,
    content.bidirectional,
)
"""Rules that hold even when a part of the text could not be read."""

WHOLE: tuple[Rule, ...] = (
    attributes.required,
    attributes.named_nodes,
    structure.one_start,
    structure.some_exit,
    structure.open_ends,
    structure.reachable,
    structure.exits_reachable,
    structure.doubled_edges,
    structure.item_names,
    outputs.named_outputs,
    judges.unjudged_agents,
    traps.failure_exits,
    traps.never_taken,
    traps.no_route,
)
"""Rules that need every node, edge and attribute."""

RULES: tuple[Rule, ...] = LOCAL + WHOLE


def judge(pipeline: Pipeline, catalog: Catalog, *, complete: bool = True) -> Iterator[Finding]:
    """Yield every finding; with ``complete=False`` only those that a missing part cannot change."""
    for rule in RULES if complete else LOCAL:
        yield from rule(pipeline, catalog)
