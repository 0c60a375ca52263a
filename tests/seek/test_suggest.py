"""A context pack may hold what an index of a digest that was named finds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody.errors import SeekFailed
from custody.seek.index import Index
from custody.seek.suggest import suggested, suggestions
from custody.workspace.pack.request import Suggestion
from support.packing import Library
from support.seeking import pages
from support.shell import Here

pytestmark = pytest.mark.req("E-10")
PIPELINE = """
digraph packed {
    graph [goal="Wait longer between two attempts"]
    start  [shape=Mdiamond]
    pack   [type=context_pack, index="INDEX"]
    done   [shape=Msquare]
    start -> pack -> done
}
"""


@pytest.fixture
def user(tmp_path: Path) -> Here:
    """Return the command line of somebody with an index of his repository."""
    folder = tmp_path / "repo"
    library = Library(folder)
    library.write("docs/wait.md", "# Waiting\n\nThe delay doubles.\n\n# Paths\n\nNone leads out.\n")
    library.write("docs/other.md", "# Other\n\nNothing of the kind.\n")
    here = Here(folder)
    here.environment |= {
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    assert here("seek", "index").code == 0
    request = library.request(goal="The delay of waiting", max_files=6)
    here.write("request.json", json.dumps(request))
    return here


def digest(user: Here) -> str:
    return str(user("seek", "status", "--json").data["digest"])


def test_what_is_suggested_follows_from_the_contents(index: Index) -> None:
    index.put(pages())
    found = suggestions(index, "waits for retries", index.digest())
    assert found[0].path == "docs/retry.md"
    assert all(isinstance(one, Suggestion) for one in found)
    assert suggestions(index, "waits for retries", index.digest()) == found


def test_an_index_of_another_digest_is_refused(index: Index) -> None:
    index.put(pages())
    with pytest.raises(SeekFailed, match="the index has the digest") as failed:
        suggestions(index, "waits", "0" * 64)
    assert failed.value.code == "digest"


def test_without_a_logbook_or_switched_off_there_is_none(tmp_path: Path) -> None:
    nowhere = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    with pytest.raises(SeekFailed, match="no logbook"):
        suggested("text", "0" * 64, nowhere)
    with pytest.raises(SeekFailed, match="switched off"):
        suggested("text", "0" * 64, {**nowhere, "SEEKDB_ENABLE": "0"})


def test_lines_that_are_found_fill_the_room_of_a_pack(user: Here) -> None:
    plain = user("pack", "request.json").data
    found = digest(user)
    packed = user("pack", "request.json", "--index", found).data
    more = packed["files"][len(plain["files"]) :]
    assert packed["files"][: len(plain["files"])] == plain["files"]
    [best, *_] = more
    assert (best["path"], best["why"]) == ("docs/wait.md", f"found:{found[:12]} [lines 1-4]")
    assert best["content"] == "# Waiting\n\nThe delay doubles.\n\n"
    assert packed["summary"].endswith(f"Of the index {found}: {len(more)} found.")
    assert "index" not in plain["summary"]
    assert user("pack", "request.json", "--index", found).data == packed


def test_a_file_that_has_changed_is_left_out_and_told(user: Here) -> None:
    found = digest(user)
    (user.folder / "docs/wait.md").write_text("# Waiting\n\nIt is another now.\n")
    packed = user("pack", "request.json", "--index", found).data
    assert {"path": "docs/wait.md", "reason": "not_found"} in packed["omitted"]
    assert "docs/wait.md" not in {file["path"] for file in packed["files"]}


def test_an_index_that_has_changed_makes_no_pack(user: Here) -> None:
    found = digest(user)
    (user.folder / "docs/new.md").write_text("# New\n")
    user("seek", "index")
    done = user("pack", "request.json", "--index", found)
    assert done.code == 1
    assert "the index has the digest" in done.err


def test_a_replay_needs_no_index(user: Here, tmp_path: Path) -> None:
    found = digest(user)
    user.write("packed.dot", PIPELINE.replace("INDEX", found))
    run = (
        "run", "packed.dot", "--run-id", "r1", "--workdir", ".",
        "--runsdir", str(tmp_path / "runs"),
        "--document", "artifacts/file_request.json=request.json",
    )  # fmt: skip
    done = user(*run)
    assert done.code == 0, done.err
    pack = json.loads((tmp_path / "runs/r1/artifacts/context_pack.json").read_text())
    assert pack["summary"].partition("Of the index ")[2].startswith(found)
    journal = (tmp_path / "runs/r1/events.jsonl").read_text()
    assert f'"settings":{{"index":"{found}"}}' in journal
    for file in (tmp_path / "data").rglob("*"):
        if file.is_file():
            file.unlink()
    assert user("replay", "r1", "--runsdir", str(tmp_path / "runs")).code == 0
    assert user("verify", "r1", "--runsdir", str(tmp_path / "runs")).code == 0
