"""Pointers to bytes: what a file must be, and what of it the journal keeps."""

from __future__ import annotations

import hashlib

import pytest

from custody.model.evidence import INLINE_LIMIT, Evidence


def test_of_a_text() -> None:
    evidence = Evidence.of_text("nodes/a/1.1/x", "é")
    data = "é".encode()
    assert (evidence.bytes, evidence.sha256) == (2, hashlib.sha256(data).hexdigest())
    assert evidence.text == "é"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", True),
        ("x" * INLINE_LIMIT, True),
        ("x" * (INLINE_LIMIT + 1), False),
        ("é" * (INLINE_LIMIT // 2), True),
        ("é" * (INLINE_LIMIT // 2 + 1), False),
    ],
)
def test_a_long_text_does_not_travel_in_the_journal(text: str, kept: bool) -> None:
    evidence = Evidence.of_text("a", text)
    sealed = evidence.sealed()
    assert sealed.text == (text if kept else None)
    assert (sealed.path, sealed.sha256, sealed.bytes) == ("a", evidence.sha256, evidence.bytes)
    assert sealed.sealed() == sealed


def test_a_document_may_be_written_again_by_a_later_stage() -> None:
    assert Evidence.of_text("docs/a.md", "").is_document
    assert Evidence.of_text("audits/a.md", "").is_document
    assert not Evidence.of_text("nodes/a/1.1/response.md", "").is_document
