"""``custody logbook add``."""

from __future__ import annotations

import pytest

from support.shell import Here

LEAST = "digraph least { start [shape=Mdiamond] done [shape=Msquare] start -> done }"


@pytest.mark.req("E-05")
def test_files_are_added_once_and_their_uris_told(user: Here) -> None:
    user.write("a.txt", "one")
    done = user("logbook", "add", "a.txt", "--item", "review", "--kind", "note", "--title", "T")
    assert done.code == 0
    uri = done.out.splitlines()[1].strip()
    assert uri.startswith("memory://attachments/1/")
    told = user("logbook", "add", "a.txt", "--item", "review", "--kind", "note", "--json").data
    assert told["attachments"][0]["evidence_uri"] == uri
    assert (told["item"]["name"], told["item"]["title"]) == ("review", "T")


def test_a_run_is_added(user: Here) -> None:
    user.write("least.dot", LEAST)
    user("run", "least.dot", "--run-id", "one")
    told = user("logbook", "add", "--run", "last", "--json").data
    assert (told["item"]["kind"], told["item"]["name"]) == ("run", "one")
    assert "packet" in {one["kind"] for one in told["attachments"]}


@pytest.mark.parametrize("words", [(), ("a.txt", "--run", "last"), ("missing.txt",)])
def test_what_cannot_be_added_is_told(user: Here, words: tuple[str, ...]) -> None:
    user.write("a.txt", "one")
    assert user("logbook", "add", *words).code == 1
