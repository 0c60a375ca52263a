"""``custody logbook verify``."""

from __future__ import annotations

import pytest

from support.shell import Here


@pytest.mark.req("E-05")
def test_what_does_not_hold_is_told(user: Here) -> None:
    user.write("a.txt", "one")
    [attachment] = user("logbook", "add", "a.txt", "--json").data["attachments"]
    done = user("logbook", "verify")
    assert done.code == 0
    assert done.out.startswith("intact  1 event, 1 pointer and their bytes")
    head = done.out.split()[-1]
    assert user("logbook", "verify", "--head", head).code == 0
    assert user("logbook", "verify", "--head", "f" * 64).code == 1
    (user.folder / "data/custody/artifacts/blobs" / attachment["uri"]).unlink()
    done = user("logbook", "verify")
    assert (done.code, "its bytes cannot be had" in done.out) == (1, True)
    told = user("logbook", "verify", "--json").data
    assert (told["intact"], len(told["problems"])) == (False, 1)


def test_a_logbook_that_is_not_there_is_not_intact(user: Here) -> None:
    done = user("logbook", "verify", "--logbook", "typing-mistake.sqlite")
    assert (done.code, done.out) == (1, "")
    assert "there is no logbook" in done.err
    assert not (user.folder / "typing-mistake.sqlite").exists()
