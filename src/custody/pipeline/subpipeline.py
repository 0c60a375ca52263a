"""Pipelines inside a pipeline: those that its `each` nodes run.

The stages of item 2 of the node ``tasks`` are called ``tasks.2.<node>``. A node that is called
so in the pipeline itself is a finding, so that a name always says which node it means.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from custody.model.graph import Node, Pipeline
from custody.patterns import later

_ITEM = later(r"\.[1-9][0-9]*\.")
_ITEM_AHEAD = later(r"\.(?=[1-9][0-9]*\.)")


def item_prefix(node: str, index: int) -> str:
    """Return what the names of an item's stages begin with."""
    return f"{node}.{index}."


def instance(part: Pipeline, prefix: str) -> Pipeline:
    """Return a part as one item runs it: every name with the prefix."""
    replace = msgspec.structs.replace
    return replace(
        part,
        nodes={prefix + id_: replace(node, id=prefix + id_) for id_, node in part.nodes.items()},
        edges=tuple(
            replace(edge, source=prefix + edge.source, target=prefix + edge.target)
            for edge in part.edges
        ),
        parts={prefix + id_: inner for id_, inner in part.parts.items()},
    )


def located(pipeline: Pipeline, name: str) -> tuple[Pipeline, Node] | None:
    """Return the node that a stage's name means, and the pipeline it stands in."""
    while name not in pipeline.nodes:
        inner = next(
            ((id_, found) for id_ in pipeline.parts if (found := _item_of(id_, name))), None
        )
        if inner is None:
            return None
        pipeline, name = pipeline.parts[inner[0]], inner[1]
    return pipeline, pipeline.nodes[name]


def could_be_item_of(name: str) -> list[str]:
    """Return the nodes of which a stage with this name would be an item's."""
    return [name[: found.start()] for found in _ITEM_AHEAD.finditer(name)]


def whole(pipeline: Pipeline) -> Iterator[Pipeline]:
    """Yield a pipeline and every part of it, each once."""
    seen: set[int] = set()
    waiting = [pipeline]
    while waiting:
        one = waiting.pop()
        if id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting.extend(one.parts.values())


def all_nodes(pipeline: Pipeline) -> Iterator[Node]:
    """Yield every node of a pipeline and of its parts."""
    for one in whole(pipeline):
        yield from one.nodes.values()


def _item_of(each: str, name: str) -> str:
    """Return the name inside the item; empty when it is no item's."""
    if not name.startswith(each):
        return ""
    found = _ITEM.match(name, len(each))
    return "" if found is None else name[found.end() :]
