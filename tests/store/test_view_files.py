"""Files that can be made again: whole, and in nobody's way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from custody.store.root import Root
from custody.store.view_files import ViewFiles


@pytest.fixture
def views(tmp_path: Path) -> Iterator[ViewFiles]:
    with Root.open(str(tmp_path)) as root, closing(ViewFiles(root)) as files:
        yield files


def test_a_new_folder_appears_with_all_of_its_files(views: ViewFiles, tmp_path: Path) -> None:
    views.put_folder("nodes/a/1.1", {"prompt.md": b"p", "status.json": b"s"})
    assert {path.name: path.read_bytes() for path in (tmp_path / "nodes/a/1.1").iterdir()} == {
        "prompt.md": b"p",
        "status.json": b"s",
    }
    assert [path.name for path in (tmp_path / "nodes/a").iterdir()] == ["1.1"]


def test_what_is_there_stays_unless_it_is_made_again(views: ViewFiles, tmp_path: Path) -> None:
    folder = tmp_path / "nodes/a/1.1"
    folder.mkdir(parents=True)
    (folder / "out.log").write_bytes(b"longer")
    (folder / "status.json").write_bytes(b"old")
    views.put_folder(
        "nodes/a/1.1", {"out.log": b"l", "new": b"n", "status.json": b"s"}, again={"status.json"}
    )
    assert (folder / "out.log").read_bytes() == b"longer"
    assert (folder / "new").read_bytes() == b"n"
    assert (folder / "status.json").read_bytes() == b"s"


def test_a_folder_that_somebody_makes_meanwhile_is_filled(
    views: ViewFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from custody.store import files

    write_new = files.write_new

    def meanwhile(*given: object, **options: object) -> None:
        (tmp_path / "nodes/a/1.1").mkdir(exist_ok=True)
        write_new(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "write_new", meanwhile)
    views.put_folder("nodes/a/1.1", {"prompt.md": b"p"})
    assert (tmp_path / "nodes/a/1.1/prompt.md").read_bytes() == b"p"
    assert [path.name for path in (tmp_path / "nodes/a").iterdir()] == ["1.1"]


def test_views_grow_and_are_replaced(views: ViewFiles, tmp_path: Path) -> None:
    for word in (b"one\n", b"two\n"):
        views.append("trace.jsonl", word)
        views.replace("checkpoint.json", word)
        views.write("nodes/x", word)
    assert (tmp_path / "trace.jsonl").read_bytes() == b"one\ntwo\n"
    assert (tmp_path / "checkpoint.json").read_bytes() == b"two\n"
    assert (tmp_path / "nodes/x").read_bytes() == b"two\n"


def test_folders_appear_whole_once_there_are_many(
    views: ViewFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first ones are filled one file after the other, which takes no ctypes."""
    from custody.store import syscalls

    renamed: list[str] = []
    rename = syscalls.rename_exclusively

    def noted(directory: int, source: str, target: str) -> None:
        renamed.append(target)
        rename(directory, source, target)

    monkeypatch.setattr(syscalls, "rename_exclusively", noted)
    for number in range(20):
        views.put_folder(f"nodes/n{number}/{number}.1", {"a": b"a", "b": b"b"})
    assert renamed == ["16.1", "17.1", "18.1", "19.1"]
    for number in range(20):
        folder = tmp_path / f"nodes/n{number}/{number}.1"
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"a": b"a", "b": b"b"}


def test_a_file_that_is_replaced_often_takes_turns_with_a_second_one(
    views: ViewFiles, tmp_path: Path
) -> None:
    inodes = []
    for number in range(12):
        views.replace("checkpoint.json", b"%d" % number)
        assert (tmp_path / "checkpoint.json").read_bytes() == b"%d" % number
        inodes.append((tmp_path / "checkpoint.json").stat().st_ino)
    assert len(set(inodes[4:])) == 2
    views.close()
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.json"]
