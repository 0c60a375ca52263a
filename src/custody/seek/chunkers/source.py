"""What is cut into pieces, and what every piece of it has in common."""

from __future__ import annotations

from custody.errors import Refused, UriRefused
from custody.evidence import Content
from custody.evidence.uri import (
    INVALID_SHA256,
    NOT_MEMORY,
    AttachmentUri,
    DocUri,
    PatchBlobUri,
    build_attachment_evidence_uri,
    parse,
)
from custody.model.record import Record

NAMESPACE = "custody"


class Source(Record, frozen=True):
    """A content with its name, its hash and its uri, all of which fit together."""

    data: bytes
    sha256: str
    artifact_uri: str
    source_type: str
    source_id: str
    kind: str
    namespace: str = NAMESPACE
    git_commit: str = ""

    def id_of(self, version: str, idx: int) -> str:
        """Return the id of a piece."""
        name = f"{self.namespace}:{self.source_type}:{self.source_id}"
        return f"{name}:{self.sha256[:12]}:{version}:{idx}"


def checked_content(content: bytes | str, sha256: str, *, where: str) -> Content:
    """Return a content with its hash; raises `Refused` when that is not the given one."""
    found = Content.of(content.encode() if isinstance(content, str) else content)
    if sha256 not in {"", found.sha256}:
        what = f"{sha256[:80]!r} is not the sha256 of the content, which is {found.sha256}"
        raise Refused("sha256", what, where=where)
    return found


def canonical(text: str, sha256: str) -> str:
    """Return a uri that was given for a content; raises `UriRefused` where it cannot be its own."""
    uri = parse(text)
    if not isinstance(uri, PatchBlobUri | AttachmentUri | DocUri):
        hint = "memory://patch_blobs/…, memory://attachments/… or memory://docs/…"
        raise UriRefused(NOT_MEMORY, "no piece points there", where=text, hint=hint)
    if uri.sha256 != sha256:
        raise UriRefused(INVALID_SHA256, f"the content's sha256 is {sha256}", where=text)
    return text


def generate_attachment_artifact_uri(*, attachment_id: int, sha256: str) -> str:
    """Return the uri of an attachment's pieces; raises `UriRefused`."""
    return build_attachment_evidence_uri(attachment_id, sha256)
