"""``custody evidence parse``."""

from __future__ import annotations

import pytest

from support.shell import Shell

SHA = "0123456789abcdef" * 4


@pytest.mark.req("E-03")
def test_a_uri_is_taken_apart(custody: Shell) -> None:
    uri = f"memory://patch_blobs/git/1%3Aabc/{SHA}"
    done = custody("evidence", "parse", uri)
    assert done.code == 0
    assert done.out.splitlines() == [
        "scheme         memory",
        "source_type    git",
        "source_id      1:abc",
        "kind           patch",
        f"sha256         {SHA}",
    ]
    told = custody("evidence", "parse", uri, "--json").data
    assert told["parts"] == {"source_type": "git", "source_id": "1:abc", "sha256": SHA}
    assert (told["uri"], told["scheme"], told["kind"]) == (uri, "memory", "patch")


@pytest.mark.req("E-02")
@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("http://example.org/", "E_SCHEME"),
        ("data://text", "E_SCHEME"),
        ("ftp://a/b", "E_SCHEME"),
        ("memory://attachments/-5/x", "E_INVALID_ID"),
        ("a", "E_MALFORMED"),
    ],
)
def test_what_is_no_uri_is_refused(custody: Shell, uri: str, code: str) -> None:
    done = custody("evidence", "parse", uri, "--json")
    assert (done.code, done.data["code"], done.data["error_type"]) == (1, code, "URI_REFUSED")
    assert "error: " in custody("evidence", "parse", uri).err
