"""What an evidence uri says of its source: the type, the id, and what it is for a reader."""

from __future__ import annotations

from typing import NamedTuple, assert_never

from custody.evidence import Content
from custody.evidence.excerpt import Quote
from custody.evidence.uri import (
    AttachmentUri,
    DocUri,
    EvidenceUri,
    FileUri,
    GitUri,
    HttpsUri,
    PatchBlobUri,
    SvnUri,
)
from custody.model.reference import Reference

DOCS = "docs"
ROOT = "."
"""How the root itself is called in the source id of a document that lies in no folder."""


class SourceName(NamedTuple):
    """What a source is called."""

    source_type: str
    source_id: str
    kind: str


def source_of(uri: EvidenceUri) -> SourceName:
    """Return what the source of a uri is called."""
    match uri:
        case PatchBlobUri():
            name = SourceName(uri.source_type, uri.source_id, "patch")
        case AttachmentUri():
            name = SourceName("logbook", str(uri.attachment_id), "attachment")
        case DocUri():
            name = SourceName(DOCS, source_id_of_document(uri.path), "document")
        case FileUri():
            name = SourceName("file", uri.path, "file")
        case GitUri():
            name = SourceName("git", f"{uri.repository}:{uri.revision}", "file")
        case SvnUri():
            name = SourceName("svn", f"{uri.repository}:{uri.revision}", "file")
        case HttpsUri():
            name = SourceName("https", uri.text, "page")
        case _:
            assert_never(uri)
    return name


def reference_to(
    uri: EvidenceUri, content: Content, quoted: Quote, git_commit: str = ""
) -> Reference:
    """Return the reference to a piece of what a uri points at."""
    name = source_of(uri)
    return Reference(
        artifact_uri=uri.text,
        sha256=content.sha256,
        source_id=name.source_id,
        source_type=name.source_type,
        kind=name.kind,
        excerpt=quoted.excerpt,
        bytes=quoted.bytes,
        lines=quoted.lines,
        git_commit=git_commit,
    )


def source_id_of_document(path: str) -> str:
    """Return the source id of a document below the root: its first folder, and the rest.

    Where there is no such folder, or a colon in its name, it is the root and the whole path.
    """
    folder, slash, rest = path.partition("/")
    return f"{folder}:{rest}" if slash and ":" not in folder else f"{ROOT}:{path}"


def path_of_document(source_id: str) -> str:
    """Return where the document of a source id lies below the root."""
    folder, colon, rest = source_id.partition(":")
    return rest if folder == ROOT and colon else source_id.replace(":", "/", 1)
