"""``custody seek eval``."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.histories import GitRepo
from support.shell import Here

pytestmark = pytest.mark.req("E-10")
ROOMS = (
    "kitchen",
    "cellar",
    "attic",
    "garden",
    "garage",
    "hall",
    "bridge",
    "tower",
    "mill",
    "shed",
)
COUNT = 230


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    """Return a repository with so many commits that weights can be chosen."""
    repo = GitRepo(Path(tmp_path_factory.mktemp("history")) / "repo")
    lines = []
    for number in range(COUNT):
        room, door = ROOMS[number % 10], f"door{chr(97 + number // 26)}{chr(97 + number % 26)}"
        message, body = f"Paint {door} of the {room}", f"{room} has {door} in blue\n"
        lines.append(f"commit refs/heads/main\ncommitter A <a@b> {10**9 + number} +0000")
        lines.append(f"data {len(message)}\n{message}")
        lines.append(f"M 100644 inline {room}.txt\ndata {len(body)}\n{body}")
    repo.git("fast-import", "--quiet", "--force", given="\n".join([*lines, ""]).encode())
    return repo


def test_weights_are_chosen_and_the_search_uses_them(user: Here, history: GitRepo) -> None:
    user("logbook", "sync-git", str(history.folder), "--name", "rooms")
    user("seek", "index", "--no-documents")
    before = user("seek", "status", "--json").data["weights"]
    tried = user("seek", "eval", "--dry-run", "--json").data
    assert (tried["status"], tried["kept"]) == ("PASS", False)
    assert user("seek", "status", "--json").data["weights"] == before
    told = user("seek", "eval")
    assert told.code == 0
    assert told.out.splitlines()[-1] == "the search uses these weights from now on"
    assert "subjects share names with their diffs" in told.out
    weights = user("seek", "status", "--json").data["weights"]
    assert weights == tried["evaluation"]["weights"] != before
    assert weights["why"].startswith("chosen on 3")
    assert user("seek", "eval").out.splitlines()[-1] == "nothing was changed"


def test_a_leg_that_is_switched_off_is_told_by_the_search(user: Here, history: GitRepo) -> None:
    user("logbook", "sync-git", str(history.folder), "--name", "rooms")
    user("seek", "index", "--no-documents")
    found = user("seek", "eval", "--json").data["evaluation"]
    assert found["switched_off"], "words alone find all of it"
    assert "vectors" in found["switched_off"]
    notes = user("seek", "search", "doorab", "--json").data["notes"]
    assert notes == [f"words only: the vectors are switched off, {found['weights']['why']}"]


def test_a_short_history_chooses_nothing(user: Here) -> None:
    user("seek", "index")
    done = user("seek", "eval")
    assert (done.code, done.out.splitlines()[-1]) == (0, "nothing was changed")
    assert "questions are too few to choose by" in done.out
    assert user("seek", "eval", "--questions", "0").code == 1
