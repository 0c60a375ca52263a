"""An in-toto Statement about a packet: what it is about, by hash, and the packet itself.

The subjects are the last line of the run's journal and every artifact that the packet cites, so
whoever has a signed statement notices a record that was written anew as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from custody.errors import MalformedDocument
from custody.model import layout
from custody.model.packet import Packet
from custody.model.record import Record, decode, encode
from custody.model.reference import Sha256Hex

PREDICATE_TYPE: Final = "urn:custody:evidence-packet:1.0"
TYPE: Final = "https://in-toto.io/Statement/v1"


class Subject(Record, frozen=True, omit_defaults=True):
    """One artifact that a statement is about."""

    name: str
    digest: dict[Literal["sha256"], Sha256Hex]
    uri: str = ""


class Statement(Record, frozen=True):
    """An in-toto Statement of version 1 whose predicate is a packet."""

    type: Literal["https://in-toto.io/Statement/v1"] = msgspec.field(name="_type")
    subject: tuple[Subject, ...]
    predicate_type: Literal["urn:custody:evidence-packet:1.0"] = msgspec.field(name="predicateType")
    predicate: Packet


def statement_of(packet: Packet) -> bytes:
    """Return the statement about a packet."""
    return encode(
        Statement(
            type=TYPE,
            subject=tuple(_subjects(packet)),
            predicate_type=PREDICATE_TYPE,
            predicate=packet,
        )
    )


def read_statement(data: bytes, *, where: str) -> Packet:
    """Return the packet that a statement is about; raises `MalformedDocument`.

    A statement whose subjects are not those of its packet is refused with ``subject``.
    """
    statement = decode(data, Statement, where=where)
    if statement.subject != tuple(_subjects(statement.predicate)):
        what = "its subjects are not what its packet cites"
        raise MalformedDocument("subject", what, where=where)
    return statement.predicate


def last_line(run_id: str) -> str:
    """Return what the last line of a run's journal is called among the subjects."""
    return f"{run_id}:{layout.EVENTS}:last-line"


def _subjects(packet: Packet) -> Iterator[Subject]:
    if packet.head:
        yield Subject(name=last_line(packet.run_id), digest={"sha256": packet.head})
    cited = {
        (one.source_id, one.sha256): one.artifact_uri
        for claim in packet.claims
        for one in claim.evidence
    }
    for (name, sha256), uri in sorted(cited.items()):
        yield Subject(name=name, digest={"sha256": sha256}, uri=uri)
