"""Names as git spells them, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.patch import REGULAR, SYMLINK, names

any_name = st.binary(min_size=1, max_size=12).filter(lambda name: b"\0" not in name)


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        (b"a b", b"a b"),
        (b"caf\xc3\xa9", b"caf\xc3\xa9"),
        (b'say "hi"', rb'"say \"hi\""'),
        (b"a\\b", rb'"a\\b"'),
        (b"a\tb\nc\x01", rb'"a\tb\nc\001"'),
        (b"latin\xe9", rb'"latin\351"'),
        ("zero\u200bwidth".encode(), rb'"zero\342\200\213width"'),
        (b"a /b", b'"a /b"'),
    ],
)
def test_odd_names_are_quoted(name: bytes, spelled: bytes) -> None:
    assert names.quote(name) == spelled
    assert names.plain(spelled) == name
    assert names.shown(name) == spelled.decode()


@given(any_name)
def test_what_is_quoted_is_read_again(name: bytes) -> None:
    assert names.plain(names.quote(name)) == name
    assert names.shown(name).isprintable()


@pytest.mark.parametrize(
    "text", [b"", b'"a', b'"a"b', rb'"\q"', rb'"\400"', rb'"\000"', b"a\rb", b"a\0b", b'a"b']
)
def test_what_is_no_name(text: bytes) -> None:
    assert names.plain(text) is None


@pytest.mark.parametrize(
    ("text", "known", "pair"),
    [
        (b"a/x b/x", None, (b"x", b"x")),
        (b"a/x b/x b/x b/x", None, (b"x b/x", b"x b/x")),
        (b"a/x  b/x ", None, (b"x ", b"x ")),
        (b"a/x y b/z", (b"x y", b"z"), (b"x y", b"z")),
        (b'"a/\\t" b/z', (b"\t", b"z"), (b"\t", b"z")),
        (b'a/x "b/\\t"', (b"x", b"\t"), (b"x", b"\t")),
        (b'"a/\\t" "b/\\t"', None, (b"\t", b"\t")),
        (b"a/x b/xy", None, None),
        (b"x y", None, None),
        (b"a/x", None, None),
        (b"", None, None),
        (b'"a/x', None, None),
        (b'a/x"', None, None),
    ],
)
def test_two_names_in_a_line(
    text: bytes, known: tuple[bytes, bytes] | None, pair: tuple[bytes, bytes] | None
) -> None:
    assert names.pair(text, known) == pair


@given(any_name, any_name)
def test_two_names_are_told_apart(old: bytes, new: bytes) -> None:
    line = names.quote(b"a/" + old) + b" " + names.quote(b"b/" + new)
    assert names.pair(line, (old, new)) == (old, new)
    same = names.quote(b"a/" + old) + b" " + names.quote(b"b/" + old)
    assert names.pair(same, None) == (old, old)


@pytest.mark.parametrize(
    ("path", "held"),
    [
        (b"a/b", True), (b".gitignore", True), (b"a/.github/x", True), (b"...", True),
        (b"", False), (b"/a", False), (b"a//b", False), (b"a/", False), (b"./a", False),
        (b"a/../b", False), (b".git", False), (b"a/.GIT/x", False), (b".git. ", False),
        (b"a\\.git", False), (b"git~1", False), (b".git::$INDEX", False), (b"a\0b", False),
    ],
)  # fmt: skip
def test_what_git_can_hold(path: bytes, held: bool) -> None:
    assert names.can_hold(path) == held


@pytest.mark.parametrize("path", [b".gitmodules", b"d/.GITMODULES", b"gitmod~1", b"gi7eba~1"])
def test_no_symlink_where_git_looks_for_submodules(path: bytes) -> None:
    assert not names.can_hold(path, SYMLINK)
    assert names.can_hold(path, REGULAR)
