"""An index follows its logbook and its documents, whatever is killed when."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from custody.logbook.add import add_files
from custody.logbook.artifacts import ArtifactStore, open_artifacts
from custody.logbook.book import Logbook
from custody.logbook.git_sync import sync_git
from custody.resolvers.choose import configured
from custody.seek.configured import index_of
from custody.seek.documents import DOCUMENTS
from custody.seek.index import Index
from custody.seek.records import Query
from custody.seek.update import Docs, IndexUpdate, Updated, unresolved
from support.histories import GitRepo

pytestmark = [pytest.mark.req("E-10"), pytest.mark.usefixtures("_alone")]
KILLED = """
import os, sys
from custody.logbook.artifacts import open_artifacts
from custody.logbook.book import Logbook
from custody.resolvers.choose import configured
from custody.seek import update
from custody.seek.configured import index_of
update.BATCH = 2
with Logbook.open(sys.argv[1]) as book:
    artifacts = open_artifacts(sys.argv[2])
    resolver = configured({}, folder=sys.argv[3], pointers=book, artifacts=artifacts)
    docs = update.Docs(sys.argv[3], ("*.md",), os.environ)
    told = lambda seen: print(seen, flush=True)
    update.IndexUpdate(index_of(book.database), book, resolver, told).run(docs)
