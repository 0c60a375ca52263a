"""``packet.json``: claims, each with its evidence, why it holds, and how to check it again."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from custody.model.record import Document, Record
from custody.model.reference import Reference

ClaimKind = Literal["gate", "stage", "output", "stated"]
"""A gate's verdict, a stage that failed, what a run has made, what somebody says."""
ClaimResult = Literal["passed", "failed", "made", "stated"]
EvidenceStatus = Literal["valid", "invalid"]


class Cited(Reference, frozen=True, omit_defaults=True):
    """A piece of evidence, and in a packet that was checked what came of it."""

    status: EvidenceStatus | UnsetType = UNSET
    """Whether it was had, is what it was, and holds the excerpt; unset before anybody looked."""
    reason: str = ""
    """Why it is invalid."""


class Reason(Record, frozen=True):
    """One line of a journal that the claim follows from."""

    seq: int
    """Its number, as `custody log` shows it."""
    event: str
    says: str


class Repeat(Record, frozen=True):
    """One way to check a claim again."""

    command: str
    passes: str
    """What must come of it for the claim to stand."""


class Claim(Record, frozen=True):
    """One thing that is said, in the five parts of a packet."""

    id: str
    """``<kind>:<what it is about>``; unique in its packet."""
    kind: ClaimKind
    result: ClaimResult
    claim: str
    """In one sentence."""
    evidence: tuple[Cited, ...]
    reasoning: tuple[Reason, ...]
    risk_and_next_steps: tuple[str, ...]
    verification: tuple[Repeat, ...]
    argument: str = ""
    """The reasoning in words, where somebody gave one."""
    evidence_left_out: int = 0
    """Further evidence that the record holds and this claim does not list."""


class Packet(Document, frozen=True, kw_only=True):
    """``packet.json``: what a run, or a person, says, so that a stranger can check all of it."""

    title: str
    run_id: str = ""
    """The run that it tells of; empty when somebody built it by hand."""
    status: str = ""
    """How that run ended."""
    head: str = ""
    """The sha256 of the last line of its journal."""
    claims: tuple[Claim, ...]
    """What failed, what gates passed, what was made: in this order."""
    left_out: dict[str, int]
    """How many claims there are beyond these, by kind."""
