"""Evidence uris are read and built exactly, both ways; whatever else is refused by its code."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from custody.errors import PathRefused, UriRefused
from custody.evidence import uri
from custody.evidence.escape import climbs
from custody.model.relpath import RelPath

SHA = "0123456789abcdef" * 4
COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1)
HASHES = st.text("0123456789abcdef", min_size=64, max_size=64)


@pytest.mark.req("E-03")
@given(source_type=st.sampled_from(["git", "svn", "logbook"]), source_id=NAMES, sha256=HASHES)
def test_a_patch_goes_both_ways(source_type: str, source_id: str, sha256: str) -> None:
    text = uri.build_evidence_uri(source_type, source_id, sha256)
    assert uri.parse(text) == uri.PatchBlobUri(
        text=text, source_type=source_type, source_id=source_id, sha256=sha256
    )


@pytest.mark.req("E-03")
@given(number=st.integers(1, 2**63 - 1), sha256=HASHES)
def test_an_attachment_goes_both_ways(number: int, sha256: str) -> None:
    text = uri.build_attachment_evidence_uri(number, sha256)
    read = uri.AttachmentUri(text=text, attachment_id=number, sha256=sha256)
    assert uri.parse(text) == uri.parse_attachment_evidence_uri(text) == read


@pytest.mark.req("E-03")
@given(path=st.lists(NAMES, min_size=1, max_size=4).map("/".join), sha256=HASHES)
@example(path="contracts/evidence packet.md", sha256=SHA)
@example(path="docs/100%/#1?.md", sha256=SHA)
def test_a_document_goes_both_ways(path: str, sha256: str) -> None:
    assume(is_relative(path) and not climbs(path))
    text = uri.build_docs_evidence_uri(path, sha256)
    assert uri.parse(text) == uri.DocUri(text=text, path=path, sha256=sha256)


def is_relative(path: str) -> bool:
    try:
        RelPath.parse(path)
    except PathRefused:
        return False
    return True


@pytest.mark.req("E-07")
@given(path=st.lists(NAMES, min_size=1, max_size=4).map("/".join), number=st.integers(0, 99))
@example(path="drivers/aux.c", number=1)
@example(path="cafe\u0301/~a:b ", number=0)
def test_a_path_of_a_history_goes_both_ways(path: str, number: int) -> None:
    assume(not {"", "."} & set(path.split("/")) and not climbs(path))
    in_git = uri.parse(uri.build_git_uri("main", COMMIT, path))
    in_svn = uri.parse(uri.build_svn_uri("main", path, number))
    assert isinstance(in_git, uri.GitUri)
    assert isinstance(in_svn, uri.SvnUri)
    assert in_git.path == in_svn.path == path


@pytest.mark.req("E-03")
def test_the_examples_of_the_document() -> None:
    built = uri.build_evidence_uri("git", "1:abc123", SHA)
    assert built == f"memory://patch_blobs/git/1:abc123/{SHA}"
    assert uri.build_attachment_evidence_uri(12345, SHA) == f"memory://attachments/12345/{SHA}"
    built = uri.build_docs_evidence_uri("contracts/evidence_packet.md", SHA)
    assert built == f"memory://docs/contracts/evidence_packet.md/{SHA}"


@pytest.mark.req("E-02", "E-03")
@given(st.text() | st.from_regex(r"(memory|file|git|svn|https)://[ -~]*", fullmatch=True))
def test_any_text_is_read_exactly_or_refused(text: str) -> None:
    with suppress(UriRefused):
        assert uri.parse(text).text == text


@pytest.mark.req("E-02")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("file:///srv/a%20b.txt", uri.FileUri),
        (f"git://main/{COMMIT}/src/a.py", uri.GitUri),
        ("git://main/v1.0/a.py", uri.GitUri),
        ("svn://host:3690/repo/trunk/a.c@12", uri.SvnUri),
        ("https://example.org/a?b=c", uri.HttpsUri),
        ("https://[2001:db8::1]:8443/", uri.HttpsUri),
        ("HTTPS://example.org", uri.HttpsUri),
        ("MEMORY://attachments/1/" + SHA, uri.AttachmentUri),
    ],
)
def test_each_scheme_is_read(text: str, kind: type) -> None:
    assert isinstance(uri.parse(text), kind)


@pytest.mark.req("E-02")
def test_what_the_builders_of_other_schemes_make_is_read() -> None:
    assert uri.parse(uri.build_file_uri("/srv/a b.txt")) == uri.FileUri(
        text="file:///srv/a%20b.txt", path="/srv/a b.txt"
    )
    assert uri.parse(uri.build_git_uri("main", COMMIT, "a/ü.py")) == uri.GitUri(
        text=f"git://main/{COMMIT}/a/%C3%BC.py",
        repository="main",
        revision=COMMIT,
        path="a/ü.py",
    )
    assert uri.parse(uri.build_svn_uri("main", "trunk/a@2.c", 12)) == uri.SvnUri(
        text="svn://main/trunk/a@2.c@12", repository="main", path="trunk/a@2.c", revision=12
    )


@pytest.mark.req("E-02")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("http://example.org/x", "E_SCHEME"),
        ("data:,hello", "E_SCHEME"),
        ("ftp://example.org/x", "E_SCHEME"),
        ("javascript:alert(1)", "E_SCHEME"),
        ("svn+ssh://host/x@1", "E_SCHEME"),
        ("scm/1/a.diff", "E_MALFORMED"),
        ("", "E_MALFORMED"),
        ("memory:attachments/1", "E_MALFORMED"),
        (f"memory://other/1/{SHA}", "E_MALFORMED"),
        (f"memory://patch_blobs/GIT/1:a/{SHA}", "E_MALFORMED"),
        (f"memory://patch_blobs/git//{SHA}", "E_MALFORMED"),
        (f"memory://patch_blobs/git/1:a/{SHA}?x", "E_INVALID_SHA256"),
        (f"memory://patch_blobs/git/1:a/{SHA.upper()}", "E_INVALID_SHA256"),
        (f"memory://patch_blobs/git/1:a/{SHA}\n", "E_INVALID_SHA256"),
        (f"memory://attachments/ns/5/{SHA}", "E_LEGACY_FORMAT"),
        ("memory://attachments/5", "E_MALFORMED"),
        (f"memory://attachments/0/{SHA}", "E_INVALID_ID"),
        (f"memory://attachments/007/{SHA}", "E_INVALID_ID"),
        (f"memory://attachments/+7/{SHA}", "E_INVALID_ID"),
        (f"memory://attachments/٣/{SHA}", "E_INVALID_ID"),
        (f"memory://attachments/{2**63}/{SHA}", "E_INVALID_ID"),
        (f"memory://attachments/{'9' * 5000}/{SHA}", "E_INVALID_ID"),
        (f"memory://docs/a/..%2f..%2fsecret/{SHA}", "E_TRAVERSAL"),
        (f"memory://docs/%252e%252e/secret/{SHA}", "E_TRAVERSAL"),
        (f"memory://docs/a%2fb/{SHA}", "E_MALFORMED"),
        (f"memory://docs/a%00b/{SHA}", "E_MALFORMED"),
        (f"memory://docs/{SHA}", "E_MALFORMED"),
        (f"memory://docs/.git/config/{SHA}", "E_MALFORMED"),
        ("memory://docs/a/b.md", "E_INVALID_SHA256"),
        ("file://host/a", "E_MALFORMED"),
        ("file://a", "E_MALFORMED"),
        ("file:///a/../b", "E_OUTSIDE"),
        ("file:///a/%2e%2e/b", "E_OUTSIDE"),
        ("file:///a//b", "E_MALFORMED"),
        ("git://main/HEAD", "E_MALFORMED"),
        ("git://main/HEAD/../x", "E_TRAVERSAL"),
        ("git://main/a..b/x", "E_MALFORMED"),
        ("git://main/HEAD@%7B1%7D/x", "E_MALFORMED"),
        ("git://main/HEAD:x/y", "E_MALFORMED"),
        ("git://-x/HEAD/y", "E_MALFORMED"),
        ("git://user@host/HEAD/y", "E_MALFORMED"),
        ("svn://host/a", "E_MALFORMED"),
        ("svn://host/a@HEAD", "E_MALFORMED"),
        ("svn://host/a@-1", "E_MALFORMED"),
        ("svn://host/../a@1", "E_TRAVERSAL"),
        ("svn://user:pw@host/a@1", "E_MALFORMED"),
        ("https://user:pw@example.org/", "E_MALFORMED"),
        ("https:///x", "E_MALFORMED"),
        ("https://example.org:99999/", "E_MALFORMED"),
        ("https://exa mple.org/", "E_MALFORMED"),
        ("https://example.org/a#b", "E_MALFORMED"),
        ("https://example.org\\@evil.org/", "E_MALFORMED"),
        ("https://example.org/" + "a" * 9000, "E_MALFORMED"),
    ],
)
def test_what_is_none_is_refused_by_its_code(text: str, code: str) -> None:
    with pytest.raises(UriRefused) as refused:
        uri.parse(text)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("https://example.org/", "E_NOT_MEMORY"),
        (f"memory://docs/a.md/{SHA}", "E_NOT_ATTACHMENTS"),
        (f"memory://patch_blobs/git/1:a/{SHA}", "E_NOT_ATTACHMENTS"),
    ],
)
def test_who_asks_for_an_attachment_learns_what_it_is_not(text: str, code: str) -> None:
    with pytest.raises(UriRefused) as refused:
        uri.parse_attachment_evidence_uri(text)
    assert refused.value.code == code
