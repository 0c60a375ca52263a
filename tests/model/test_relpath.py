"""Paths from outside: which are refused, with which code, and what an accepted one promises."""

from __future__ import annotations

import json
import os.path
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from custody.errors import PathRefused
from custody.model.relpath import RelPath, caseless, forbidden, write_policy

CORPUS = Path(__file__).parent.parent / "hostile" / "corpus.json"
CASES: list[dict[str, Any]] = [
    case
    for case in json.loads(CORPUS.read_text(encoding="utf-8"))
    if case["surface"] == "path" and case["expect"] != "reject:case_collision"
]


def judge(text: str | bytes) -> str:
    """Return ``accept``, or ``reject:`` and the code."""
    try:
        path = RelPath.parse(text)
        write_policy(path)
    except PathRefused as refused:
        return f"reject:{refused.code}"
    assert str(path) == text
    return "accept"


def test_the_corpus_is_there() -> None:
    assert len(CASES) >= 43


@pytest.mark.req("I-06", "P-05")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_hostile_path_gets_its_code(case: dict[str, Any]) -> None:
    assert judge(case["input"]) == case["expect"].removesuffix(":literal")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("C:\\x.py", "drive"),
        ("\\\\server\\share", "backslash"),
        ("/", "absolute"),
        ("/../x", "absolute"),
        ("https://x/y", "scheme"),
        ("data:text", "scheme"),
        ("~", "tilde"),
        ("..", "traversal"),
        ("a/..", "traversal"),
        ("../", "traversal"),
        (".", "noncanonical"),
        ("./a", "noncanonical"),
        ("a/" * 32 + "a", "too_deep"),
        ("a/" * 100_000 + "a", "too_deep"),
        ("說" * 86, "too_long"),
        ("ab/" * 20 + "說" * 85 + "/" + "說" * 85 + "/" + "說" * 85 + "/" + "說" * 80, "too_long"),
        ("x" * 10_000_000, "too_long"),
        ("\ud800" * 100_000, "too_long"),
        ("a\tb", "control"),
        ("a\x7f", "control"),
        ("a\x85b", "control"),
        ("a\u2028b", "control"),
        ("a\u202eb", "bidi"),
        ("\ufeffa", "unicode"),
        ("cafe\u0301", "unicode"),
        ("a\u2024\u2024/b", "unicode"),
        ("a\uff0fb", "unicode"),
        ("a\uf022b", "unicode"),
        (".ⓖit/x", "dotgit"),
        ("a/.GI\u00adT", "dotgit"),
        (".git", "denied"),
        ("a/.git/config", "denied"),
        (".git::$INDEX_ALLOCATION/config", "denied"),
        ("git~2", "denied"),
        ("docs/a.txt:stream", "reserved"),
        ("com1.txt", "reserved"),
        ("LPT¹", "reserved"),
        ("aux .txt", "reserved"),
        ("...", "trailing"),
        ("a\u3000", "trailing"),
        ("a /b", "trailing"),
        ("a/-b", "leading_dash"),
        (b"a\xff", "surrogate"),
        (b"", "empty"),
    ],
)
def test_refuses_with_a_stable_code(text: str | bytes, code: str) -> None:
    assert judge(text) == f"reject:{code}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".gitignore", "accept"),
        (".github/workflows/ci.yml", "accept"),
        (".env.example", "accept"),
        ("src/.ENV", "reject:secret_file"),
        ("src/.env.production", "reject:secret_file"),
        (".netrc", "reject:secret_file"),
        ("sub/.Idea/workspace.xml", "reject:denied"),
        (".husky/pre-commit", "reject:denied"),
        (".claude/settings.json", "reject:denied"),
        (".mcp.json", "reject:denied"),
        ("home/.ZSHRC", "reject:denied"),
        ("environment.py", "accept"),
    ],
)
def test_what_may_be_written(text: str, expected: str) -> None:
    assert judge(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a b/c d.txt",
        "console/contact.con",
        "com10",
        "a/~x",
        "a-b/c-",
        "_",
        "dir.d/x",
        "Ünïcödé/ﬁle",
        "価格\uff1a一覧.md",
        "a/" * 31 + "a",
        "說" * 85,
    ],
)
def test_ordinary_names_are_accepted_as_they_are(text: str) -> None:
    assert judge(text) == "accept"
    assert RelPath.parse(text.encode()) == RelPath.parse(text)