"""


@pytest.fixture
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask no configuration of whoever runs the tests."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


class World(NamedTuple):
    """A logbook with an index, and a repository with documents."""

    book: Logbook
    artifacts: ArtifactStore
    seek: Index
    repo: GitRepo

    @property
    def root(self) -> str:
        """Where the documents are."""
        return str(self.repo.folder)

    def update(self, *patterns: str, documents: bool = True) -> Updated:
        """Bring the index up."""
        resolver = configured({}, folder=self.root, pointers=self.book, artifacts=self.artifacts)
        docs = Docs(self.root, patterns or DOCUMENTS, os.environ) if documents else None
        return IndexUpdate(self.seek, self.book, resolver, lambda _: None).run(docs)

    def found(self, text: str) -> list[str]:
        """Return the source ids of what is found."""
        hits = self.seek.search(Query(text=text, root=self.root)).hits
        return [hit.source_id for hit in hits]


@pytest.fixture
def world(url: str, tmp_path: Path) -> Iterator[World]:
    repo = GitRepo(tmp_path / "repo")
    repo.commit({"retry.py": "def retry():\n    return 1\n"}, "Add a loop")
    repo.commit({"docs/guide.md": "# Guide\n\nHow to wait.\n", "README.md": "# Read me\n"})
    with Logbook.open(url) as book:
        artifacts = open_artifacts(str(tmp_path / "artifacts"))
        sync_git(book, artifacts, str(repo.folder), name="it")
        yield World(book, artifacts, index_of(book.database), repo)
        artifacts.close()


def test_patches_attachments_and_documents_are_found(world: World, tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text("The zebra was measured.\n")
    files = [str(tmp_path / "report.txt")]
    added = add_files(world.book, world.artifacts, files, name="f", kind="file", title="t")
    updated = world.update()
    assert (updated.added, updated.removed, updated.kept) == (5, 0, 0)
    assert updated.unresolved == ()
    assert world.found("zebra") == [str(added.attachments[0].attachment_id)]
    assert "docs:guide.md" in world.found("guide")
    commit = world.repo.git("rev-parse", "HEAD~1")
    assert world.found("retry") == [f"1:{commit}"]


def test_the_same_again_does_nothing(world: World) -> None:
    world.update()
    before = world.seek.stats(), world.seek.digest()
    updated = world.update()
    assert (updated.added, updated.removed, updated.kept) == (0, 0, 4)
    assert (world.seek.stats(), world.seek.digest()) == before


def test_only_what_is_new_is_read(world: World, tmp_path: Path) -> None:
    world.update()
    for file in sorted((tmp_path / "artifacts").rglob("*")):
        if file.is_file():
            file.unlink()
    world.repo.commit({"b.py": "def wanted(): ...\n"})
    sync_git(world.book, world.artifacts, world.root, name="it")
    updated = world.update()
    assert (updated.added, updated.unresolved) == (1, ())


@pytest.mark.req("E-06")
def test_documents_that_change_and_go(world: World) -> None:
    world.update()
    guide = Path(world.root, "docs", "guide.md")
    guide.write_text("# Guide\n\nHow to hurry.\n")
    Path(world.root, "README.md").unlink()
    Path(world.root, "new.md").write_text("A giraffe.\n")
    updated = world.update()
    assert (updated.added, updated.removed, updated.kept) == (2, 2, 2)
    assert "docs:guide.md" in world.found("hurry")
    assert "docs:guide.md" not in world.found("wait")
    assert world.found("giraffe") == [".:new.md"]
    commit = world.repo.git("rev-parse", "HEAD")
    [hit] = world.seek.search(Query(text="hurry", root=world.root, kinds=("document",))).hits
    assert hit.git_commit == commit


@pytest.mark.req("E-06")
def test_many_documents_have_their_commits_too(world: World) -> None:
    first = world.repo.commit({f"docs/{number}.md": f"number{number}\n" for number in range(30)})
    second = world.repo.commit({"docs/7.md": "number7, and more\n"})
    world.update()
    for text, commit in (("number3", first), ("number7", second)):
        [hit] = world.seek.search(Query(text=text, root=world.root, words_only=True)).hits
        assert hit.git_commit == commit


def test_other_documents_are_let_go_of(world: World) -> None:
    world.update()
    updated = world.update("docs/*.md")
    assert (updated.added, updated.removed) == (0, 1)
    assert world.seek.patterns(world.root) == ("docs/*.md",)
    assert world.seek.patterns("/elsewhere") == DOCUMENTS
    updated = world.update(documents=False)
    assert (updated.added, updated.removed) == (0, 0)
    world.seek.rebuild()
    assert world.seek.patterns(world.root) == ("docs/*.md",)


def test_what_cannot_be_had_is_told_until_it_can(world: World, tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text("The zebra was measured.\n")
    files = [str(tmp_path / "report.txt")]
    added = add_files(world.book, world.artifacts, files, name="f", kind="file", title="t")
    [one] = added.attachments
    place = next((tmp_path / "artifacts").rglob(f"*{one.sha256[4:]}*"))
    data = place.read_bytes()
    place.unlink()
    Path(world.root, "link.md").symlink_to("README.md")
    Path(world.root, "data.md").write_bytes(b"\0\1\2")
    for _ in range(2):
        updated = world.update()
        told = {(bad.artifact_uri.split("/")[-1][:7], bad.code) for bad in updated.unresolved}
        data_sha = "ae4b328"
        assert ("link.md", "refused") in told
        assert (one.sha256[:7], "gone") in told
        assert (data_sha, "no_text") in told
        assert len(told) == 3
        assert world.found("zebra") == []
    place.write_bytes(data)
    Path(world.root, "link.md").unlink()
    Path(world.root, "data.md").unlink()
    updated = world.update()
    assert (updated.added, updated.unresolved, unresolved(world.seek)) == (1, (), [])
    assert world.found("zebra") == [str(one.attachment_id)]


def test_a_document_that_no_uri_can_name_hinders_no_other(world: World) -> None:
    folder = os.fsencode(world.root)
    for name in (b"caf\xe9.md", b"caf\\xe9.md", b"a\nb.md", b"aux.md", b"x\xe2\x80\xae.md"):
        Path(os.fsdecode(folder + b"/" + name)).write_text("A zebra.\n")
    for _ in range(2):
        updated = world.update()
        told = {(bad.artifact_uri, bad.code) for bad in updated.unresolved}
        assert ("caf\\xe9.md", "E_MALFORMED") in told
        assert {("a\nb.md", "E_MALFORMED"), ("aux.md", "E_MALFORMED")} < told
        assert len(told) == 4
    assert "docs:guide.md" in world.found("guide")
    assert world.found("zebra") == []
    for name in os.listdir(folder):
        if b"caf" in name:
            os.remove(folder + b"/" + name)
    assert len(world.update().unresolved) == 3


def test_vectors_are_fitted_when_there_is_enough(world: World) -> None:
    updated = world.update()
    assert updated.vectors == 0
    assert updated.notes[0].startswith("words only: 4 sources are too few")
    for number in range(20):
        Path(world.root, f"{number}.md").write_text(f"A page about number{number} and waiting.\n")
    updated = world.update()
    assert (updated.added, updated.vectors, updated.notes) == (20, 24, ())


def test_whatever_is_killed_when_nothing_is_lost_or_doubled(
    world: World, url: str, tmp_path: Path
) -> None:
    world.repo.many(30)
    sync_git(world.book, world.artifacts, world.root, name="it", revision="many")
    for number in range(20):
        Path(world.root, f"{number}.md").write_text(f"# Page {number}\n\nnumber{number}\n")
    words = [sys.executable, "-c", KILLED, url, str(tmp_path / "artifacts"), world.root]
    lines = 0
    for _ in range(4):
        lines += _killed(words, after=random.randrange(1, 6))
        stats = world.seek.stats()
        assert 0 < stats.sources < 60
        with world.seek.database.reading() as transaction:
            [(doubled,)] = transaction.run(
                """SELECT count(*) FROM (SELECT 1 FROM seek.sources
                GROUP BY root, artifact_uri HAVING count(*) > 1) twice"""
            )
            [(wrong,)] = transaction.run(
                """SELECT count(*) FROM seek.terms t WHERE t.sources <>
                (SELECT count(*) FROM seek.postings p WHERE p.term_no = t.term_no)"""
            )
            [(half,)] = transaction.run(
                """SELECT count(*) FROM seek.sources s WHERE s.pieces <>
                (SELECT count(*) FROM seek.chunks c WHERE c.source_no = s.source_no)"""
            )
        assert (doubled, wrong, half) == (0, 0, 0)
    updated = world.update("*.md")
    assert updated.kept + updated.added == 54
    digest, stats = world.seek.digest(), world.seek.stats()
    world.seek.rebuild()
    world.update("*.md")
    assert (world.seek.digest(), world.seek.stats()) == (digest, stats)


def _killed(words: list[str], after: int) -> int:
    """Start an update, kill it when it has told so many times; return how often it has."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = 0
    for _ in range(after):
        told += bool(process.stdout.readline())
    time.sleep(random.random() / 50)
    os.kill(process.pid, signal.SIGKILL)
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL
    return told
