"""Patches and attachments: where the logbook says that their bytes are, checked by their sha256."""

from __future__ import annotations

from collections.abc import Iterable

from custody.errors import ResolveFailed, UriRefused
from custody.evidence import Artifacts, Content, Pointer, Pointers, failure
from custody.evidence.uri import AttachmentUri, FileUri, PatchBlobUri, parse
from custody.resolvers.files import read_named

_FILE = "file://"


def read_pointed(
    uri: PatchBlobUri | AttachmentUri,
    pointers: Pointers | None,
    artifacts: Artifacts | None,
    roots: Iterable[str],
) -> Content:
    """Return the bytes of that sha256; raises `ResolveFailed`, with ``changed`` for any other."""
    if pointers is None:
        raise ResolveFailed(failure.UNREACHABLE, "there is no logbook", where=uri.text)
    pointer = _pointer(uri, pointers)
    if pointer is None:
        raise ResolveFailed(failure.GONE, "the logbook has no such entry", where=uri.text)
    if pointer.sha256 != uri.sha256:
        what = f"the logbook says that its sha256 is {pointer.sha256}"
        raise ResolveFailed(failure.CHANGED, what, where=uri.text)
    content = _bytes_of(pointer, artifacts, roots, where=uri.text)
    if content.sha256 != uri.sha256:
        what = f"what the logbook points at has the sha256 {content.sha256}"
        raise ResolveFailed(failure.CHANGED, what, where=uri.text)
    return content


def _pointer(uri: PatchBlobUri | AttachmentUri, pointers: Pointers) -> Pointer | None:
    if isinstance(uri, AttachmentUri):
        return pointers.attachment(uri.attachment_id)
    return pointers.patch_blob(uri.source_type, uri.source_id, uri.sha256)


def _bytes_of(
    pointer: Pointer, artifacts: Artifacts | None, roots: Iterable[str], *, where: str
) -> Content:
    if pointer.uri.startswith(_FILE):
        try:
            file = parse(pointer.uri)
        except UriRefused as refused:
            raise ResolveFailed(failure.REFUSED, refused.what, where=pointer.uri) from None
        if isinstance(file, FileUri):
            return read_named(roots, file)
    if artifacts is None:
        raise ResolveFailed(failure.UNREACHABLE, "there is no store of artifacts", where=where)
    return Content.of(artifacts.read(pointer.uri))
