"""The attribute ``network``: what the programs of a node may reach."""

from __future__ import annotations

from collections.abc import Iterator

from custody.model.confinement import NETWORKS, read_network
from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Node

NETWORK = AttributeRule(
    name="network",
    kind="list",
    doc="What its programs reach: `none`, `loopback`, `host`, or each `host:port`.",
)


def network_of(node: Node) -> tuple[str, ...]:
    """Return the words of the attribute."""
    return tuple(filter(None, node.items(NETWORK.name)))


def check_network(node: Node) -> Iterator[Finding]:
    """Find what is neither a kind of network nor a server."""
    attribute = node.attributes.get(NETWORK.name)
    words = network_of(node)
    if attribute is None or read_network(words)[0] != "none" or words == ("none",):
        return
    from custody.model.endpoint import parse_endpoint

    for word in words:
        try:
            parse_endpoint(word)
        except ValueError as error:
            known = ", ".join(NETWORKS)
            yield attribute.finding("attribute", f"network: {error}", f"{known}, or host:port")
