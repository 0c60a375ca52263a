"""What somebody claims, before its evidence is resolved: the skeleton of a packet."""

from __future__ import annotations

from typing import Annotated

import msgspec

from custody.model.packet import Repeat
from custody.model.record import Record

_Said = Annotated[str, msgspec.Meta(min_length=1)]


class SketchedEvidence(Record, frozen=True):
    """Where evidence is, and what is quoted of it."""

    uri: _Said
    """An evidence uri; or the path of a document below the root for documents."""
    excerpt: str = ""
    """Verbatim; without one the content's beginning is quoted, and a log's end."""


class SketchedClaim(Record, frozen=True):
    """One claim, in the five parts of a packet."""

    claim: _Said
    evidence: Annotated[tuple[SketchedEvidence, ...], msgspec.Meta(min_length=1)]
    reasoning: str = ""
    risk_and_next_steps: tuple[str, ...] = ()
    verification: tuple[Repeat, ...] = ()


class Skeleton(Record, frozen=True):
    """The claims of a packet that is built by hand."""

    title: _Said
    claims: Annotated[tuple[SketchedClaim, ...], msgspec.Meta(min_length=1, max_length=1000)]
    schema_version: str = "1.0"
