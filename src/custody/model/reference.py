"""One piece of evidence as a packet, a chunk and a logbook entry hold it: where, what, a quote."""

from __future__ import annotations

from typing import Annotated

import msgspec

from custody.model.record import Record

EXCERPT_LINES = 25
EXCERPT_CHARACTERS = 2000

Sha256Hex = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Reference(Record, frozen=True, omit_defaults=True):
    """A pointer that a stranger can resolve, hash again, and find the quote in.

    Its JSON is an entry of ``evidence_refs_json`` as it is. Both ranges are of the whole content.
    """

    artifact_uri: str
    """An evidence uri."""
    sha256: Sha256Hex
    """Of the whole content that the uri points at."""
    source_id: str
    """``<repo_id>:<rev/sha>``, ``<docs_root>:<rel_path>`` or an id of the source's own."""
    source_type: str
    """``git``, ``svn``, ``logbook``, ``docs`` …"""
    kind: str
    """What it is for its reader: ``patch``, ``attachment``, ``document``, ``log`` …"""
    excerpt: Annotated[str, msgspec.Meta(max_length=EXCERPT_CHARACTERS)]
    """Verbatim, at most `EXCERPT_LINES` lines and `EXCERPT_CHARACTERS` characters."""
    bytes: tuple[int, int] | None = None
    """Where the excerpt begins, and the byte after its end."""
    lines: tuple[int, int] | None = None
    """The first and the last line that the excerpt touches, counted from one."""
    git_commit: str = ""
    """The commit that last changed a document, where git knows one."""
