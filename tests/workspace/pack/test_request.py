"""Requests are read need by need."""

from __future__ import annotations

import json
from typing import Any

import pytest

from custody.errors import MalformedDocument
from custody.workspace.pack.request import RANGES_LIMIT, PackRequest, WantedFile, read_request
from support.packing import some, whole


def read(*needs: Any, **more: Any) -> PackRequest:
    request = {
        "schema_version": "ctcp-file-request-v1",
        "goal": "g",
        "needs": needs,
        "budget": {"max_files": 1, "max_total_bytes": 1},
        "reason": "r",
        **more,
    }
    return read_request(json.dumps(request).encode(), where="request.json")


@pytest.mark.req("C-02")
def test_a_need_is_a_file_or_some_of_its_lines() -> None:
    asked = read(whole("a.py"), some("b.py", (1, 2), (0, 9)))
    first, second = asked.wanted
    assert (str(first.file), first.whole, first.ranges) == ("a.py", True, ())
    assert (str(second.file), second.whole, second.ranges) == ("b.py", False, ((1, 2), (0, 9)))
    assert asked.envelope.goal == "g"


@pytest.mark.parametrize("ranges", [None, [], [[5, 1]], [[1, 2], [2, 1]], "1-2", [[1, 2, 3]], {}])
def test_lines_that_nobody_can_mean(ranges: Any) -> None:
    need = {"path": "a.py", "mode": "snippets", "line_ranges": ranges}
    assert read(need).wanted == (WantedFile("a.py"),)


def test_ranges_that_nobody_needs_are_nothing_to_a_whole_file() -> None:
    assert read({**whole("a.py"), "line_ranges": None}).wanted[0].file is not None


def test_more_pieces_than_anybody_uses_are_not_looked_at() -> None:
    (wanted,) = read(some("a.py", *[(1, 1)] * (RANGES_LIMIT + 5))).wanted
    assert (wanted.too_many, len(wanted.ranges)) == (True, RANGES_LIMIT + 1)


@pytest.mark.parametrize("path", [".git", ".git/config", "a/.GIT/x", ".g\u200bit/config"])
def test_what_is_gits_own_is_told_apart(path: str) -> None:
    assert read(whole(path)).wanted == (WantedFile(path, is_git=True),)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"needs": {}}, "type"),
        ({"budget": {"max_files": 1}}, "type"),
        ({"budget": {"max_files": True, "max_total_bytes": 1}}, "type"),
        ({"goal": 1}, "type"),
        ({"extra": 1}, "type"),
        ({"reason": "\ud800"}, "encoding"),
    ],
)
def test_a_request_that_cannot_be_answered(more: dict[str, Any], code: str) -> None:
    with pytest.raises(MalformedDocument) as refused:
        read(**more)
    assert refused.value.code == code
