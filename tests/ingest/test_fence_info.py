"""What an opening line says after its marks, and the first rule that it breaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.ingest.fence_info import LONGEST_INFO, Info, names_a_file, read_info
from custody.ingest.fence_reasons import OPENINGS


@pytest.mark.req("I-04")
@pytest.mark.parametrize(
    ("opening", "lang", "path"),
    [
        ("python file=src/main.py", "python", "src/main.py"),
        ("c++ file=a.cc", "c++", "a.cc"),
        ("objective-c_2.0 file=.x/y-z", "objective-c_2.0", ".x/y-z"),
        ("ts file=a.py#L1", "ts", "a.py#L1"),
        ("ts file=größe.ts", "ts", "größe.ts"),
        ("ts file=a=b", "ts", "a=b"),
        ("ts file=../a", "ts", "../a"),
    ],
)
def test_the_accepted_form(opening: str, lang: str, path: str) -> None:
    assert read_info(opening.encode()) == Info(lang, path)


@pytest.mark.req("I-04", "I-05")
@pytest.mark.parametrize(
    ("opening", "reason"),
    [
        ("", "no_file"),
        ("python", "no_file"),
        (" python", "no_file"),
        ("c# example", "no_file"),
        (" file=a.py", "no_lang"),
        ("file=a.py", "no_lang"),
        ("python path=a.py", "bad_key"),
        ("python filename=a.py", "bad_key"),
        ("python output=a.py", "bad_key"),
        ("python FILE=a.py", "bad_key"),
        ("python file:a.py", "bad_key"),
        ('python file="a.py"', "quoted"),
        ('python file="a b.py"', "quoted"),
        ("python file='a.py'", "quoted"),
        ("python file=“a.py”", "quoted"),
        ("python file=a.py mode=0755", "extra_attribute"),
        ("python mode=0755 file=a.py", "extra_attribute"),
        ("python file=a.py file=b.py", "extra_attribute"),
        ("python file=a b.py", "whitespace"),
        ("python file= a.py", "whitespace"),
        ("python file=a\u3000b.py", "whitespace"),
        ("python file=a.py\u00a0", "whitespace"),
        ("python file=", "empty_path"),
        ("python file= ", "empty_path"),
        ("python  file=a.py", "malformed"),
        ("python\tfile=a.py", "malformed"),
        ("python\u00a0file=a.py", "malformed"),
        (" python file=a.py", "malformed"),
        ("python file=a.py ", "malformed"),
        ("python x file=a.py", "malformed"),
        ("pyth!on file=a.py", "bad_lang"),
        ("{.python file=a.py}", "bad_lang"),
        ("питон file=a.py", "bad_lang"),
        ("python file=a\x00.py", "control"),
        ("python file=a.py\x85", "control"),
        ("python file=a\u2028.py", "control"),
        ("python file=a.py\r\r", "control"),
    ],
)
def test_the_rejection_list(opening: str, reason: str) -> None:
    assert read_info(opening.encode()).reason == reason
    assert reason in OPENINGS


def test_bytes_that_are_not_utf8_are_kept_for_the_rules_of_paths() -> None:
    assert read_info(b"py file=a\xff.py") == Info("py", "a\udcff.py")


def test_language_and_path_are_told_as_far_as_they_are_known() -> None:
    assert read_info(b"py x file=a.py") == Info("py", "a.py", "malformed")
    assert read_info(b"file=a.py") == Info("", "a.py", "no_lang")
    assert read_info(b"") == Info("", "", "no_file")


@given(st.binary(max_size=60).filter(lambda data: b"\n" not in data))
def test_any_bytes_are_read(text: bytes) -> None:
    info = read_info(text)
    assert info.reason in {"", *OPENINGS}
    if not info.reason:
        path = info.path.encode("utf-8", "surrogateescape")
        assert text == info.lang.encode() + b" file=" + path
        assert names_a_file(text)


def test_a_long_text_takes_no_long_time() -> None:
    assert read_info(b"py file=" + b"a" * LONGEST_INFO).reason == ""
    assert read_info(b"py " + b"a=" * (LONGEST_INFO // 2)).reason == "bad_key"
