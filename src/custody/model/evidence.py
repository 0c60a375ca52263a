"""Pointers to bytes that prove something."""

from __future__ import annotations

import hashlib

from custody.model import layout
from custody.model.record import Record

INLINE_LIMIT = 2048
"""Texts up to this many bytes travel inside the journal; longer ones only by their hash."""


def short_text(data: bytes) -> str | None:
    """Return what the journal can hold of a file; None when it is long or not text."""
    if len(data) > INLINE_LIMIT:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


class Evidence(Record, frozen=True, omit_defaults=True):
    """A file of the run directory, and what its bytes must be."""

    path: str
    """Relative to the run directory, with ``/``."""
    sha256: str
    bytes: int
    text: str | None = None
    """The whole content. In the journal only when short: then the file can be made again."""

    @classmethod
    def of_text(cls, path: str, text: str) -> Evidence:
        """Return the evidence that a file with this text will be."""
        data = text.encode()
        return cls(path=path, sha256=hashlib.sha256(data).hexdigest(), bytes=len(data), text=text)

    @property
    def is_document(self) -> bool:
        """Whether it is a document of the run, which a later stage may write again."""
        return layout.is_document(self.path)

    def sealed(self) -> Evidence:
        """Return this pointer as the journal keeps it: without a long text."""
        if self.text is None or self.bytes <= INLINE_LIMIT:
            return self
        return Evidence(path=self.path, sha256=self.sha256, bytes=self.bytes)
