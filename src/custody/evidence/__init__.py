"""Evidence: uris, what they point at, packets of claims, and signatures over them.

A uri is read by `custody.evidence.uri`. What it points at is had from a `Resolver`, one for each
scheme; those of ``memory://`` ask a `Pointers` where the bytes are and an `Artifacts` for them.
"""

from __future__ import annotations

import hashlib
from typing import Protocol

from custody.evidence.uri import EvidenceUri
from custody.model.record import Record


class Content(Record, frozen=True):
    """What a uri points at right now."""

    data: bytes
    sha256: str

    @classmethod
    def of(cls, data: bytes) -> Content:
        """Return some bytes with their hash."""
        return cls(data=data, sha256=hashlib.sha256(data).hexdigest())


class Pointer(Record, frozen=True):
    """What the logbook knows of a patch or an attachment: never its bytes."""

    uri: str
    """An artifact key, or a ``file://`` uri."""
    sha256: str


class Resolver(Protocol):
    """Has what a uri of its scheme points at."""

    def resolve(self, uri: EvidenceUri) -> Content:
        """Return the content; raises `ResolveFailed` with one of `custody.evidence.failure`."""


class Pointers(Protocol):
    """Knows where the bytes of patches and attachments are; a logbook does."""

    def patch_blob(self, source_type: str, source_id: str, sha256: str) -> Pointer | None:
        """Return the pointer that has all three; None when there is none."""

    def attachment(self, attachment_id: int) -> Pointer | None:
        """Return the pointer of an attachment, whatever its hash; None when there is none."""


class Artifacts(Protocol):
    """Keeps bytes by key."""

    def read(self, key: str) -> bytes:
        """Return what a key stands for; raises `ResolveFailed` with ``gone`` or ``unreachable``."""
