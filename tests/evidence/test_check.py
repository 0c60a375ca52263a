"""A reference is told from one that says something else, by what is wrong."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from custody.errors import ResolveFailed, UriRefused
from custody.evidence import Content
from custody.evidence.check import Checked, check, exact_content
from custody.evidence.excerpt import quote
from custody.evidence.uri import EvidenceUri, build_docs_evidence_uri, build_evidence_uri
from custody.model.reference import Reference

TEXT = b"one\ntwo\nthree\ntwo\n"


class Shelf:
    """Has one content for every uri, or a reason for none."""

    def __init__(self, held: bytes | ResolveFailed) -> None:
        self.held = held

    def resolve(self, uri: EvidenceUri) -> Content:
        assert uri.text
        if isinstance(self.held, ResolveFailed):
            raise self.held
        return Content.of(self.held)


def reference_to(data: bytes, begin: int = 0, end: int | None = None) -> Reference:
    sha256 = hashlib.sha256(data).hexdigest()
    taken = quote(data, begin, end)
    return Reference(
        artifact_uri=build_docs_evidence_uri("a.txt", sha256),
        sha256=sha256,
        source_id="docs:a.txt",
        source_type="docs",
        kind="document",
        excerpt=taken.excerpt,
        bytes=taken.bytes,
        lines=taken.lines,
    )


TWO = reference_to(TEXT, 4, 8)


def checked(reference: Reference, held: bytes | ResolveFailed = TEXT) -> Checked:
    found = check(reference, Shelf(held))
    assert (found.status == "valid") == (found.state == "exact")
    assert found.reason
    return found


@pytest.mark.req("E-04")
@given(st.binary(max_size=200), st.integers(0, 200))
def test_what_was_quoted_is_exact(data: bytes, begin: int) -> None:
    reference = reference_to(data, min(begin, len(data)))
    if reference.excerpt:
        found = checked(reference, data)
        assert (found.state, found.bytes, found.lines) == (
            "exact",
            reference.bytes,
            reference.lines,
        )


@pytest.mark.req("E-04")
@pytest.mark.parametrize(
    ("change", "state", "place"),
    [
        ({}, "exact", (4, 8)),
        ({"bytes": None, "lines": None}, "exact", (4, 8)),
        ({"bytes": None}, "exact", (4, 8)),
        ({"bytes": None, "lines": (4, 4)}, "exact", (14, 18)),
        ({"bytes": (14, 18), "lines": (4, 4)}, "exact", (14, 18)),
        ({"bytes": (14, 18)}, "moved", (4, 8)),
        ({"bytes": (0, 4)}, "moved", (4, 8)),
        ({"bytes": None, "lines": (3, 3)}, "moved", (4, 8)),
        ({"bytes": None, "lines": (99, 99)}, "moved", (4, 8)),
        ({"bytes": None, "lines": (0, -1)}, "moved", (4, 8)),
        ({"bytes": (4, 99)}, "moved", (4, 8)),
        ({"excerpt": "Two\n"}, "misquoted", None),
        ({"excerpt": "two \n"}, "misquoted", None),
        ({"excerpt": ""}, "misquoted", None),
        ({"excerpt": "\n" * 26}, "misquoted", None),
        ({"excerpt": "x" * 2001}, "misquoted", None),
        ({"sha256": "0" * 64}, "misquoted", None),
        ({"artifact_uri": "http://example.org/x"}, "refused", None),
        ({"artifact_uri": "../a.txt"}, "refused", None),
    ],
)
def test_each_state_is_told(
    change: dict[str, object], state: str, place: tuple[int, int] | None
) -> None:
    found = checked(replace(TWO, **change))
    assert (found.state, found.bytes) == (state, place)


@pytest.mark.req("E-04")
def test_a_patch_is_that_of_the_source_that_the_uri_names() -> None:
    uri = build_evidence_uri("git", "1:abc", TWO.sha256)
    patch = replace(TWO, artifact_uri=uri, source_type="git", source_id="1:abc", kind="patch")
    assert checked(patch).state == "exact"
    for other in ({"source_id": "1:def"}, {"source_type": "svn"}):
        found = checked(replace(patch, **other))
        assert (found.state, "another source" in found.reason) == ("misquoted", True)


@pytest.mark.req("E-04")
@pytest.mark.parametrize(
    ("now", "state", "place"),
    [
        (b"zero\n" + TEXT, "moved", (9, 13)),
        (TEXT + b"more\n", "moved", (4, 8)),
        (b"one\nTwo\n", "changed", None),
        (b"", "changed", None),
    ],
)
def test_another_content_is_never_valid(
    now: bytes, state: str, place: tuple[int, int] | None
) -> None:
    found = checked(TWO, now)
    assert (found.state, found.bytes) == (state, place)
    assert found.sha256 == hashlib.sha256(now).hexdigest()
    assert found.sha256 in found.reason


@pytest.mark.req("E-04")
@pytest.mark.parametrize(
    ("code", "state"),
    [
        ("gone", "gone"),
        ("unreachable", "unreachable"),
        ("refused", "refused"),
        ("too_large", "unreachable"),
    ],
)
def test_what_cannot_be_had_says_why(code: str, state: str) -> None:
    found = checked(TWO, ResolveFailed(code, "for a reason", where="there"))
    assert (found.state, found.reason) == (state, "for a reason")


@pytest.mark.req("E-01", "E-04")
@pytest.mark.parametrize(("line", "times"), [("a\n", 25), ("a\n", 26), ("x", 2000), ("x", 2001)])
def test_an_excerpt_that_is_too_long_is_none(line: str, times: int) -> None:
    data = (line * times).encode()
    whole = replace(reference_to(data), excerpt=line * times, bytes=(0, len(data)), lines=None)
    assert (checked(whole, data).state == "exact") == (times in {25, 2000})


def test_nothing_quoted_stands_for_the_whole() -> None:
    whole = replace(TWO, excerpt="", bytes=None, lines=None)
    assert checked(whole).state == "exact"
    assert checked(whole, b"other").state == "changed"


@pytest.mark.req("E-04")
def test_only_the_content_of_that_sha256_is_handed_out() -> None:
    assert exact_content(TWO.artifact_uri, Shelf(TEXT)).data == TEXT
    assert exact_content("git://main/v1/a.txt", Shelf(b"anything")).data == b"anything"
    with pytest.raises(ResolveFailed) as failed:
        exact_content(TWO.artifact_uri, Shelf(b"other"))
    assert failed.value.code == "changed"
    with pytest.raises(UriRefused):
        exact_content("ftp://x", Shelf(TEXT))
