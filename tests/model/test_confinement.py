"""What the words of a network attribute open."""

from __future__ import annotations

import pytest

from custody.model.confinement import LEVELS, ChosenLevel, Confined, read_network
from custody.model.record import decode, encode


@pytest.mark.parametrize(
    ("words", "network", "servers"),
    [
        ((), "none", ()),
        (("none",), "none", ()),
        (("loopback",), "loopback", ()),
        (("host",), "host", ()),
        (("a.example:1",), "none", ("a.example:1",)),
        (("host", "a.example:1"), "none", ("host", "a.example:1")),
    ],
)
def test_a_kind_of_network_or_servers(
    words: tuple[str, ...], network: str, servers: tuple[str, ...]
) -> None:
    assert read_network(words) == (network, servers)


def test_what_held_is_told_without_what_goes_without_saying() -> None:
    assert encode(Confined(level="L3")) == b'{"level":"L3"}'
    told = Confined(level="L2", reach=("a:1",), hidden=("x",), changeable=())
    assert decode(encode(told), Confined, where="") == told
    assert decode(b'{"level":"L1","asked":true}', ChosenLevel, where="").asked
    assert LEVELS == ("L1", "L2", "L3"), "they are a ladder"
