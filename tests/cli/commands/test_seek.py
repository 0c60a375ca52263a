"""``custody seek``: each action takes what is its own, and a switch leaves all of it out."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.shell import Here


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("index", "--limit", "3"), "index takes no --limit"),
        (("search", "x", "--rebuild"), "search takes no --rebuild"),
        (("search", "x", "--no-documents"), "search takes no --no-documents"),
        (("index", "--kind", "patch"), "index takes no --kind"),
        (("status", "now"), "status takes no 'now'"),
        (("explode",), "invalid choice"),
    ],
)
def test_what_an_action_does_not_take_is_told(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = Here(tmp_path)("seek", *words, "--logbook", "b")
    assert done.code == 1
    assert said in done.err


@pytest.mark.req("E-11")
@pytest.mark.parametrize("words", [("index",), ("search", "retry"), ("status",)])
def test_switched_off_nothing_is_done_and_it_is_said(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    custody = Here(tmp_path)
    done = custody("seek", *words, "--logbook", "b", SEEKDB_ENABLE="0")
    assert (done.code, done.out) == (0, "the search is switched off: SEEKDB_ENABLE=0\n")
    told = custody("seek", *words, "--logbook", "b", "--json", SEEKDB_ENABLE="0").data
    assert told["status"] == "SKIPPED"
    assert not (tmp_path / "b").exists()
