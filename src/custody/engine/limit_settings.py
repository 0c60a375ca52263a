"""What a node, or a graph around it, says of how much its programs may take and it is told. Pure.

Each limit may stand on the node, and on the graph for all of its nodes; of graphs that an `each`
node runs the innermost that says something counts. What nobody says has the default of the
version that carries the request out, and its ack tells which that was.
"""

from __future__ import annotations

from msgspec.structs import replace

from custody.engine.frame import Frame
from custody.model.graph import Node
from custody.model.limits import LIMITS, PREFIX, parse_size
from custody.model.output import DEFAULT_LIMIT
from custody.model.request import AnyRequest, WriteRequest

_NAMES = {f"{PREFIX}{limit}": limit for limit in LIMITS}


def with_limits(request: AnyRequest, frame: Frame, node: Node) -> AnyRequest:
    """Return the request, told what its programs may take; one that starts none as it is."""
    said = _NAMES.keys() & {*node.attributes, *frame.settings}
    if not said or isinstance(request, WriteRequest):
        return request
    found = ((limit, frame.said(node, name)) for name, limit in _NAMES.items() if name in said)
    return replace(request, limits={limit: parse_size(str(value)) for limit, value in found})


def output_limit(frame: Frame, node: Node, of_run: int | None) -> int:
    """Return how many bytes of a command's output the node's prompt shows."""
    value = frame.said(node, "output_limit")
    if value is not None:
        return parse_size(str(value))
    return DEFAULT_LIMIT if of_run is None else of_run
