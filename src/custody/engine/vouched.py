"""Whether a packet says what the record of its run says.

That evidence is found verbatim tells nothing of the claims it was put under. What a run claims, its
journal makes again; what somebody states is his own, and only the run it names is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from custody.errors import CustodyError
from custody.model.packet import Cited, Claim, Packet
from custody.store.history import History
from custody.store.rundir import RunDirectory
from custody.views.collect import collected

STATED = "stated"


def unvouched(packet: Packet, run: RunDirectory | None) -> tuple[str, ...]:
    """Return what no record vouches for, in words; nothing where all is as it should be.

    ``run`` is the run that the packet tells of, None where it tells of none.
    """
    if not packet.claims and run is None:
        return ("it claims nothing",)
    if run is None:
        return tuple(
            f"claim {claim.id!r} is a run's, and the packet names no run"
            for claim in packet.claims
            if claim.kind != STATED
        )
    try:
        return tuple(_differences(packet, run))
    except CustodyError as error:
        return (f"the record of run {run.run_id} cannot be compared: {error.what}",)


def _differences(packet: Packet, run: RunDirectory) -> Iterator[str]:
    history = History.read(run)
    head = history.position.head
    if packet.head != head:
        if history.seq_of(packet.head) is None:
            yield f"no line of the journal has the hash {packet.head[:64]!r}"
        else:
            yield f"the run went on after {packet.head[:12]}…: it has not ended as the packet says"
        return
    collector = collected(run.run_id, history.lines(), history.changes_of)
    made = collector.packet(head, lambda _: None)
    if packet.status != collector.state.status:
        yield f"the run ended {collector.state.status}, not {packet.status[:20]!r}"
    if made is not None:
        yield from _of_claims(packet, made)


def _of_claims(packet: Packet, made: Packet) -> Iterator[str]:
    """Yield how a run's claims differ; a packet of statements alone has none of them."""
    stated = [claim for claim in packet.claims if claim.kind == STATED]
    if stated and len(stated) == len(packet.claims):
        return
    known = [_unquoted(claim) for claim in made.claims]
    for claim in packet.claims:
        if _unquoted(claim) not in known:
            yield f"claim {claim.id!r} is not what the journal makes of it"
    named = Counter(claim.id for claim in packet.claims)
    for name, times in Counter(claim.id for claim in made.claims).items():
        if named[name] < times:
            yield f"claim {name!r} is missing"
        if named[name] > times:
            yield f"claim {name!r} is there more than once"
    if (packet.title, packet.left_out) != (made.title, made.left_out):
        yield "its title, or how much it leaves out, is not what the journal makes of it"


def _unquoted(claim: Claim) -> Claim:
    """Return a claim without what was quoted for it: that is compared with the content itself."""
    return replace(claim, evidence=tuple(map(_bare, claim.evidence)))


def _bare(cited: Cited) -> Cited:
    return Cited(
        artifact_uri=cited.artifact_uri,
        sha256=cited.sha256,
        source_id=cited.source_id,
        source_type=cited.source_type,
        kind=cited.kind,
        excerpt="",
    )
