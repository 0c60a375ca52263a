"""A source's hash and its uri fit its content, or are refused."""

from __future__ import annotations

import hashlib

import pytest

from custody.errors import Refused, UriRefused
from custody.seek.chunkers import chunk_diff, generate_attachment_artifact_uri

DIFF = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+é\n"
SHA256 = hashlib.sha256(DIFF.encode()).hexdigest()
BUILT = f"memory://patch_blobs/git/1:abc123/{SHA256}"


@pytest.mark.req("E-08")
def test_the_uri_is_built_when_it_is_left_empty() -> None:
    (chunk,) = chunk_diff(
        content=DIFF, source_type="git", source_id="1:abc123", sha256=SHA256, artifact_uri=""
    )
    assert chunk.artifact_uri == BUILT
    assert chunk.chunk_id == f"custody:git:1:abc123:{SHA256[:12]}:diff-1:0"
    assert (chunk.sha256, chunk.source_type, chunk.source_id) == (SHA256, "git", "1:abc123")
    assert (chunk.kind, chunk.title, chunk.text) == ("patch", "x", DIFF)


@pytest.mark.req("E-08")
def test_a_given_evidence_uri_wins() -> None:
    given = generate_attachment_artifact_uri(attachment_id=12345, sha256=SHA256)
    assert given == f"memory://attachments/12345/{SHA256}"
    for artifact_uri in ("", BUILT):
        (chunk,) = chunk_diff(
            content=DIFF,
            source_type="git",
            source_id="1:abc123",
            sha256=SHA256,
            artifact_uri=artifact_uri,
            evidence_uri=given,
        )
        assert chunk.artifact_uri == given


@pytest.mark.req("E-08")
@pytest.mark.parametrize("sha256", ["0" * 64, SHA256.upper(), SHA256[:12], "e3b0c44298fc..."])
def test_a_hash_that_is_not_the_contents_is_refused(sha256: str) -> None:
    with pytest.raises(Refused) as refused:
        chunk_diff(content=DIFF, source_type="git", source_id="1:abc123", sha256=sha256)
    assert refused.value.code == "sha256"
    assert SHA256 in refused.value.what


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        (f"memory://attachments/1/{'0' * 64}", "E_INVALID_SHA256"),
        ("https://example.org/x", "E_NOT_MEMORY"),
        ("http://example.org/x", "E_SCHEME"),
        (f"memory://attachments/-1/{SHA256}", "E_INVALID_ID"),
    ],
)
def test_a_uri_that_cannot_be_the_contents_is_refused(uri: str, code: str) -> None:
    for given in ({"artifact_uri": uri}, {"evidence_uri": uri}):
        with pytest.raises(UriRefused) as refused:
            chunk_diff(content=DIFF, source_type="git", source_id="1:abc123", **given)
        assert refused.value.code == code


def test_a_source_id_is_escaped_once() -> None:
    (chunk,) = chunk_diff(content=DIFF, source_type="git", source_id="1:a/b")
    assert chunk.artifact_uri == f"memory://patch_blobs/git/1:a%2Fb/{SHA256}"
    with pytest.raises(UriRefused):
        chunk_diff(content=DIFF, source_type="Git", source_id="1:a/b")
