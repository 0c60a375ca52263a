"""How the programs of a stage are confined, as the record tells it.

L3  namespaces of their own, a root that holds only what is named, an overlay as workspace
L2  Landlock and seccomp on the machine as it is
L1  nothing; only for whoever asks for it by name
"""

from __future__ import annotations

from typing import Literal

from custody.model.limits import Holder, Limit, StageLimits
from custody.model.record import Record

Level = Literal["L1", "L2", "L3"]
Network = Literal["none", "loopback", "host"]

LEVELS: tuple[Level, ...] = ("L1", "L2", "L3")
NETWORKS: tuple[Network, ...] = ("none", "loopback", "host")


def read_network(words: tuple[str, ...]) -> tuple[Network, tuple[str, ...]]:
    """Return what the words of a ``network`` attribute open: a kind of network, or servers."""
    for network in NETWORKS:
        if words == (network,):
            return network, ()
    return "none", words


class ChosenLevel(Record, frozen=True, omit_defaults=True):
    """The level of a run, chosen once."""

    level: Level
    asked: bool = False
    """Whether it was asked for by name; else it is the best that the machine had."""
    reasons: dict[str, str] = {}
    """For each level above, what stood in its way."""


class Confined(Record, frozen=True, omit_defaults=True):
    """What held for the programs of one stage."""

    level: Level
    workspace: str = ""
    """Where they saw the workspace; empty where they saw it where it is, and in older records."""
    unconfined: bool = False
    """Whether nothing held them: the level was L1."""
    network: Network = "none"
    reach: tuple[str, ...] = ()
    """``host:port`` of each server that could be reached although the network was closed."""
    reached: tuple[str, ...] = ()
    """Those of them that were."""
    refused: tuple[str, ...] = ()
    """Servers that were asked for and refused."""
    hidden: tuple[str, ...] = ()
    """Paths of the workspace that could not be seen."""
    changeable: tuple[str, ...] = ("",)
    """Folders of the workspace that could be changed, relative to it."""
    readable: tuple[str, ...] = ()
    """Files and folders of the machine that could be read, beside the workspace."""
    writable: tuple[str, ...] = ()
    """Those that could be changed, beside the workspace and the caches."""
    own_sandbox: str = ""
    """What an agent was told about a sandbox of its own; empty when it has none."""
    limits: StageLimits | None = None
    """What they could take; None in records from before there were limits."""
    held_by: dict[Limit, Holder] = {}
    """What kept each limit."""
