"""Revisions come into the logbook once; another repository in the same place is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import Refused
from custody.logbook.artifacts import open_artifacts
from custody.logbook.book import Logbook
from custody.logbook.svn_sync import sync_svn
from support.histories import SvnRepo
from support.programs import needs

pytestmark = needs("svnadmin")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.req("E-05", "E-08")
def test_what_is_new_is_added_and_another_repository_refused(book: Logbook, tmp_path: Path) -> None:
    repo = SvnRepo(tmp_path / "svn")
    artifacts = open_artifacts(str(tmp_path / "artifacts"))
    repo.commit({"a": "1\n"})
    repo.commit({"a": "2\n"})
    done = sync_svn(book, artifacts, repo.url)
    assert (done.changes, done.patches, done.tip) == (2, 2, "2")
    assert [one.source_id for one in book.patches()] == ["1:1", "1:2"]
    assert artifacts.read(book.patches()[1].uri).endswith(b"-1\n+2\n\n")
    assert sync_svn(book, artifacts, repo.url).changes == 0
    repo.commit({"a": "3\n"})
    assert sync_svn(book, artifacts, repo.url).changes == 1
    repo.replace()
    with pytest.raises(Refused) as caught:
        sync_svn(book, artifacts, repo.url)
    assert caught.value.code == "rewritten"
    assert sync_svn(book, artifacts, repo.url, name="another").repo_id == 2
    assert len(book.patches()) == 3
    artifacts.close()
