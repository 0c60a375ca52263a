from __future__ import annotations

import os

from hypothesis import given, settings
from hypothesis import strategies as st

from custody.checks.guards.secrets import Redactor
from custody.supervise.streams import SUMMARY_LIMIT, Stream, failure_summary, readable


def test_a_summary_quotes_the_end_of_both_streams() -> None:
    summary = failure_summary("exit code 2", stdout=b"o" * 400 + b"end", stderr=b"e" * 700 + b"err")
    assert summary.splitlines()[0] == "exit code 2"
    assert "stderr, last 600 bytes:\n" + "e" * 597 + "err" in summary
    assert "stdout, last 300 bytes:\n" + "o" * 297 + "end" in summary
    assert "o" * 298 not in summary


def test_a_summary_of_silence_is_its_headline() -> None:
    assert failure_summary("exit code 2", stdout=b" \n", stderr=b"") == "exit code 2"


def test_a_cut_character_and_colours_are_dropped() -> None:
    text = "é".encode()[1:] + b"\x1b[31mred\x1b[0m \x1b]0;title\x07plain\x07\r\n\x9b tab\t"
    assert readable(text) == "red plain\n\N{REPLACEMENT CHARACTER} tab\t"


@settings(deadline=None)
@given(st.text(max_size=5000), st.binary(max_size=2000), st.binary(max_size=2000))
def test_a_summary_is_short_and_printable(headline: str, stdout: bytes, stderr: bytes) -> None:
    summary = failure_summary(headline, stdout=stdout, stderr=stderr)
    assert len(summary) <= SUMMARY_LIMIT
    assert not set(summary[len(headline) :]) & {chr(code) for code in range(32)} - {"\n", "\t"}


@settings(deadline=None)
@given(st.lists(st.binary(max_size=900), max_size=8), st.integers(0, 2000))
def test_a_stream_keeps_the_beginning_and_tells_the_end_of_it(
    parts: list[bytes], limit: int
) -> None:
    reader, writer = os.pipe()
    kept, sink = os.pipe()
    os.set_blocking(reader, False)
    stream = Stream(sink, limit, Redactor({}))
    try:
        for part in parts:
            os.write(writer, part)
            assert stream.take_from(reader) == bool(part)
        stream.finish()
        whole = b"".join(parts)
        captured = stream.captured()
        assert captured.size == min(limit, len(whole))
        assert captured.truncated == (len(whole) > limit)
        assert captured.tail == whole[:limit][-600:]
        if captured.size:
            assert os.read(kept, 1 << 16) == whole[:limit]
    finally:
        for descriptor in (reader, writer, kept, sink):
            os.close(descriptor)
