"""What is measured, one subject a module.

A subject is a function from the ground and the scale to rows of the table, or to sections.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.fresh import Ground
from benchmarks.table import Row, Section


@dataclass(frozen=True)
class Scale:
    """How much work the measurements do."""

    nodes: int
    rounds: int
    cold_rounds: int
    tree_files: int
    tree_rounds: int
    journal_events: tuple[int, ...]
    long_nodes: int
    long_rounds: int
    parser_nodes: int
    sandbox_rounds: int
    fence_blocks: int
    """Of ten thousand bytes with the prose around them."""
    fence_peer_blocks: int
    """Of the part of it that the peer reads."""
    pack_files: int
    """Of the repository that some are packed of."""
    packed: int
    pack_rounds: int
    tool_requests: int
    tool_finished: int
    """Requests that were there before."""
    tool_idle_s: float
    changes: int
    """Of a history, the newest."""
    questions: int
    """Of each kind, at most."""
    searched_pieces: int
    """Of the corpus that times and sizes are told of."""


FULL = Scale(
    nodes=1_000,
    rounds=5,
    cold_rounds=7,
    tree_files=20_000,
    tree_rounds=3,
    journal_events=(100, 1_000, 10_000, 100_000),
    long_nodes=10_000,
    long_rounds=3,
    parser_nodes=10_000,
    sandbox_rounds=60,
    fence_blocks=10_000,
    fence_peer_blocks=400,
    pack_files=10_000,
    packed=500,
    pack_rounds=5,
    tool_requests=100,
    tool_finished=5_000,
    tool_idle_s=5.0,
    changes=20_000,
    questions=600,
    searched_pieces=100_000,
)
QUICK = Scale(
    nodes=200,
    rounds=2,
    cold_rounds=2,
    tree_files=4_000,
    tree_rounds=1,
    journal_events=(100, 1_000, 10_000),
    long_nodes=2_000,
    long_rounds=1,
    parser_nodes=2_000,
    sandbox_rounds=15,
    fence_blocks=2_000,
    fence_peer_blocks=100,
    pack_files=2_000,
    packed=100,
    pack_rounds=2,
    tool_requests=40,
    tool_finished=5_000,
    tool_idle_s=3.0,
    changes=2_000,
    questions=100,
    searched_pieces=20_000,
)

Subject = Callable[[Ground, Scale], Sequence[Row | Section]]
