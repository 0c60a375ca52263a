"""An update of the index that is killed, or loses its server: nothing lost, nothing doubled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from custody.logbook.artifacts import open_artifacts
from custody.logbook.book import Logbook
from custody.logbook.git_sync import sync_git
from custody.resolvers.choose import configured
from custody.seek.configured import index_of
from custody.seek.index import Index
from custody.seek.records import Query, Stats
from custody.seek.update import IndexUpdate
from support.histories import GitRepo
from support.postgres import Postgres
from support.seeking import switched_off

pytestmark = [
    pytest.mark.req("E-10"),
    pytest.mark.skipif(switched_off(), reason="SEEKDB_ENABLE=0"),
]
CHANGES = 300
UPDATE = """\
import sys
from custody.logbook.artifacts import open_artifacts
from custody.logbook.book import Logbook
from custody.resolvers.choose import configured
from custody.seek import update
from custody.seek.configured import index_of

url, folder, update.BATCH = *sys.argv[1:3], int(sys.argv[3])
with Logbook.open(url) as book:
    resolver = configured({}, folder=folder, pointers=book, artifacts=open_artifacts(folder))
    update.IndexUpdate(index_of(book.database), book, resolver, lambda _: None).run(None)
"""


class Held(NamedTuple):
    """All that an index can tell of itself."""

    stats: Stats
    digest: str
    hits: tuple[tuple[str, float], ...]
    words: tuple[tuple[str, int], ...]


@pytest.fixture(scope="session", autouse=True)
def _before_any_test(postgres: Postgres) -> None:
    """Start the server before the first test counts the processes that are there."""


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    """Return a history that no test changes."""
    made = GitRepo(tmp_path_factory.mktemp("history") / "repo")
    made.many(CHANGES)
    return made


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "logbook.sqlite")
    return str(request.getfixturevalue("database"))


def synced(url: str, repo: GitRepo, artifacts: Path) -> None:
    """Take the history into a logbook."""
    store = open_artifacts(str(artifacts))
    with Logbook.open(url) as book:
        sync_git(book, store, str(repo.folder), name="it", revision="many")
    store.close()


def updating(url: str, artifacts: Path, batch: int = 5) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", UPDATE, url, str(artifacts), str(batch)])


def update(url: str, artifacts: Path) -> None:
    """Do an update here."""
    store = open_artifacts(str(artifacts))
    with Logbook.open(url) as book:
        resolver = configured({}, folder=str(artifacts), pointers=book, artifacts=store)
        IndexUpdate(index_of(book.database), book, resolver, lambda _: None).run(None)
    store.close()


def held(url: str) -> Held:
    """Look at an index."""
    with Logbook.open(url) as book:
        index = index_of(book.database)
        answer = index.search(Query(text="a 17 217", count=20, words_only=True))
        with book.database.reading() as transaction:
            rows = transaction.run("SELECT term, sources FROM seek.terms")
        hits = tuple((hit.chunk_id, hit.score) for hit in answer.hits)
        words = tuple(sorted((row[0], int(row[1])) for row in rows))
        return Held(index.stats(), index.digest(), hits, words)


def until_some(index: Index, process: subprocess.Popen[bytes]) -> None:
    """Wait until a part of it is there."""
    until = time.monotonic() + 120
    while index.stats().sources < 20 and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.001)


@pytest.fixture(scope="module")
def undisturbed(repo: GitRepo, tmp_path_factory: pytest.TempPathFactory) -> Held:
    """Return what an index holds that nobody disturbed."""
    folder = tmp_path_factory.mktemp("undisturbed")
    place = str(folder / "logbook.sqlite")
    synced(place, repo, folder / "artifacts")
    update(place, folder / "artifacts")
    found = held(place)
    assert found.stats.sources == CHANGES
    assert found.hits
    return found


def test_an_update_that_is_killed_is_taken_up_again(
    url: str, repo: GitRepo, tmp_path: Path, undisturbed: Held
) -> None:
    artifacts = tmp_path / "artifacts"
    synced(url, repo, artifacts)
    with Logbook.open(url) as watching:
        process = updating(url, artifacts)
        until_some(index_of(watching.database), process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = held(url).stats.sources
    assert 20 <= before < CHANGES
    update(url, artifacts)
    assert held(url) == undisturbed


def test_a_server_that_is_killed_and_comes_back_loses_and_doubles_nothing(
    repo: GitRepo, tmp_path: Path, undisturbed: Held
) -> None:
    artifacts = tmp_path / "artifacts"
    with Postgres() as server:
        url = server.dsn()
        synced(url, repo, artifacts)
        with Logbook.open(url) as watching:
            process = updating(url, artifacts)
            until_some(index_of(watching.database), process)
        server.kill()
        server.start()
        assert process.wait() == 0, "it waits for the server, and goes on"
        stats = held(url).stats
        missed = "a pointer that was looked up meanwhile is told, and taken the next time"
        assert stats.sources + stats.unresolved == CHANGES, missed
        update(url, artifacts)
        assert held(url) == undisturbed


def test_two_updates_at_once_double_nothing(
    url: str, repo: GitRepo, tmp_path: Path, undisturbed: Held
) -> None:
    artifacts = tmp_path / "artifacts"
    synced(url, repo, artifacts)
    with Logbook.open(url) as book:
        index_of(book.database)
    started = [updating(url, artifacts, batch=15) for _ in range(2)]
    assert [process.wait() for process in started] == [0, 0]
    assert held(url) == undisturbed
