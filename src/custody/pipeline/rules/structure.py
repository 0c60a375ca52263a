"""Rules about the graph as a whole. All of them walk with a list, never by recursion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from custody.model.finding import Finding
from custody.model.graph import Catalog, Edge, Pipeline
from custody.model.state import EACH
from custody.pipeline.build import UNDECLARED
from custody.pipeline.messages import found, shown
from custody.pipeline.subpipeline import could_be_item_of

START = "start"
EXIT = "exit"


def one_start(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find that there is not exactly one start."""
    starts = [node for node in pipeline.nodes.values() if node.type == START]
    if not starts:
        yield found("start", "no start: one node must have shape=Mdiamond or type=start", None)
    for extra in starts[1:]:
        what = f"{shown(extra.id)} is a second start, besides {shown(starts[0].id)}"
        yield found("start", what, extra.position, hint="a pipeline has exactly one")


def some_exit(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find that there is no exit."""
    if all(node.type != EXIT for node in pipeline.nodes.values()):
        yield found("exit", "no exit: a node must have shape=Msquare or type=exit", None)


def open_ends(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find edges into a start or out of an exit."""
    nodes = pipeline.nodes
    for edge in pipeline.edges:
        if nodes[edge.target].type == START:
            what = f"an edge leads from {shown(edge.source)} into start {shown(edge.target)}"
            yield found("start_incoming", what, edge.position)
        if nodes[edge.source].type == EXIT:
            what = f"an edge leads out of exit {shown(edge.source)} to {shown(edge.target)}"
            yield found("exit_outgoing", what, edge.position)


def reachable(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find nodes that cannot be reached from the start."""
    near = reached([n.id for n in pipeline.nodes.values() if n.type == START], pipeline.edges)
    if near:
        for node in pipeline.nodes.values():
            if node.id not in near and node.type not in {START, UNDECLARED}:
                what = f"node {shown(node.id)} cannot be reached from the start"
                yield found("unreachable", what, node.position)


def exits_reachable(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find nodes from which no exit can be reached."""
    ways = _ways((edge.target, edge.source) for edge in pipeline.edges)
    near = _walk([n.id for n in pipeline.nodes.values() if n.type == EXIT], ways)
    if near:
        for node in pipeline.nodes.values():
            if node.id not in near and node.type != UNDECLARED:
                what = f"no exit can be reached from node {shown(node.id)}"
                yield found("no_exit_path", what, node.position)


def item_names(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find nodes that are called as a stage of an item would be."""
    lists = {node.id for node in pipeline.nodes.values() if node.type == EACH}
    for node in pipeline.nodes.values() if lists else ():
        for each in lists.intersection(could_be_item_of(node.id)):
            what = f"{shown(node.id)} is how a stage of an item of {shown(each)} is called"
            yield found("duplicate", what, node.position, "choose another id")


def doubled_edges(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find edges that say what another one has said already."""
    seen: set[tuple[str, str, str]] = set()
    for edge in pipeline.edges:
        key = (edge.source, edge.target, edge.condition)
        if key in seen:
            what = f"a second edge from {shown(edge.source)} to {shown(edge.target)} says the same"
            yield found("duplicate", what, edge.position, "leave one of them out", "warning")
        seen.add(key)


def reached(begin: Sequence[str], edges: Iterable[Edge]) -> set[str]:
    """Return every node that edges lead to from the first ones, and these."""
    return _walk([*begin], _ways((edge.source, edge.target) for edge in edges))


def leading_to(target: str, pipeline: Pipeline) -> set[str]:
    """Return every node that a way to ``target`` begins at; itself only if it is on a loop."""
    ways = _ways((edge.target, edge.source) for edge in pipeline.edges)
    before = ways.get(target, [])
    return _walk([*before], ways)


def _ways(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    ways: dict[str, list[str]] = {}
    for source, target in pairs:
        ways.setdefault(source, []).append(target)
    return ways


def _walk(begin: list[str], ways: dict[str, list[str]]) -> set[str]:
    seen, ahead = set(begin), begin
    while ahead:
        for target in ways.get(ahead.pop(), ()):
            if target not in seen:
                seen.add(target)
                ahead.append(target)
    return seen
