"""The bytes of a source become pieces, or a reason why there are none."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from custody.errors import ResolveFailed
from custody.evidence import Content, failure
from custody.evidence.uri import EvidenceUri, build_attachment_evidence_uri, build_evidence_uri
from custody.logbook.records import Cursor, Listed
from custody.seek.gather import LONGEST, Unresolved, cut_document, cut_pointer
from custody.seek.records import Cut

pytestmark = pytest.mark.req("E-08")
PATCH = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"


class Shelf:
    """A resolver of a few contents."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self.contents = contents

    def resolve(self, uri: EvidenceUri) -> Content:
        """Return the content; raises `ResolveFailed` for any other."""
        if uri.text not in self.contents:
            raise ResolveFailed(failure.GONE, "it is gone", where=uri.text)
        return Content.of(self.contents[uri.text])


def listed(data: bytes, *, name: str = "") -> Listed:
    """Return a patch; with a name an attachment of that name."""
    sha256 = Content.of(data).sha256
    uri = build_attachment_evidence_uri(7, sha256) if name else ""
    return Listed(
        cursor=Cursor(),
        source_type="logbook" if name else "git",
        source_id="7" if name else "1:abc",
        kind="attachment" if name else "patch",
        evidence_uri=uri or build_evidence_uri("git", "1:abc", sha256),
        uri="",
        sha256=sha256,
        size_bytes=len(data),
        chunking_version="",
        meta={"name": name} if name else {},
    )


def cut(data: bytes, *, name: str = "") -> Cut | Unresolved:
    one = listed(data, name=name)
    return cut_pointer(one, Shelf({one.evidence_uri: data}))


def test_a_patch_is_cut_by_hunks() -> None:
    found = cut(PATCH)
    assert isinstance(found, Cut)
    assert (found.kind, found.source_type, found.source_id, found.root) == (
        "patch",
        "git",
        "1:abc",
        "",
    )
    assert [chunk.title for chunk in found.chunks] == ["x"]
    assert {chunk.artifact_uri for chunk in found.chunks} == {found.artifact_uri}


@pytest.mark.parametrize(
    ("name", "data", "version"),
    [
        ("report.md", b"# One\n\na\n\n# Two\n\nb\n", "document-1"),
        ("build.log", b"ok\nError: no\n", "log-1"),
        ("fix.patch", PATCH, "diff-1"),
        ("main.py", b"def f(): ...\n", "code-1"),
        ("noname", b"text\n", "document-1"),
    ],
)
def test_an_attachment_is_cut_as_it_is_called(name: str, data: bytes, version: str) -> None:
    found = cut(data, name=name)
    assert isinstance(found, Cut)
    assert (found.kind, found.source_type, found.source_id) == ("attachment", "logbook", "7")
    assert found.chunks[0].chunking_version.startswith(version)


def test_what_is_not_indexed_is_told() -> None:
    missing = cut_pointer(listed(PATCH), Shelf({}))
    assert isinstance(missing, Unresolved)
    assert (missing.code, missing.reason) == ("gone", "it is gone")
    binary = cut(b"\x7fELF\0\0", name="a.out")
    assert isinstance(binary, Unresolved)
    assert (binary.code, binary.reason) == ("no_text", "it is no text")
    large = cut(b"x\n" * (LONGEST // 2 + 1), name="large.txt")
    assert isinstance(large, Unresolved)
    assert large.code == "too_large"


def test_bytes_of_another_hash_are_not_indexed() -> None:
    one = listed(PATCH)
    found = cut_pointer(one, Shelf({one.evidence_uri: PATCH + b" "}))
    assert isinstance(found, Unresolved)
    assert found.code == "changed"


@pytest.mark.req("E-06")
def test_a_document_has_its_root_and_its_commit() -> None:
    found = cut_document("/r", "docs/a.md", Content.of(b"# A\n\ntext\n"), "f" * 40)
    assert isinstance(found, Cut)
    assert (found.root, found.source_id, found.source_type) == ("/r", "docs:a.md", "docs")
    assert (found.kind, found.git_commit) == ("document", "f" * 40)
    assert found.artifact_uri.startswith("memory://docs/docs/a.md/")
    code = cut_document("/r", "a.py", Content.of(b"x = 1\n"), "")
    assert isinstance(code, Cut)
    assert code.kind == "code"
    empty = cut_document("/r", "a.md", Content.of(b""), "")
    assert isinstance(empty, Cut)
    assert (empty.kind, empty.chunks) == ("document", ())
    assert isinstance(cut_document("/r", "a.md", Content.of(b"\0"), ""), Unresolved)
