"""What of a command's output a prompt shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.handlers.output import excerpt, told
from custody.model.evidence import Evidence
from custody.model.output import Output


@pytest.mark.req("U-05")
def test_the_first_and_the_last_lines_are_shown() -> None:
    data = "".join(f"line {n}\n" for n in range(1000)).encode()
    lines = excerpt(data, 100).split("\n")
    assert lines[0] == "line 0"
    assert lines[-1] == "line 999"
    assert [line for line in lines if not line.startswith("line ")] == [
        "[… 8796 bytes are left out …]"
    ]
    assert excerpt(data, len(data)) == data.decode().rstrip("\n")


@given(st.text(max_size=200), st.integers(0, 100))
def test_no_more_is_shown_than_may_be(text: str, limit: int) -> None:
    data = text.encode()
    shown = excerpt(data, limit)
    if len(data) > limit:
        head, _, rest = shown.rpartition("[… ")
        tail = rest.partition(" bytes are left out …]")[2]
        assert len((head + tail).replace("\n", "").encode()) <= limit + 3  # U+FFFD for a cut byte
    assert "\x1b" not in shown


@pytest.mark.req("U-05")
def test_both_streams_share_the_bytes() -> None:
    out, err = Evidence.of_text("o", "o" * 5000), Evidence.of_text("e", "short\n")
    shown = told(Output(exit_code=1, stdout=out, stderr=err), read, 1000)
    assert shown.count("o" * 400) == 2
    assert "stderr:\nshort" in shown
    assert len(shown) < 1100
    both = Output(exit_code=1, stdout=out, stderr=Evidence.of_text("e", "e" * 5000))
    assert told(both, read, 1000).count("o" * 250) == told(both, read, 1000).count("e" * 250) == 2
    nothing = Output(exit_code=1, stdout=Evidence.of_text("o", " \n"), stderr=None)
    assert told(nothing, read, 1000) == ""


def read(evidence: Evidence) -> bytes:
    return (evidence.text or "").encode()
