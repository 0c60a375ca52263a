"""A pipeline's text as its statements, before anything is known of what they mean.

Statements hold no cycles, so the garbage collector is told to leave them alone: in a large
file it would walk them all again and again while they are made.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from custody.model.finding import Finding
from custody.model.graph import Attribute, SourcePosition

Attributes = dict[str, Attribute]
Scope = Literal["graph", "node", "edge"]


class Defaults(msgspec.Struct, frozen=True, gc=False):
    """``node [...]``, ``edge [...]`` or ``graph [...]``; ``name=value`` has the scope graph."""

    scope: Scope
    attributes: Attributes


class NodeStatement(msgspec.Struct, frozen=True, gc=False):
    """A node is declared."""

    id: str
    position: SourcePosition
    attributes: Attributes


class EdgeStatement(msgspec.Struct, frozen=True, gc=False):
    """A chain of edges that share their attributes."""

    ids: tuple[str, ...]
    positions: tuple[SourcePosition, ...]
    attributes: Attributes


Statement = Defaults | NodeStatement | EdgeStatement


class SyntaxTree(msgspec.Struct, frozen=True):
    """A text, read as far as it could be."""

    name: str
    statements: list[Statement]
    findings: list[Finding]
    complete: bool
    """False when nodes or edges may be missing because something was skipped."""
