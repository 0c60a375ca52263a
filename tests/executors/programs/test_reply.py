"""What an agent printed, taken as its response."""

from __future__ import annotations

from custody.executors.programs.reply import LINE_LIMIT, Reply, TextReader


def read(*lines: bytes, must_start: str = "") -> Reply:
    reader = TextReader(must_start=must_start)
    for line in lines:
        reader.line(line)
    return reader.reply()


def test_every_line_is_the_response() -> None:
    assert read(b"one", b"", b"two") == Reply(text="one\n\ntwo\n")
    assert read() == Reply(text="")


def test_bytes_that_are_no_text_are_shown_as_such() -> None:
    assert read(b"a\xffb").text == "a�b\n"


def test_a_response_that_is_too_long_is_an_error() -> None:
    long = read(b"x" * LINE_LIMIT, b"more")
    assert "longer than" in long.error
    assert read(b"x" * (LINE_LIMIT - 1)).error == ""


def test_a_patch_must_begin_as_one() -> None:
    assert read(b"diff --git a b", must_start="diff").error == ""
    assert read(b"Sure!", b"diff --git a b", must_start="diff").error == (
        "a patch must start with 'diff'"
    )
