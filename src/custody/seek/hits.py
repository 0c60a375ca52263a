"""What was found becomes evidence: its bytes are had, compared, and quoted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from msgspec.structs import asdict

from custody.errors import ResolveFailed, UriRefused
from custody.evidence import Resolver
from custody.evidence.check import exact_content
from custody.evidence.excerpt import quote
from custody.evidence.failure import CHANGED
from custody.model.packet import Cited, Claim, Packet
from custody.model.record import Record
from custody.model.reference import Reference
from custody.seek.records import Found


class Hit(Record, frozen=True, omit_defaults=True):
    """A hit with its evidence, or with why it cannot be had now."""

    chunk_id: str
    score: float
    title: str
    legs: dict[str, float]
    """What each leg of the search said of its source, before weights."""
    reference: Reference
    """What `custody evidence verify` finds exact; without an excerpt where nothing can be had."""
    unresolved: str = ""
    """Why its bytes cannot be had now, as a code; empty where they are what was indexed."""
    reason: str = ""


def cite(found: Iterable[Found], resolver: Resolver) -> list[Hit]:
    """Return hits with their excerpts; what cannot be had any more is told, and stays a hit."""
    return [_cited(one, resolver) for one in found]


def packet(query: str, hits: Iterable[Hit]) -> Packet:
    """Return a packet that says what was found, of the hits that can be had."""
    cited = [Cited(**asdict(hit.reference)) for hit in hits if not hit.unresolved]
    claim = Claim(
        id="stated:1",
        kind="stated",
        result="stated",
        claim=f"a search for {query!r} found these pieces",
        evidence=tuple(cited),
        reasoning=(),
        risk_and_next_steps=("whether they support anything is for the reader to judge",),
        verification=(),
    )
    return Packet(title=f"Search: {query}", claims=(claim,), left_out={})


def _cited(found: Found, resolver: Resolver) -> Hit:
    try:
        content = exact_content(found.artifact_uri, resolver)
    except (ResolveFailed, UriRefused) as failed:
        return _hit(found, _reference(found), unresolved=failed.code, reason=failed.what)
    begin, end = found.bytes
    if hashlib.sha256(content.data[begin:end]).hexdigest() != found.digest:
        what = "the index names other bytes: `custody seek index --rebuild`"
        return _hit(found, _reference(found), unresolved=CHANGED, reason=what)
    quoted = quote(content.data, begin, end)
    return _hit(
        found,
        _reference(found, excerpt=quoted.excerpt, bytes=quoted.bytes, lines=quoted.lines),
    )


def _hit(found: Found, reference: Reference, *, unresolved: str = "", reason: str = "") -> Hit:
    return Hit(
        chunk_id=found.chunk_id,
        score=found.score,
        title=found.title,
        legs=found.legs,
        reference=reference,
        unresolved=unresolved,
        reason=reason,
    )


def _reference(
    found: Found,
    *,
    excerpt: str = "",
    bytes: tuple[int, int] | None = None,  # noqa: A002 - the field's name
    lines: tuple[int, int] | None = None,
) -> Reference:
    return Reference(
        artifact_uri=found.artifact_uri,
        sha256=found.sha256,
        source_id=found.source_id,
        source_type=found.source_type,
        kind=found.kind,
        excerpt=excerpt,
        bytes=bytes,
        lines=lines,
        git_commit=found.git_commit,
    )
