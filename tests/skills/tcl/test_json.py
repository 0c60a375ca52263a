"""The executor's own JSON agrees with Python's, made as strict, on whatever it is given."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.resident import Resident

READS = """
proc ::again {pair} {
    lassign $pair type value
    switch -- $type {
        object {
            set parts {}
            dict for {key inner} $value {lappend parts "[::said $key]: [::again $inner]"}
            return "{[join $parts ,]}"
        }
        array {return "\\[[join [lmap inner $value {::again $inner}] ,]]"}
        string {return [::said $value]}
        number {return "\\[\\"number\\", [::said $value]]"}
        boolean {return [expr {$value ? "true" : "false"}]}
        null {return null}
    }
}
proc ::said {text} {return [interp eval custody_loop [list json_quoted $text]]}
set in [open [file join $env(SP_RUN_DIR) documents]]
set out [open [file join $env(SP_RUN_DIR) read] w]
while {[gets $in line] >= 0} {
    set bytes [binary format H* $line]
    if {[catch {interp eval custody_loop [list json_read $bytes]} found options]} {
        puts $out "refused [lindex [dict get $options -errorcode] 1]"
    } else {
        puts $out "read [::again $found]"
    }
}
close $in
close $out
"""
WRITES = """
set in [open [file join $env(SP_RUN_DIR) odd]]
fconfigure $in -encoding utf-8 -translation lf
set odd [read $in]
close $in
::custody::write_metrics [dict create $odd $odd n -1.50e+3]
"""
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
DOCUMENTS = st.builds(
    lambda value, plain, indent: json.dumps(value, ensure_ascii=plain, indent=indent).encode(),
    VALUES, st.booleans(), st.none() | st.integers(0, 2),
)  # fmt: skip
PIECES = (
    b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\\ud83d", b"\\ude00", b"0", b"1",
    b"-", b".", b"e", b"E+", b"true", b"null", b"NaN", b" ", b"\n", b"\t", b"\x00", b"\xff",
    b"\xc3\xa9", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"a", b"/", b"$x", b"[exit]",
)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Return a document in which something was put, taken or changed."""
    document = draw(DOCUMENTS)
    at = draw(st.integers(0, len(document)))
    taken = draw(st.integers(0, 3))
    return document[:at] + draw(st.sampled_from(PIECES)) + document[at + taken :]


ANYTHING = DOCUMENTS | damaged() | st.lists(st.sampled_from(PIECES), max_size=8).map(b"".join)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resident]:
    """Return a tool that reads documents with the executor's reader."""
    one = Resident(tmp_path_factory.mktemp("json"), "tclsh")
    try:
        yield one
    finally:
        one.kill()


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(documents=st.lists(ANYTHING, min_size=1, max_size=30))
@example(documents=[b'{"\\\\ud83du001f\\b": "\\\\udc00\xc3\xa9"}'])
def test_what_is_read_is_what_python_reads(reader: Resident, documents: list[bytes]) -> None:
    (reader.home / "documents").write_text("".join(f"{one.hex()}\n" for one in documents))
    ack = reader.run(READS)
    assert ack["status"] == "PASS", ack
    said = Path(reader.home / "read").read_text("utf-8").splitlines()
    assert len(said) == len(documents)
    for document, line in zip(documents, said, strict=True):
        word, _, found = line.partition(" ")
        wanted = strictly(document)
        if wanted is None:
            assert word == "refused", (document, line)
            assert found in {"json", "encoding", "duplicate_key"}
        else:
            assert word == "read", (document, line)
            assert same(json.loads(found), wanted[0]), (document, line)


def strictly(document: bytes) -> tuple[Any] | None:
    """Return what a document holds, numbers as they are spelled; None for one that is refused."""
    try:
        text = document.decode()
        value = json.loads(
            text,
            object_pairs_hook=pairs,
            parse_int=number,
            parse_float=number,
            parse_constant=refuse,
        )
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return (value,)


def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(found)) < len(found):
        raise ValueError("twice")
    return dict(found)


def number(text: str) -> Any:
    if not math.isfinite(float(text)) or len(text) > 400:
        raise ValueError("no number")
    return ["number", text]


def refuse(text: str) -> Any:
    raise ValueError(text)


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, with true told from 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def test_what_is_written_is_read_by_python(reader: Resident) -> None:
    odd = "".join(map(chr, [*range(1, 0x30), 0x5C, 0x7F, 0x80, 0xE9, 0x2028, 0xFFFF, 0x1F600]))
    (reader.home / "odd").write_bytes(odd.encode())
    ack = reader.run(WRITES)
    assert ack["message"] == ""
    found = json.loads((reader.home / "reports/metrics.json").read_bytes())
    assert found == {odd: odd, "n": -1500.0}
