"""Files are read as what they say they are, and never run."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.checks.syntax import SIZE_LIMIT, check_syntax


@pytest.mark.parametrize(
    ("lang", "content", "reason"),
    [
        ("python", b"x = 1\n", ""),
        ("Python", b"x = '\\d'\n", ""),
        ("py", b"def f(:\n", "line 1: invalid syntax"),
        ("py", b"x = 1\n  y = 2\n", "line 2: unexpected indent"),
        ("py", b"(" * 10_000, "line 1: too many nested parentheses"),
        ("py", b"-" * 500_000 + b"1", "nested too deeply"),
        ("py", b"a" + b".a" * 300_000, "recursion"),
        ("py", b"\0", "null bytes"),
        ("py", b"# coding: nothing\n", "unknown encoding: nothing"),
        ("json", b'{"a": [1]}', ""),
        ("json", b'{"a": 1, "a": 2}', "key 'a' stands twice"),
        ("json", b"NaN", "NaN is not JSON"),
        ("json", b"[" * 100_000, "recursion"),
        ("json", b"\xff", "not UTF-8"),
    ],
)
def test_what_is_found(lang: str, content: bytes, reason: str) -> None:
    verdict = check_syntax("a.x", lang, content)
    assert verdict is not None
    assert (verdict.allowed, verdict.code) == (not reason, "syntax" if reason else "")
    assert reason in verdict.reason
    assert verdict.subject == "a.x"


@pytest.mark.parametrize(
    ("lang", "content"), [("ts", b"{"), ("text", b"{"), ("py", b" " * SIZE_LIMIT + b"\n(")]
)
def test_what_is_not_judged(lang: str, content: bytes) -> None:
    assert check_syntax("a.x", lang, content) is None


def test_nothing_is_run_or_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = b"import os\nos.mkdir('ran')\nopen('ran.txt', 'w').close()\n"
    verdict = check_syntax("a.py", "python", code)
    assert verdict is not None
    assert verdict.allowed
    assert list(tmp_path.iterdir()) == []


@given(st.sampled_from(["py", "json"]), st.one_of(st.binary(), st.text().map(str.encode)))
def test_any_bytes_are_judged(lang: str, content: bytes) -> None:
    assert check_syntax("a.x", lang, content) is not None
