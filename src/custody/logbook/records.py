"""What the logbook holds, as records; none has room for the evidence itself."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from custody.model.record import Record
from custody.model.reference import Sha256Hex

PatchFormat = Literal["diff", "diffstat", "ministat"]
Size = Annotated[int, msgspec.Meta(ge=0)]
Meta = dict[str, str | int | bool]
"""A few facts about something: flat, and short (`custody.logbook.text`)."""


class Item(Record, frozen=True):
    """Something that attachments and events belong to: a run, a review, a set of files."""

    item_id: int
    kind: str
    name: str
    """What the one who adds it calls it; no two of a kind have the same."""
    title: str
    added_at: str
    meta: Meta


class NewPatch(Record, frozen=True):
    """A patch as it is put in."""

    source_type: str
    source_id: str
    uri: str
    """An artifact key, or a ``file://`` uri."""
    sha256: Sha256Hex
    size_bytes: Size
    format: PatchFormat = "diff"
    chunking_version: str = ""
    meta: Meta = {}


class PatchBlob(Record, frozen=True):
    """A patch that the logbook points at."""

    blob_id: int
    source_type: str
    source_id: str
    uri: str
    evidence_uri: str
    sha256: Sha256Hex
    size_bytes: Size
    format: PatchFormat
    chunking_version: str
    """By which release of the chunkers it was cut; empty when it was not."""
    meta: Meta


class NewAttachment(Record, frozen=True):
    """An attachment as it is put in."""

    item_id: int
    kind: str
    uri: str
    """An artifact key, or a ``file://`` uri."""
    sha256: Sha256Hex
    size_bytes: Size
    meta: Meta = {}


class Attachment(Record, frozen=True):
    """An attachment that the logbook points at."""

    attachment_id: int
    item_id: int
    kind: str
    uri: str
    sha256: Sha256Hex
    size_bytes: Size
    meta: Meta

    @property
    def evidence_uri(self) -> str:
        """By which evidence names it."""
        from custody.evidence.uri import build_attachment_evidence_uri

        return build_attachment_evidence_uri(self.attachment_id, self.sha256)


class Event(Record, frozen=True):
    """Something that happened, chained to what happened before."""

    seq: int
    ts: str
    kind: str
    item_id: int | None
    data: dict[str, Any]
    prev: str
    sha256: str


class Repo(Record, frozen=True):
    """A repository whose history the logbook follows."""

    repo_id: int
    repo_type: Literal["git", "svn"]
    name: str
    location: str
    """Where it was last seen: without a password."""


class Cursor(Record, frozen=True):
    """How far somebody has read the pointers: the highest of each kind."""

    blob_id: int = 0
    attachment_id: int = 0


class Listed(Record, frozen=True):
    """One pointer of all of them."""

    cursor: Cursor
    """How far one has read with this pointer."""
    source_type: str
    source_id: str
    """Of an attachment, its id."""
    kind: str
    """``patch`` or ``attachment``."""
    evidence_uri: str
    uri: str
    sha256: str
    size_bytes: int
    chunking_version: str
    meta: Meta
