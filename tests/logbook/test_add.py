"""Files and runs are put in, all of it or nothing, and once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody import api
from custody.errors import StorageFailed, UsageError
from custody.logbook.add import add_files, add_run
from custody.logbook.artifacts import ArtifactStore, open_artifacts
from custody.logbook.book import Logbook

PIPELINE = """digraph made {
    start [shape=Mdiamond]
    keep  [type=write_file, output_path="docs/deep/hint.md", content="mind the gap"]
    done  [shape=Msquare]
    start -> keep -> done
}
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ArtifactStore]:
    opened = open_artifacts(str(tmp_path / "artifacts"))
    yield opened
    opened.close()


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Logbook]:
    with Logbook.open(str(tmp_path / "logbook.sqlite")) as book:
        yield book


@pytest.mark.req("E-05")
def test_files_become_attachments_once(book: Logbook, store: ArtifactStore, tmp_path: Path) -> None:
    (tmp_path / "a\n.txt").write_bytes(b"one\0")
    (tmp_path / "b.txt").write_bytes(b"")
    paths = [f"{tmp_path}/a\n.txt", f"{tmp_path}/b.txt"]
    added = add_files(book, store, paths, name="mine", kind="file", title="Mine")
    assert [store.read(one.uri) for one in added.attachments] == [b"one\0", b""]
    assert added.attachments[0].meta == {"name": "a\ufffd.txt"}
    assert add_files(book, store, paths, name="mine", kind="file", title="Mine") == added
    assert len(book.attachments()) == 2


def test_a_file_that_is_missing_adds_nothing(
    small: Logbook, store: ArtifactStore, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(b"one")
    paths = [f"{tmp_path}/a", f"{tmp_path}/missing"]
    with pytest.raises(StorageFailed):
        add_files(small, store, paths, name="mine", kind="file", title="Mine")
    with pytest.raises(UsageError):
        add_files(small, store, [], name="mine", kind="file", title="Mine")
    assert small.items() == []


def test_a_run_leaves_its_packet_and_what_it_made(
    small: Logbook, store: ArtifactStore, tmp_path: Path
) -> None:
    (tmp_path / "made.dot").write_text(PIPELINE)
    runsdir = str(tmp_path / "runs")
    result = api.run(str(tmp_path / "made.dot"), runsdir=runsdir, run_id="one")
    added = add_run(small, store, result.path)
    told = {str(one.meta["name"]): one for one in added.attachments}
    assert {"evidence/packet.json", "events.jsonl", "docs/deep/hint.md"} <= set(told)
    assert told["docs/deep/hint.md"].kind == "output"
    assert store.read(told["docs/deep/hint.md"].uri).startswith(b"mind the gap")
    assert (added.item.kind, added.item.name) == ("run", "one")
    assert add_run(small, store, result.path) == added
    Path(result.path, "evidence", "packet.json").unlink()
    with pytest.raises(UsageError, match="no packet"):
        add_run(small, store, result.path)
