"""Patches and attachments are the bytes of their sha256, wherever the logbook says."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from custody.errors import ResolveFailed
from custody.evidence import Content, Pointer
from custody.evidence.uri import (
    AttachmentUri,
    PatchBlobUri,
    build_attachment_evidence_uri,
    build_evidence_uri,
    build_file_uri,
    parse,
)
from custody.resolvers.pointers import read_pointed

DATA = b"diff --git a/x b/x\n"
SHA = hashlib.sha256(DATA).hexdigest()


class Book:
    """A logbook of one patch and one attachment."""

    def __init__(self, uri: str, sha256: str = SHA) -> None:
        self.pointer = Pointer(uri=uri, sha256=sha256)

    def patch_blob(self, source_type: str, source_id: str, sha256: str) -> Pointer | None:
        asked = (source_type, source_id, sha256)
        return self.pointer if asked == ("git", "1:abc", SHA) else None

    def attachment(self, attachment_id: int) -> Pointer | None:
        return self.pointer if attachment_id == 7 else None


class Shelf:
    """A store of one artifact."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, key: str) -> bytes:
        if key != "patches/1":
            raise ResolveFailed("gone", "no such key", where=key)
        return self.data


def uri_of(text: str) -> PatchBlobUri | AttachmentUri:
    uri = parse(text)
    assert isinstance(uri, PatchBlobUri | AttachmentUri)
    return uri


PATCH = uri_of(build_evidence_uri("git", "1:abc", SHA))
ATTACHMENT = uri_of(build_attachment_evidence_uri(7, SHA))


def read(
    uri: PatchBlobUri | AttachmentUri,
    book: Book | None,
    data: bytes | None = DATA,
    *roots: Path,
) -> Content:
    shelf = None if data is None else Shelf(data)
    return read_pointed(uri, book, shelf, [str(root) for root in roots])


def failed(uri: PatchBlobUri | AttachmentUri, book: Book | None, data: bytes | None = DATA) -> str:
    with pytest.raises(ResolveFailed) as raised:
        read(uri, book, data)
    return raised.value.code


@pytest.mark.req("E-04")
@pytest.mark.parametrize("uri", [PATCH, ATTACHMENT], ids=["patch", "attachment"])
def test_the_bytes_are_had_from_artifacts_or_files(
    uri: PatchBlobUri | AttachmentUri, tmp_path: Path
) -> None:
    assert read(uri, Book("patches/1")) == Content.of(DATA)
    (tmp_path / "a.diff").write_bytes(DATA)
    book = Book(build_file_uri(str(tmp_path / "a.diff")))
    assert read(uri, book, None, tmp_path).data == DATA
    assert failed(uri, book) == "refused"
    (tmp_path / "a.diff").write_bytes(b"other")
    with pytest.raises(ResolveFailed) as raised:
        read(uri, book, None, tmp_path)
    assert raised.value.code == "changed"


@pytest.mark.req("E-04")
@pytest.mark.parametrize("uri", [PATCH, ATTACHMENT], ids=["patch", "attachment"])
def test_other_bytes_are_never_handed_out(uri: PatchBlobUri | AttachmentUri) -> None:
    assert failed(uri, Book("patches/1"), b"other") == "changed"
    assert failed(uri, Book("patches/1", "0" * 64)) == "changed"
    assert failed(uri, Book("patches/none")) == "gone"
    assert failed(uri, Book("patches/1"), None) == "unreachable"
    assert failed(uri, None) == "unreachable"
    assert failed(uri, Book("file://relative")) == "refused"


@pytest.mark.req("E-04")
@pytest.mark.parametrize(
    "text",
    [
        build_evidence_uri("svn", "1:abc", SHA),
        build_evidence_uri("git", "2:abc", SHA),
        build_evidence_uri("git", "1:abc", "0" * 64),
        build_attachment_evidence_uri(8, SHA),
    ],
)
def test_all_of_a_uri_counts(text: str) -> None:
    assert failed(uri_of(text), Book("patches/1")) == "gone"


def test_the_hash_of_an_attachments_uri_counts() -> None:
    other = uri_of(build_attachment_evidence_uri(7, "0" * 64))
    assert failed(other, Book("patches/1")) == "changed"
