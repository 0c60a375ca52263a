"""A packet, checked: what came of each piece of its evidence.

Whether its claims are those of the run that it names is asked by `custody.engine.vouched`.
"""

from __future__ import annotations

from collections import Counter

from msgspec import UNSET
from msgspec.structs import replace

from custody.evidence import Resolver
from custody.evidence.check import Checked, check
from custody.model.packet import Cited, Packet
from custody.model.record import Record


class CheckedCitation(Record, frozen=True):
    """A piece of evidence that is invalid, and the claim that it was given for."""

    claim: str
    """Its id."""
    found: Checked


class PacketCheck(Record, frozen=True):
    """What came of a packet."""

    title: str
    run_id: str
    claims: int
    evidence: int
    states: dict[str, int]
    """How many pieces of evidence were found exact, moved, changed …"""
    invalid: tuple[CheckedCitation, ...]
    unsupported: tuple[str, ...]
    """The ids of claims without any evidence."""
    unvouched: tuple[str, ...] = ()
    """What the record of the run does not say, in words."""

    @property
    def valid(self) -> bool:
        """Whether every piece of evidence is, with some for every claim, and the record agrees."""
        return not (self.invalid or self.unsupported or self.unvouched)


def check_packet(packet: Packet, resolver: Resolver) -> tuple[PacketCheck, Packet]:
    """Return what came of each piece of evidence, and the packet with that marked in it."""
    known: dict[Cited, Checked] = {}
    invalid, claims = [], []
    states: Counter[str] = Counter()
    for claim in packet.claims:
        marked = []
        for given in claim.evidence:
            cited = unmarked(given)
            found = known.get(cited) or known.setdefault(cited, check(cited, resolver))
            states[found.state] += 1
            if found.status == "invalid":
                invalid.append(CheckedCitation(claim=claim.id, found=found))
            marked.append(_marked(cited, found))
        claims.append(replace(claim, evidence=tuple(marked)))
    told = PacketCheck(
        title=packet.title,
        run_id=packet.run_id,
        claims=len(claims),
        evidence=states.total(),
        states=dict(states),
        invalid=tuple(invalid),
        unsupported=tuple(claim.id for claim in claims if not claim.evidence),
    )
    return told, replace(packet, claims=tuple(claims))


def unmarked(cited: Cited) -> Cited:
    """Return a piece of evidence without what an earlier check has said of it."""
    return cited if cited.status is UNSET else replace(cited, status=UNSET, reason="")


def _marked(cited: Cited, found: Checked) -> Cited:
    if found.status == "valid":
        return replace(cited, status="valid")
    return replace(cited, status="invalid", reason=f"{found.state}: {found.reason}")