def test_is_a_value() -> None:
    one, same, other = (RelPath.parse(text) for text in ("a/b", "a/b", "a/c"))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != "a/b"
    assert sorted([other, one]) == [one, other]
    assert one.parts == ("a", "b")
    assert repr(one) == "RelPath('a/b')"


HOSTILE_TEXT = st.text(
    st.one_of(
        st.sampled_from("/\\.~:-_ gitGITcon\u200c\u0301\x00\n\uff0e\u2215\ud800"),
        st.characters(),
    ),
    max_size=40,
)


@given(st.one_of(HOSTILE_TEXT, st.binary(max_size=40)))
@example("a/./b")
@example(".git./x")
def test_an_accepted_path_stays_inside_and_is_its_own_spelling(text: str | bytes) -> None:
    try:
        path = RelPath.parse(text)
    except PathRefused:
        return
    whole = os.path.normpath(os.path.join("/root/of/all", str(path)))
    assert whole == f"/root/of/all/{path}"
    assert RelPath.parse(str(path)) == path
    assert RelPath.parse(str(path).encode()) == path
    assert "/".join(path.parts) == str(path)


@given(st.lists(st.from_regex(r"[A-Za-z0-9_.+-]{1,12}", fullmatch=True), min_size=1, max_size=40))
def test_the_short_cut_for_plain_paths_decides_like_the_rules(parts: list[str]) -> None:
    text = "/".join(parts)
    # A blank in front of each component, harmless itself, sends the path through every rule.
    spaced = "/".join(f" {part}" for part in parts)
    special = any(part.startswith("-") for part in parts) or ".." in parts or "." in parts
    if special or judge(text) in {"reject:denied", "reject:secret_file", "reject:reserved"}:
        return
    assert judge(text) == judge(spaced)


@pytest.mark.parametrize(
    ("one", "other"),
    [("a", "A"), ("ß", "SS"), ("\u00e9", "E\u0301"), ("Å", "\u212b"), ("ﬁ", "FI"), ("Σ", "ς")],
)
def test_names_that_a_file_system_may_take_for_one(one: str, other: str) -> None:
    assert caseless(one) == caseless(other)


def test_neither_case_nor_composition_of_any_character_counts() -> None:
    """Between two others, so that marks which combine have something to combine with."""
    points = (chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF)
    for point in points:
        name = f"a{point}\u0345"
        bare = caseless(name)
        assert caseless(bare) == bare
        assert caseless(name.casefold()) == bare
        for form in ("NFC", "NFD"):
            assert caseless(unicodedata.normalize(form, name)) == bare


@pytest.mark.req("G-10")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_what_no_text_may_write_no_program_may_leave(case: dict[str, Any]) -> None:
    found = forbidden(str(case["input"]))
    expected = case["expect"].removeprefix("reject:")
    if expected in {"denied", "secret_file", "dotgit"}:
        assert found is not None
        assert found.code == expected.replace("dotgit", "denied")
    elif case["expect"].startswith("accept"):
        assert found is None


@pytest.mark.req("G-10")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a/.GIT/x", "denied"),
        ("GIT~1", "denied"),
        (".git::$INDEX_ALLOCATION/x", "denied"),
        (".vscode. ", "denied"),
        (".env:stream", "secret_file"),
        ("\uff0egit/config", "denied"),
        (".\u200benv", "secret_file"),
        ("x/.ENV.production", "secret_file"),
        ("\udcff/.env", "secret_file"),
        (".env.example", ""),
        ("\udcff", ""),
        ("a:b", ""),
        ("-x/..a", ""),
        (".gitignore", ""),
    ],
)
def test_a_name_is_forbidden_however_it_is_spelled(path: str, code: str) -> None:
    found = forbidden(path)
    assert (found.code if found else "") == code


@given(st.text(max_size=30))
def test_a_path_that_may_be_written_is_not_forbidden(text: str) -> None:
    if judge(text) == "accept":
        assert forbidden(text) is None
