"""A source is called alike wherever it is pointed at."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from custody.evidence import Content
from custody.evidence.check import compare
from custody.evidence.excerpt import quote
from custody.evidence.source import (
    path_of_document,
    reference_to,
    source_id_of_document,
    source_of,
)
from custody.evidence.uri import build_docs_evidence_uri, parse

SHA = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        (f"memory://patch_blobs/git/1%3Aabc%2F1/{SHA}", ("git", "1:abc/1", "patch")),
        (f"memory://attachments/12/{SHA}", ("logbook", "12", "attachment")),
        (f"memory://docs/contracts/a%20b.md/{SHA}", ("docs", "contracts:a b.md", "document")),
        ("file:///srv/a.txt", ("file", "/srv/a.txt", "file")),
        ("git://main/v1.0/a.py", ("git", "main:v1.0", "file")),
        ("svn://old/trunk/a.c@12", ("svn", "old:12", "file")),
        ("https://example.org/a", ("https", "https://example.org/a", "page")),
    ],
)
def test_each_source_has_a_name(uri: str, name: tuple[str, str, str]) -> None:
    assert source_of(parse(uri)) == name


@pytest.mark.req("E-06")
@pytest.mark.parametrize(
    ("path", "source_id"),
    [
        ("contracts/evidence_packet.md", "contracts:evidence_packet.md"),
        ("docs/a b/c.md", "docs:a b/c.md"),
        ("README.md", ".:README.md"),
        ("a:b.md", ".:a:b.md"),
        ("a:b/c.md", ".:a:b/c.md"),
    ],
)
def test_a_document_is_called_by_its_folder_and_path(path: str, source_id: str) -> None:
    assert source_id_of_document(path) == source_id
    assert path_of_document(source_id) == path


@given(st.lists(st.text("ab:. ", min_size=1), min_size=1, max_size=3).map("/".join))
def test_a_source_id_leads_back(path: str) -> None:
    assume(not path.startswith("./"))
    assert path_of_document(source_id_of_document(path)) == path


def test_a_reference_fits_what_it_was_made_of() -> None:
    content = Content.of(b"one\ntwo\n")
    uri = parse(build_docs_evidence_uri("a.md", content.sha256))
    reference = reference_to(uri, content, quote(content.data, 4), "c" * 40)
    assert compare(reference, content).state == "exact"
    assert (reference.source_id, reference.git_commit) == (".:a.md", "c" * 40)
