"""Documents are files below their root."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import ResolveFailed
from custody.evidence import Content
from custody.evidence.uri import DocUri, build_docs_evidence_uri, parse
from custody.model.own_settings import OwnEvidence
from custody.resolvers.documents import docs_root, document_at, read_document

SHA = "0" * 64


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n")
    return tmp_path


def uri_of(path: str) -> DocUri:
    uri = parse(build_docs_evidence_uri(path, SHA))
    assert isinstance(uri, DocUri)
    return uri


@pytest.mark.req("E-06")
def test_the_root_is_the_repository_unless_another_is_named(root: Path, tmp_path: Path) -> None:
    assert docs_root(OwnEvidence(), str(root / "docs")) == str(root)
    assert docs_root(OwnEvidence(docs_root="/srv/docs"), str(root)) == "/srv/docs"
    (root / ".git").rmdir()
    (root / ".git").write_text("gitdir: elsewhere\n")  # as in a work tree beside the repository
    assert docs_root(OwnEvidence(), str(root / "docs")) == str(tmp_path)


def test_without_a_repository_one_is_in_the_root() -> None:
    assert docs_root(OwnEvidence(), "/dev") == "/dev"


@pytest.mark.req("E-06")
def test_a_document_is_had_by_its_path(root: Path) -> None:
    assert read_document(str(root), uri_of("docs/a.md")) == Content.of(b"# A\n")
    (root / "docs" / "link.md").symlink_to("/etc/passwd")
    for path, code in (("docs/none.md", "gone"), ("docs/link.md", "refused")):
        with pytest.raises(ResolveFailed) as raised:
            read_document(str(root), uri_of(path))
        assert raised.value.code == code


@pytest.mark.req("E-06")
def test_a_files_uri_leads_back_to_it(root: Path, tmp_path: Path) -> None:
    found = document_at(str(root), str(root / "docs" / "a.md"))
    assert found == parse(found.text if found else "")
    assert found is not None
    assert read_document(str(root), found).sha256 == found.sha256
    assert document_at(str(root / "docs"), str(tmp_path / "x")) is None
