"""``custody seek index``."""

from __future__ import annotations

import pytest

from support.shell import Here

pytestmark = pytest.mark.req("E-10")


def test_what_was_done_is_told(user: Here) -> None:
    done = user("seek", "index")
    assert done.code == 0
    assert done.out.splitlines() == [
        "words only: 3 sources are too few to fit vectors on; 16 are enough",
        "indexed  3 new sources, 0 gone, 0 kept",
        "the index has 3 sources in 3 pieces",
    ]
    again = user("seek", "index", "--json").data
    assert (again["added"], again["removed"], again["kept"]) == (0, 0, 3)
    assert again["status"] == "PASS"
    assert len(again["digest"]) == 64


def test_documents_are_chosen_by_patterns(user: Here) -> None:
    assert user("seek", "index", "*.py", "--json").data["added"] == 3
    assert user("seek", "status", "--json").data["patterns"] == ["*.py"]
    assert user("seek", "index", "--no-documents", "--json").data["kept"] == 3
    changed = user("seek", "index", "*.md", "--json").data
    assert (changed["added"], changed["removed"]) == (1, 1)


def test_what_is_not_indexed_is_told(user: Here) -> None:
    for number in range(12):
        (user.folder / f"{number:02}.md").write_bytes(b"\0")
    done = user("seek", "index")
    assert done.code == 0
    lines = done.out.splitlines()
    assert "it is no text (no_text)" in lines[0]
    assert lines[10] == "2 sources more not indexed: `custody seek status --json`"
    assert len(user("seek", "status", "--json").data["unresolved"]) == 12


def test_it_is_made_anew_when_asked(user: Here) -> None:
    before = user("seek", "index", "--json").data
    after = user("seek", "index", "--rebuild", "--json").data
    assert (after["added"], after["kept"]) == (3, 0)
    assert after["digest"] == before["digest"]


def test_a_terminal_sees_how_far_it_is(user: Here) -> None:
    done = user.on_terminal("seek", "index")
    assert done.code == 0
    assert "\r2 sources" in done.out
    assert "\r3 sources\r\x1b[K" in done.out
    assert "\r" not in user("seek", "index").err
