"""Bytes by their hash, in a folder or in a store that speaks S3.

An artifact's key is made of its hash, ``ab/ab12…``, and nothing else is taken for one: no key leads
out of a store, whoever wrote it down. What is read is hashed again.
"""

from __future__ import annotations

import hashlib
from typing import Protocol

from custody.errors import ResolveFailed, UsageError
from custody.evidence.failure import CHANGED, REFUSED
from custody.model import layout
from custody.patterns import later

_KEY = later(r"([0-9a-f]{2})/(\1[0-9a-f]{62})")
_SCHEME = later(r"([A-Za-z][A-Za-z0-9+.-]*)://")


class ArtifactStore(Protocol):
    """A store that is open: `custody.evidence.Artifacts`, and what it takes to put something in."""

    where: str
    """What it is called in messages."""

    def put(self, data: bytes) -> str:
        """Take bytes and return their key; they are there to stay once `settle` returns."""

    def holds(self, key: str) -> bool:
        """Whether the bytes of a key are here and whole; they are to stay once `settle` returns."""

    def settle(self) -> None:
        """Return when everything that was put or held will outlive a power failure."""

    def read(self, key: str) -> bytes:
        """Return the bytes of a key; raises `ResolveFailed`."""

    def close(self) -> None:
        """Give everything back."""


def open_artifacts(url: str) -> ArtifactStore:
    """Open the store at a path or an ``s3://`` url; a folder that is missing is made."""
    found = _SCHEME.match(url)
    if found is None and url and url.isprintable():
        from custody.logbook.folder import FolderArtifacts

        return FolderArtifacts(url)
    if found is not None and found[1] == "s3":
        from custody.logbook.s3 import S3Artifacts

        return S3Artifacts(url)
    raise UsageError(f"{url!r} cannot hold artifacts", hint="a path, or s3://BUCKET/PREFIX")


def is_key(text: str) -> bool:
    """Whether a text is the key of an artifact."""
    return _KEY.fullmatch(text) is not None


def key_of(data: bytes) -> str:
    """Return the key of some bytes."""
    return layout.blob_name(hashlib.sha256(data).hexdigest())


def sha256_of(key: str) -> str:
    """Return the hash that a key was made of; raises `ResolveFailed` for what is no key."""
    found = _KEY.fullmatch(key)
    if found is None:
        raise ResolveFailed(REFUSED, f"{key[:80]!r} is no key of an artifact")
    return found[2]


def intact(data: bytes, key: str, where: str) -> bytes:
    """Return bytes that are what their key says; raises `ResolveFailed` for others."""
    if hashlib.sha256(data).hexdigest() != sha256_of(key):
        raise ResolveFailed(CHANGED, "its bytes are no longer what its key says", where=where)
    return data
