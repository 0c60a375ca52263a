"""What a user names becomes a uri that means the same tomorrow."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import CustodyError
from custody.evidence.uri import DocUri, FileUri
from custody.model.own_settings import OwnEvidence
from custody.resolvers.subjects import uri_of


def named(subject: str, folder: Path, **settings: str) -> str:
    return uri_of(subject, OwnEvidence(**settings), {}, folder=str(folder)).text  # type: ignore[arg-type]


@pytest.mark.req("E-06")
def test_a_file_below_the_root_is_a_document_and_another_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "root" / "sub").mkdir(parents=True)
    (tmp_path / "root" / "sub" / "a.md").write_text("a")
    (tmp_path / "b.md").write_text("b")
    root = str(tmp_path / "root")
    inner = uri_of("a.md", OwnEvidence(docs_root=root), {}, folder=f"{root}/sub")
    assert isinstance(inner, DocUri)
    assert inner.path == "sub/a.md"
    outer = uri_of("../../b.md", OwnEvidence(docs_root=root), {}, folder=f"{root}/sub")
    assert isinstance(outer, FileUri)
    assert outer.path == str(tmp_path / "b.md")


def test_uris_are_read(tmp_path: Path) -> None:
    assert named("https://example.org/a", tmp_path) == "https://example.org/a"
    assert named("svn://mine/a/b@12", tmp_path) == "svn://mine/a/b@12"
    with pytest.raises(CustodyError):
        named("git://mine/HEAD/a", tmp_path)
    with pytest.raises(CustodyError):
        named("ftp://example.org/a", tmp_path)
