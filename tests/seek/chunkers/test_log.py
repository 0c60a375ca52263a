"""Logs are cut around errors, and nothing of them is dropped."""

from __future__ import annotations

import hashlib

import pytest

from custody.errors import UriRefused
from custody.seek.chunk import Chunk
from custody.seek.chunkers import chunk_log, generate_attachment_artifact_uri
from custody.seek.chunkers.log import tells_of_error


def chunks_of(text: str) -> list[Chunk]:
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    uri = generate_attachment_artifact_uri(attachment_id=1, sha256=sha256)
    chunks = chunk_log(content=text, source_type="logbook", source_id="1:1", artifact_uri=uri)
    assert "".join(chunk.text for chunk in chunks) == text
    return chunks


def test_an_error_is_shown_with_what_is_around_it() -> None:
    lines = [f"line {number}\n" for number in range(1, 101)]
    lines[29] = "ERROR: no space left\n"
    lines[32] = "ERROR: and another\n"
    lines[80] = "ValueError: x\n"
    assert [(chunk.title, chunk.lines) for chunk in chunks_of("".join(lines))] == [
        ("", (1, 13)),
        ("", (14, 26)),
        ("ERROR: no space left", (27, 47)),
        ("", (48, 62)),
        ("", (63, 77)),
        ("ValueError: x", (78, 95)),
        ("", (96, 100)),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "ERROR: x", "make: *** [all] Error 2", "FAILED tests/a.py", "KeyError: 'a'", "E  assert 1",
        "Traceback (most recent call last):", "0 warnings, 2 errors", "panic: x",
        "0 errors, 1 failed",
    ],
)  # fmt: skip
def test_these_tell_of_an_error(line: str) -> None:
    assert tells_of_error(line.encode())


@pytest.mark.parametrize(
    "line",
    ["all is well", "0 errors", "no error found", "terror", "without errors", "error_count=0"],
)
def test_these_do_not(line: str) -> None:
    assert not tells_of_error(line.encode())


def test_a_log_needs_a_uri() -> None:
    with pytest.raises(UriRefused):
        chunk_log(content="a\n", source_type="logbook", source_id="1:1")
