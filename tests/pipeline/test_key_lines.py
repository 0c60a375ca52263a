"""Key lines: tolerant to read, strict to judge, and every finding has its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.pipeline.key_lines import (
    KeyLines,
    ListEntry,
    decoded,
    ids_in,
    plain_lines,
    read_key_lines,
)

KEYS = ("Status", "Scope-Allow", "Blocking Reasons")


def read(text: str | bytes) -> KeyLines:
    return read_key_lines(text if isinstance(text, bytes) else text.encode(), KEYS)


def codes(text: str | bytes) -> list[tuple[int, str]]:
    return [(finding.line, finding.code) for finding in read(text).findings]


@pytest.mark.req("C-12")
@pytest.mark.parametrize(
    "text",
    [
        "Status: SIGNED\n",
        "Status:SIGNED",
        "\ufeffStatus: SIGNED\r\n",
        "# A heading\r\n\r\nSome text: with a colon.\r\nStatus:\tSIGNED  \r\n",
        "```\ncode\n```\nStatus: SIGNED",
        "<!-- one --> text\nStatus: SIGNED",
        "## Status: what is\nStatus: SIGNED",
        "`Status: DRAFT` is another\nStatus: SIGNED",
    ],
)
def test_what_is_as_good(text: str) -> None:
    found = read(text)
    assert found.findings == ()
    assert found.lines["Status"].value == "SIGNED"


@pytest.mark.req("C-12")
@pytest.mark.parametrize(
    "text",
    [
        "> Status: SIGNED",
        "   > Status: SIGNED",
        "```\nStatus: SIGNED\n```",
        "~~~~ text\n~~~\nStatus: SIGNED\n",
        "``` \nStatus: SIGNED\n```` x\n",
        "<!--\nStatus: SIGNED\n-->",
        "<!-- a --> <!-- b\nStatus: SIGNED\n",
        "The Status: SIGNED",
    ],
)
def test_what_is_no_key_line(text: str) -> None:
    found = read(text)
    assert (found.lines, found.findings) == ({}, ())
    assert [finding.code for finding in found.missing(["Status"])] == ["missing"]


@pytest.mark.req("C-12")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Status: SIGNED\n\nStatus: DRAFT", [(3, "duplicate_key")]),
        ("Status: SIGNED\nStatus: SIGNED", [(2, "duplicate_key")]),
        ("status: signed", [(1, "key")]),
        ("Status: SIGNED\nSTATUS: DRAFT", [(2, "key")]),
        ("**Status:** SIGNED", [(1, "key")]),
        (" Status: SIGNED", [(1, "key")]),
        ("- Status: SIGNED", [(1, "key")]),
        ("Status : SIGNED", [(1, "key")]),
        ("Sta\u200btus: SIGNED", [(1, "key")]),
        ("Status\uff1a SIGNED", [(1, "key")]),
        ("scope_allow: x", [(1, "key")]),
        ("blocking reasons: x", [(1, "key")]),
        ("Status: SIGNED \u200b", [(1, "value")]),
        ("Status: SIG\x00NED", [(1, "value")]),
        ("Status: SIGNED\r", [(1, "value")]),
        ("Scope-Allow:\n- docs/\u202e\n", [(2, "value")]),
        ("Scope-Allow: docs/\n- src/\n", [(2, "list")]),
        (b"Status: SIGNED\n\xff\n", [(2, "encoding")]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(
    text: str | bytes, expected: list[tuple[int, str]]
) -> None:
    assert codes(text) == expected


def test_what_is_wrong_is_not_missing_as_well() -> None:
    assert list(read("status: signed").missing(["Status"])) == []
    assert read("status: signed").sound("Status") is None
    assert read("Status: SIGNED\nStatus: SIGNED").sound("Status") is None


@pytest.mark.req("C-12")
@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Scope-Allow: a, b;c | d", [("a", 1), ("b", 1), ("c", 1), ("d", 1)]),
        ("Scope-Allow:\n- a\n* `b`\n\n  1. c, d\n", [("a", 2), ("b", 3), ("c", 5), ("d", 5)]),
        ("Scope-Allow:\n- a\ntext\n- b\n", [("a", 2)]),
        ("Scope-Allow:\n\n", []),
        ("Scope-Allow: ,;|", []),
        ("Scope-Allow:\n- a\nStatus: x\n- b\n", [("a", 2)]),
        ("Scope-Allow:\n- one\n  two\n", [("one two", 2)]),
        ("Scope-Allow: `a`, ``", [("a", 1), ("``", 1)]),
    ],
)
def test_lists_behind_the_colon_and_below(text: str, items: list[tuple[str, int]]) -> None:
    assert read(text).items("Scope-Allow") == tuple(ListEntry(*item) for item in items)
    assert read(text).items("Blocking Reasons") == ()


def test_ids() -> None:
    text = "B001 and R002, B001 again; not B01, R0001, xB003, B004x, A-B005"
    assert ids_in(text) == ("B001", "R002")


@given(
    data=st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: text.encode(errors="replace"))
)
def test_any_bytes_are_read(data: bytes) -> None:
    found = read(data)
    assert all(finding.line <= data.count(b"\n") + 1 for finding in found.findings)
    text, _ = decoded(data)
    assert [line.number for line in plain_lines(text)] == sorted(
        {line.number for line in plain_lines(text)}
    )
