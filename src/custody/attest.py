"""What every surface calls about packets, as `custody.api` is about runs: check, sign, anchor."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING

from custody.errors import MalformedDocument, Refused, UsageError
from custody.model import layout
from custody.model.record import Record

if TYPE_CHECKING:
    from custody.engine.verification import Verification
    from custody.evidence.anchor import Anchor
    from custody.evidence.checked import PacketCheck
    from custody.model.packet import Packet

TAG = "custody/{run_id}"
"""What the tag of a run is called."""
PACKET_LIMIT = 16 << 20
"""Bytes of a packet."""
_QUERY, _REPLY = "application/timestamp-query", "application/timestamp-reply"


class Signed(Record, frozen=True):
    """A packet that somebody has signed."""

    packet: Packet
    key: str
    """The identity of the key; empty when the signature was not checked."""


class Anchored(Record, frozen=True):
    """What an anchor says about a run, and whether the record still agrees."""

    where: str
    head: str
    time: str
    """When an authority has seen it; empty for a tag, whose date anybody can choose."""
    verification: Verification


def packet_of(run: str, *, runsdir: str) -> Packet:
    """Return the packet of an ended run; raises `UsageError` where there is none."""
    from custody.errors import PathRefused
    from custody.evidence.packet import read_packet
    from custody.store.index import find_run
    from custody.store.rundir import RunDirectory

    with RunDirectory.open(find_run(run, runsdir), write=False) as opened:
        where = f"{opened.path}/{layout.PACKET}"
        try:
            data = opened.root.read(layout.PACKET, limit=PACKET_LIMIT)
        except PathRefused as refused:
            hint = "a run has one when it has ended; `custody verify RUN --rebuild` makes it again"
            raise UsageError(f"no packet: {refused.what}", where=where, hint=hint) from None
        return read_packet(data, where=where)


def build(skeleton: str, *, runsdir: str, run: str = "", folder: str = os.curdir) -> Packet:
    """Return the packet that a skeleton in a file describes, its evidence resolved and quoted.

    With ``run``, documents are the files of that run. Raises `Refused` with ``no_evidence`` where
    a piece of evidence cannot be had, or its excerpt does not stand in it.
    """
    from custody.engine.packet_build import Builder
    from custody.evidence.skeleton import read_skeleton
    from custody.store.index import find_run
    from custody.store.root import read_file
    from custody.store.rundir import RunDirectory

    sketched = read_skeleton(read_file(skeleton, limit=PACKET_LIMIT), where=skeleton)
    if not run:
        return Builder(os.environ, folder=folder).packet(sketched)
    found = _ended(run, runsdir)
    with RunDirectory.open(find_run(run, runsdir), write=False) as opened:
        return Builder(os.environ, folder=folder, run=opened, verified=found).packet(sketched)


def check_packet(subject: str, *, runsdir: str, run: str = "") -> tuple[PacketCheck, Packet]:
    """Resolve all evidence of a packet again: of a run, or of a packet that lies in a file.

    Documents of a packet that tells of a run are that run's: its directory is named by ``run``, or
    the file lies in it; what it claims of the run must be what the record says. Also returns the
    packet with what was found marked in it. Raises `Refused` for the directory of another run.
    """
    from msgspec.structs import replace

    from custody.engine.vouched import unvouched
    from custody.evidence import checked
    from custody.evidence.packet import read_packet
    from custody.evidence.run_files import RunFiles
    from custody.resolvers.choose import configured
    from custody.store.index import find_run
    from custody.store.places import is_folder
    from custody.store.root import read_file
    from custody.store.rundir import RunDirectory

    others = configured(os.environ, folder=os.curdir)
    if not subject.endswith(".json") or is_folder(subject):
        packet, place = packet_of(subject, runsdir=runsdir), find_run(run or subject, runsdir)
    else:
        packet = read_packet(read_file(subject, limit=PACKET_LIMIT), where=subject)
        if not packet.run_id:
            found, marked = checked.check_packet(packet, others)
            return replace(found, unvouched=unvouched(packet, None)), marked
        place = find_run(run, runsdir) if run else _run_around(subject)
    with RunDirectory.open(place, write=False) as opened:
        _refuse_other(packet.run_id, opened.run_id)
        found, marked = checked.check_packet(packet, RunFiles(opened, others))
        return replace(found, unvouched=unvouched(packet, opened)), marked


def make_key(path: str) -> str:
    """Write a new key and its public part; return the key's identity."""
    from custody.evidence.dsse import key_id
    from custody.evidence.keys import make_key as make

    return key_id(make(path))


def sign(run: str, key: str, *, runsdir: str) -> bytes:
    """Return the packet of a run, signed; raises `Refused` for a record that does not hold."""
    from custody.evidence.dsse import seal
    from custody.evidence.keys import read_private
    from custody.evidence.statement import statement_of

    secret = read_private(key)
    _ended(run, runsdir)
    return seal(statement_of(packet_of(run, runsdir=runsdir)), secret)


def read_signed(path: str, key: str = "") -> Signed:
    """Return the packet of an envelope; without a public key its signature is not checked."""
    from custody.evidence.dsse import LIMIT, key_id, unseal
    from custody.evidence.keys import read_public
    from custody.evidence.statement import read_statement
    from custody.store.root import read_file

    public = read_public(key) if key else None
    payload = unseal(read_file(path, limit=LIMIT), public, where=path)
    packet = read_statement(payload, where=path)
    return Signed(packet=packet, key="" if public is None else key_id(public))


