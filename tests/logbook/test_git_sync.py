"""A history comes into the logbook once, with its bytes, whatever is killed when."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.errors import Refused
from custody.evidence.uri import parse
from custody.logbook.artifacts import ArtifactStore, open_artifacts
from custody.logbook.book import Logbook
from custody.logbook.git_sync import sync_git
from custody.logbook.records import PatchBlob
from custody.logbook.tables import COLUMNS
from support.histories import GitRepo
from support.postgres import Postgres

SYNC = """
import sys
from custody.logbook import recorder
from custody.logbook.artifacts import open_artifacts
from custody.logbook.book import Logbook
from custody.logbook.git_sync import sync_git
recorder._CHANGES = int(sys.argv[4])
with Logbook.open(sys.argv[1]) as book:
    artifacts = open_artifacts(sys.argv[2])
    sync_git(book, artifacts, sys.argv[3], name="it", revision=sys.argv[5])
    artifacts.close()
"""


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "repo")


@pytest.fixture
def artifacts(tmp_path: Path) -> Iterator[ArtifactStore]:
    opened = open_artifacts(str(tmp_path / "artifacts"))
    yield opened
    opened.close()


def patches(book: Logbook) -> list[PatchBlob]:
    return book.patches(limit=10_000)


def whole(book: Logbook, artifacts: ArtifactStore, repo: GitRepo, branch: str = "many") -> None:
    """Assert that all of a branch is there, once, each patch with its bytes."""
    commits = repo.git("rev-list", branch).split()
    with book.database.reading() as transaction:
        held = transaction.run("SELECT commit_sha FROM scm.git_commits")
    assert sorted(row[0] for row in held) == sorted(commits)
    found = patches(book)
    assert sorted(one.source_id for one in found) == sorted(f"1:{name}" for name in commits)
    for one in found:
        assert len(artifacts.read(one.uri)) == one.size_bytes
    assert book.verify_events().broken_at == 0


def test_a_repository_may_lie_at_a_place_that_is_no_text(
    book: Logbook, artifacts: ArtifactStore, tmp_path: Path
) -> None:
    repo = GitRepo(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")))
    repo.commit({"a": "1\n"})
    assert sync_git(book, artifacts, str(repo.folder)).name == f"{tmp_path}/caf\\xe9/.git"
    assert sync_git(book, artifacts, str(repo.folder)).changes == 0
    assert [one.location for one in book.repos()] == [f"{tmp_path}/caf\\xe9/.git"]


@pytest.mark.req("E-05", "E-08")
def test_what_is_new_is_added_and_what_is_there_stays(
    book: Logbook, artifacts: ArtifactStore, repo: GitRepo
) -> None:
    first = repo.commit({"a": "1\n"}, "first")
    repo.commit({}, "empty")
    done = sync_git(book, artifacts, str(repo.folder))
    assert (done.changes, done.patches, done.without_patch, done.notes) == (2, 1, 1, ())
    [patch] = patches(book)
    assert patch.source_id == f"{done.repo_id}:{first}"
    assert patch.evidence_uri == parse(patch.evidence_uri).text
    assert artifacts.read(patch.uri).startswith(b"diff --git a/a b/a\n")
    again = sync_git(book, artifacts, str(repo.folder))
    assert (again.changes, again.patches) == (0, 0)
    assert len(book.events()) == 1, "nothing happened"
    third = repo.commit({"a": "3\n"}, "third")
    assert sync_git(book, artifacts, str(repo.folder)).changes == 1
    assert patches(book)[1].source_id.endswith(third)


@pytest.mark.req("E-05")
def test_no_table_holds_the_evidence(
    book: Logbook, artifacts: ArtifactStore, repo: GitRepo
) -> None:
    words = "a sentence that stands in a file and nowhere else"
    repo.commit({"a": f"{words}\n", "b": f"{words}\n" * 100_000}, "subject")
    repo.commit({"c": "1\n"})
    sync_git(book, artifacts, str(repo.folder))
    with book.database.reading() as transaction:
        for table, columns in COLUMNS.items():
            rows = transaction.run(f"SELECT {', '.join(columns)} FROM {table}")
            text = "\n".join(str(value) for row in rows for value in row)
            assert words not in text
            assert "diff --git" not in text
    assert [one.format for one in patches(book)] == ["diffstat", "diff"]


def test_a_rewritten_history_is_told_and_evidence_stays(
    book: Logbook, artifacts: ArtifactStore, repo: GitRepo
) -> None:
    repo.commit({"a": "1\n"})
    repo.commit({"a": "2\n"})
    sync_git(book, artifacts, str(repo.folder))
    before = patches(book)
    repo.git("commit", "--quiet", "--amend", "--message", "amended")
    done = sync_git(book, artifacts, str(repo.folder))
    assert done.changes == 1
    assert "rewritten" in done.notes[0]
    assert "1 commits that the logbook holds are not in it" in done.notes[0]
    assert patches(book)[:2] == before
    assert done.notes[0] in book.events()[-1].data["notes"]
    assert sync_git(book, artifacts, str(repo.folder)).notes == ()


def test_branches_are_followed_each_by_itself(
    book: Logbook, artifacts: ArtifactStore, repo: GitRepo
) -> None:
    repo.commit({"a": "1\n"})
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit({"a": "2\n"})
    assert sync_git(book, artifacts, str(repo.folder)).changes == 2
    repo.git("checkout", "--quiet", "main")
    repo.commit({"a": "3\n"})
    done = sync_git(book, artifacts, str(repo.folder))
    assert (done.changes, done.notes) == (1, ())


def test_a_clone_that_is_no_longer_shallow_is_read_to_its_beginning(
    book: Logbook, artifacts: ArtifactStore, repo: GitRepo, tmp_path: Path
) -> None:
    for number in range(4):
        repo.commit({"a": f"{number}\n"})
    clone = str(tmp_path / "clone")
    repo.git("clone", "--quiet", "--depth=2", f"file://{repo.folder}", clone)
    done = sync_git(book, artifacts, clone, name="it")
    assert (done.changes, "shallow" in done.notes[0]) == (1, True)
    repo.git("-C", clone, "fetch", "--quiet", "--unshallow")
    assert sync_git(book, artifacts, clone, name="it").changes == 3


def test_a_damaged_repository_keeps_what_was_read(
    book: Logbook, artifacts: ArtifactStore, repo: GitRepo
) -> None:
    repo.commit({"a": "1\n"})
    repo.commit({"a": "2\n"})
    name = repo.git("rev-parse", "HEAD:a")
    place = repo.folder / ".git" / "objects" / name[:2] / name[2:]
    place.rename(repo.folder / "lost")
    with pytest.raises(Refused):
        sync_git(book, artifacts, str(repo.folder))
    (repo.folder / "lost").rename(place)
    sync_git(book, artifacts, str(repo.folder))
    whole(book, artifacts, repo, "main")


def syncing(url: str, folder: Path, repo: GitRepo, batch: int = 20) -> subprocess.Popen[bytes]:
    words = [url, f"{folder}/artifacts", str(repo.folder), str(batch), "many"]
    own = {**os.environ, "TMPDIR": str(folder)}  # nobody clears up behind one that is killed
    return subprocess.Popen([sys.executable, "-c", SYNC, *words], env=own)


def until_half(book: Logbook, process: subprocess.Popen[bytes]) -> None:
    """Wait until some of it is there."""
    until = time.monotonic() + 120
    while len(patches(book)) < 20 and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.001)


def test_a_sync_that_is_killed_loses_and_doubles_nothing(
    book: Logbook, artifacts: ArtifactStore, repo: GitRepo, url: str, tmp_path: Path
) -> None:
    repo.many(300)
    process = syncing(url, tmp_path, repo)
    until_half(book, process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    for one in patches(book):
        assert len(artifacts.read(one.uri)) == one.size_bytes, "bytes come before rows"
    done = sync_git(book, artifacts, str(repo.folder), name="it", revision="many")
    assert done.patches < 300
    whole(book, artifacts, repo)


def test_two_syncs_at_once_double_nothing(
    book: Logbook, artifacts: ArtifactStore, repo: GitRepo, url: str, tmp_path: Path
) -> None:
    repo.many(100)
    started = [syncing(url, tmp_path, repo) for _ in range(2)]
    assert [process.wait() for process in started] == [0, 0]
    whole(book, artifacts, repo)


def test_a_server_that_is_killed_and_comes_back_loses_and_doubles_nothing(
    repo: GitRepo, tmp_path: Path, artifacts: ArtifactStore
) -> None:
    repo.many(300)
    with Postgres() as server:
        with Logbook.open(server.dsn()) as watching:
            process = syncing(server.dsn(), tmp_path, repo, batch=5)
            until_half(watching, process)
        server.kill()
        server.start()
        assert process.wait() == 0, "it waits for the server, and goes on"
        with Logbook.open(server.dsn()) as book:
            whole(book, artifacts, repo)
