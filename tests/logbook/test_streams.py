"""What a program prints, cut as it comes."""

from __future__ import annotations

import itertools
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import Refused, UsageError
from custody.logbook.streams import StreamPart, parts, reading

MARK = b"\n\0"
BYTES = st.lists(st.sampled_from([b"a", b"\n", b"\0", b"\n\0"])).map(b"".join)


@given(BYTES, st.lists(st.integers(0, 20)), st.integers(0, 9))
def test_a_stream_is_cut_alike_however_it_comes(stream: bytes, cuts: list[int], limit: int) -> None:
    places = sorted({0, *(cut for cut in cuts if cut < len(stream)), len(stream)})
    pieces = [stream[a:b] for a, b in itertools.pairwise(places)]
    expected = [*stream.split(MARK)]
    expected[-1] = expected[-1].removesuffix(b"\n")
    assert list(parts(pieces, MARK, limit)) == [
        StreamPart(part[:limit], len(part), part.count(b"\n")) for part in expected
    ]


def run(code: str, given: bytes = b"", *, fine: tuple[int, ...] = (0,)) -> bytes:
    words = [sys.executable, "-c", code]
    with reading(words, cwd="/", environment=os.environ, given=given, fine=fine) as program:
        return program.all()


def test_a_program_is_told_and_read_at_once() -> None:
    much = b"x" * 1_000_000
    echo = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    assert run(echo, much) == much
    assert run("", much) == b""


def test_a_program_that_fails_is_told_with_its_complaint() -> None:
    with pytest.raises(Refused, match="no such luck"):
        run("import sys; sys.exit('no such luck')")
    with pytest.raises(Refused, match="exit code 3"):
        run("import sys; sys.exit(3)")
    assert run("import sys; sys.exit(3)", fine=(0, 3)) == b""


def test_a_program_that_is_missing_is_told() -> None:
    with (
        pytest.raises(UsageError, match="not installed"),
        reading(["no-such-program"], cwd="/", environment={}),
    ):
        pass


def test_whoever_stops_reading_ends_it() -> None:
    endless = [sys.executable, "-c", "while True: print('x' * 1000)"]
    with (
        pytest.raises(Refused),
        reading(endless, cwd="/", environment=os.environ) as program,
    ):
        next(program.pieces())
    with pytest.raises(KeyError), reading(endless, cwd="/", environment=os.environ):
        raise KeyError