def verify_signed(
    run: str, signed: str, *, key: str = "", runsdir: str, rebuild: bool = False
) -> Verification:
    """Check a run, and that it is the one whose packet was signed."""
    from custody.engine.verification import Mismatch

    packet = read_signed(signed, key).packet
    found = _verified(run, packet.run_id, packet.head, runsdir=runsdir, rebuild=rebuild)
    if found.mismatches or packet_of(run, runsdir=runsdir) == packet:
        return found
    from msgspec.structs import replace

    what = "it is not the packet that was signed"
    other = Mismatch(code="signed", where=layout.PACKET, what=what)
    return replace(found, mismatches=(other,))


def anchor_in_git(run: str, repo: str, *, runsdir: str) -> str:
    """Put the head of a run into a new annotated tag of a repository; return the tag's name."""
    from custody.workspace.repository import Repository

    anchor = _anchor(run, runsdir)
    repository = Repository(repo)
    repository.refuse_nobody()
    name = TAG.format(run_id=anchor.run_id)
    repository.make_tag(name, anchor.text)
    return name


def anchored_in_git(run: str, repo: str, *, runsdir: str) -> Anchored:
    """Check a run against its tag in a repository; raises `UsageError` where there is none."""
    from custody.evidence.anchor import read_anchor
    from custody.workspace.repository import Repository

    name = TAG.format(run_id=_run_id(run, runsdir))
    message = Repository(repo).tagged(name)
    if message is None:
        hint = f"`custody evidence anchor {run} --git {repo}` makes one"
        raise UsageError(f"no tag named {name!r}", where=repo, hint=hint)
    anchor = read_anchor(message, where=f"tag {name}")
    found = _verified(run, anchor.run_id, anchor.head, runsdir=runsdir)
    return Anchored(where=f"tag {name}", head=anchor.head, time="", verification=found)


def anchor_by_time(run: str, url: str, output: str, *, runsdir: str) -> None:
    """Have an authority stamp the head of a run, and write the stamp to a new file."""
    from custody import api
    from custody.egress.post import post
    from custody.evidence.anchor import LIMIT, TimeStamp, refuse_other_stamp, stamp_request
    from custody.model.record import encode_pretty

    anchor = _anchor(run, runsdir)
    request = stamp_request(anchor)
    data = post(url, request, content_type=_QUERY, answer_type=_REPLY, limit=LIMIT)
    refuse_other_stamp(data, anchor, where=url)
    response = b64encode(data).decode()
    stamp = TimeStamp(run_id=anchor.run_id, head=anchor.head, response=response)
    api.save(output, encode_pretty(stamp))


def anchored_by_time(run: str, stamp: str, roots: str, *, runsdir: str) -> Anchored:
    """Check a run against a time stamp of an authority whose roots are in a file, in PEM."""
    from custody.evidence.anchor import LIMIT, Anchor, TimeStamp, stamped_at
    from custody.model.record import decode
    from custody.store.root import read_file

    known = decode(read_file(stamp, limit=2 * LIMIT), TimeStamp, where=stamp)
    try:
        response = b64decode(known.response, validate=True)
    except ValueError:
        raise MalformedDocument("base64", "the response is not base64", where=stamp) from None
    anchor = Anchor(known.run_id, known.head)
    time = stamped_at(response, anchor, read_file(roots, limit=LIMIT), where=stamp)
    found = _verified(run, anchor.run_id, anchor.head, runsdir=runsdir)
    said = time.strftime("%Y-%m-%dT%H:%M:%SZ")
    return Anchored(where=stamp, head=anchor.head, time=said, verification=found)


def _anchor(run: str, runsdir: str) -> Anchor:
    """Return what is anchored of a run; raises `Refused` for a record that does not hold."""
    from custody.evidence.anchor import Anchor

    found = _ended(run, runsdir)
    return Anchor(found.run_id, found.head)


def _ended(run: str, runsdir: str) -> Verification:
    """Return what is to be known of a run; raises `Refused` unless it has ended and holds."""
    from custody import api

    found = api.verify(run, runsdir=runsdir)
    if not found.intact:
        first = found.mismatches[0]
        raise Refused(
            "not_intact",
            f"run {found.run_id} is not what it claims to be: {first.where} {first.what}",
            hint=f"`custody verify {found.run_id}` lists every mismatch",
        )
    if found.status == "RUNNING":
        what = f"run {found.run_id} has not ended"
        raise Refused("not_ended", what, hint=f"`custody resume {found.run_id}`")
    return found


def _verified(
    run: str, run_id: str, head: str, *, runsdir: str, rebuild: bool = False
) -> Verification:
    """Check a run, and that it is the one of that id and head."""
    from custody import api

    _refuse_other(run_id, _run_id(run, runsdir))
    return api.verify(run, runsdir=runsdir, rebuild=rebuild, head=head)


def _refuse_other(told: str, here: str) -> None:
    if here != told:
        raise Refused("other_run", f"it is about run {told}, not about {here}")


def _run_id(run: str, runsdir: str) -> str:
    from custody.store.index import find_run
    from custody.store.rundir import RunDirectory

    with RunDirectory.open(find_run(run, runsdir), write=False) as opened:
        return opened.run_id


def _run_around(path: str) -> str:
    """Return the run directory that a packet lies in; raises `UsageError` where it lies in none."""
    from custody.store.places import is_folder, leads_to

    place = leads_to(os.path.abspath(path))
    depth = layout.PACKET.count("/") + 1
    for _ in range(depth):
        place = os.path.dirname(place)
    if not path.endswith(layout.PACKET) or not is_folder(place):
        hint = "name the run directory by --run"
        raise UsageError("the packet lies in no run directory", where=path, hint=hint)
    return place
