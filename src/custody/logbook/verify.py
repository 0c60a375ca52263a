"""Whether a logbook is what it claims to be: its events, its pointers, and their bytes.

Events tell what was attached, and they are chained: so an attachment that leads elsewhere by now,
that was put in beside them or taken out is found as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from custody.errors import ResolveFailed, StorageFailed, UriRefused
from custody.evidence import Artifacts
from custody.evidence.uri import (
    FileUri,
    build_attachment_evidence_uri,
    build_evidence_uri,
    parse,
)
from custody.logbook.artifacts import is_key
from custody.logbook.book import ATTACHED, Logbook
from custody.logbook.events import EventChain
from custody.logbook.records import Listed
from custody.model.record import Record
from custody.store.root import read_file

_PAGE = 1000


class Problem(Record, frozen=True):
    """A pointer that does not hold."""

    evidence_uri: str
    what: str


class Verified(Record, frozen=True):
    """What was found."""

    events: EventChain
    pointers: int
    """So many were looked at."""
    problems: tuple[Problem, ...]

    @property
    def intact(self) -> bool:
        """Whether everything holds."""
        return not self.events.broken_at and not self.problems


def verify(book: Logbook, artifacts: Artifacts, *, head: str = "") -> Verified:
    """Walk the chain of events, and read what every pointer points at.

    With ``head`` the chain must hold that hash, which somebody has kept elsewhere.
    """
    count, problems = 0, []
    attached: dict[int, str] = {}
    for listed in book.pointers():
        count += 1
        if listed.kind == "attachment":
            attached[int(listed.source_id)] = listed.sha256
        problems += [
            Problem(evidence_uri=listed.evidence_uri, what=what)
            for what in _wrong(listed, artifacts)
        ]
    problems += _untold(book, attached)
    return Verified(events=book.verify_events(head=head), pointers=count, problems=tuple(problems))


def _untold(book: Logbook, attached: Mapping[int, str]) -> Iterator[Problem]:
    """Yield the attachments of which the events tell otherwise."""
    told = dict(_told(book))
    for number, sha256 in attached.items():
        if number not in told:
            what = "no event tells that it was added"
        elif told[number] != sha256:
            what = f"the events tell that it was added with the sha256 {told[number]}"
        else:
            continue
        yield Problem(evidence_uri=build_attachment_evidence_uri(number, sha256), what=what)
    for number in sorted(told.keys() - attached.keys()):
        if book.attachment(number) is None:  # it may have been added meanwhile
            uri = f"memory://attachments/{number}/{told[number]}"
            yield Problem(evidence_uri=uri, what="it was added, and is not there any more")


def _told(book: Logbook) -> Iterator[tuple[int, str]]:
    """Yield what was attached, with its hash, as the events tell it."""
    after = 0
    while page := book.events(after=after, limit=_PAGE):
        for event in page:
            number, sha256 = event.data.get("attachment_id"), event.data.get("sha256")
            if event.kind == ATTACHED and isinstance(number, int) and isinstance(sha256, str):
                yield number, sha256
        after = page[-1].seq


def _wrong(listed: Listed, artifacts: Artifacts) -> Iterator[str]:
    if listed.kind == "patch":
        built = build_evidence_uri(listed.source_type, listed.source_id, listed.sha256)
        if built != listed.evidence_uri:
            yield f"its evidence uri is not that of its source, {built}"
    try:
        data = _bytes(listed.uri, artifacts)
    except (ResolveFailed, StorageFailed, UriRefused) as failed:
        yield f"its bytes cannot be had: {failed.what}"
        return
    if hashlib.sha256(data).hexdigest() != listed.sha256:
        yield "its bytes have another sha256"
    elif len(data) != listed.size_bytes:
        yield f"it has {len(data)} bytes, not {listed.size_bytes}"


def _bytes(uri: str, artifacts: Artifacts) -> bytes:
    if is_key(uri):
        return artifacts.read(uri)
    named = parse(uri)
    if isinstance(named, FileUri):
        return read_file(named.path)
    raise StorageFailed(f"{uri[:80]!r} is no place")
