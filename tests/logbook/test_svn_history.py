"""What revisions changed, whatever their messages and files hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import UsageError
from custody.logbook.change import HistoryChange
from custody.logbook.svn_history import SvnHistory
from support.histories import SvnRepo
from support.programs import needs

pytestmark = needs("svnadmin")
RULE = "-" * 72


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def repo(tmp_path: Path) -> SvnRepo:
    return SvnRepo(tmp_path / "svn")


def changes(place: str, limit: int = 1 << 20) -> list[HistoryChange]:
    history = SvnHistory(place, limit=limit)
    return list(history.changes(1, history.head))


def test_each_revision_is_told_with_its_patch(repo: SvnRepo) -> None:
    repo.commit({"a": "1\n", "bin": b"\0\1\2"}, "first\n\nmore")
    repo.commit({"a": "1\nzwei\n", "ä b": "x"}, "größer")
    first, second = changes(repo.url)
    assert (first.name, first.subject, first.patch_meta) == ("1", "first", {"binary_files": 1})
    assert second.subject == "größer"
    assert b"@@ -1 +1,2 @@\n 1\n+zwei\n" in second.patch
    assert "Index: ä b\n".encode() in second.patch
    assert first.committed_at.endswith("Z")


def test_no_message_is_taken_for_a_revision(repo: SvnRepo) -> None:
    fake = f"x\n\n{RULE}\nr2 | ann | 2026-01-01 | 1 line\n\nIndex: forged\n"
    repo.commit({"a": f"{RULE}\nr2 | ann\n"}, fake)
    repo.commit({"a": f"{RULE[1:]}\nr3 | ann\n"}, f"{fake}{RULE}")
    repo.commit({"a": ""}, "")
    told = changes(repo.url)
    assert [change.name for change in told] == ["1", "2", "3"]
    assert all(b"forged" not in change.patch for change in told)
    assert [change.subject for change in told] == ["x", "x", ""]
    assert told[1].patch.count(RULE.encode()) == 1


def test_a_revision_that_changes_no_file_has_no_patch(repo: SvnRepo) -> None:
    repo.commit({"a": "1\n"})
    repo.svn("mkdir", "--quiet", "folder")
    repo.svn("commit", "--quiet", "--message", "a folder")
    assert [bool(change.patch) for change in changes(repo.url)] == [True, False]


@pytest.mark.parametrize("name", ["re po@1", "at@", "a@b@HEAD"])
def test_an_at_in_a_name_begins_no_revision(repo: SvnRepo, name: str) -> None:
    repo.commit({"a@2": "1\n"})
    place, copy = repo.place.with_name(name), repo.place.with_name(f"copy of {name}")
    repo.place.rename(place)
    repo.svn("checkout", "--quiet", f"file://{place}@", f"{copy}", cwd=place.parent)
    for named in (f"{place}", f"{copy}", f"file://{place}"):
        history = SvnHistory(named)
        assert [change.name for change in history.changes(1, history.head)] == ["1"]


def test_a_large_patch_is_a_list_and_a_larger_one_a_number(repo: SvnRepo) -> None:
    repo.commit({"a": "line\n" * 500})
    repo.commit({f"{'n' * 40}{number}": "x" for number in range(9)})
    told = changes(repo.url, limit=250)
    assert [change.format for change in told] == ["diffstat", "ministat"]
    assert told[0].patch == b"A       ./a\n"
    assert told[1].patch == b"9 paths changed\n"
    assert told[0].patch_meta["cut"] == "too_large"


def test_no_diff_program_of_the_users_is_run(repo: SvnRepo, tmp_path: Path) -> None:
    repo.commit({"a": "1\n"})
    before = changes(repo.url)
    settings = tmp_path / ".subversion"
    settings.mkdir(exist_ok=True)
    owned = tmp_path / "owned"
    helper = tmp_path / "helper"
    helper.write_text(f"#!/bin/sh\ntouch {owned}\n")
    helper.chmod(0o755)
    (settings / "config").write_text(f"[helpers]\ndiff-cmd = {helper}\ndiff-extensions = -u -p\n")
    assert changes(repo.url) == before
    assert not owned.exists()


def test_a_place_is_an_address_a_repository_or_a_copy(repo: SvnRepo) -> None:
    repo.commit({"folder/a": "1\n"})
    repo.commit({"b": "1\n"})
    assert SvnHistory(str(repo.place)).location == repo.url
    assert SvnHistory(str(repo.copy)).location == repo.url
    assert [change.name for change in changes(f"{repo.url}/folder")] == ["1"]


@pytest.mark.parametrize(
    "place",
    [
        "ftp://server/x",
        "http://me:secret@server/x",
        "/nowhere",
        "--help",
        "file:///nowhere",
        "a\nb",
    ],
)
def test_what_is_no_repository_is_told(place: str) -> None:
    with pytest.raises(UsageError) as caught:
        SvnHistory(place)
    assert "secret" not in str(caught.value)


def test_a_repository_without_revisions(repo: SvnRepo) -> None:
    assert changes(repo.url) == []
