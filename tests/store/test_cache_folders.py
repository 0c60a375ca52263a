"""The folders of the caches: a base that only grows by what was accepted, and one an attempt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.store.cache_folders import CacheFolders, reduce
from custody.store.resolve import own
from custody.store.root import Root


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Root]:
    """Return the folder of a run."""
    with Root.open(str(tmp_path), resolver=own) as root:
        yield root


@pytest.fixture
def folders(run: Root) -> CacheFolders:
    """Return its caches."""
    return CacheFolders(run)


def fill(path: str, name: str, text: str) -> None:
    (Path(path) / name).parent.mkdir(parents=True, exist_ok=True)
    (Path(path) / name).write_text(text)


def names(run: Root) -> list[str]:
    top = Path(run.path)
    return sorted(str(path.relative_to(top)) for path in top.rglob("*") if path.is_file())


def begun(run: Root, folders: CacheFolders, request: str, *, layered: bool = False) -> str:
    folders.begin(request, layered=layered)
    return f"{run.path}/cache/{request.replace('/', '.')}"


def test_an_attempt_begins_with_nothing(run: Root, folders: CacheFolders) -> None:
    for _ in range(2):
        path = begun(run, folders, "n/1.1")
        assert list(Path(path).iterdir()) == []
        fill(path, "pip/wheel", "left by a process that was killed")


def test_there_is_no_base_until_something_is_kept(run: Root, folders: CacheFolders) -> None:
    assert folders.base == ""
    begun(run, folders, "n/1.1")
    folders.end("n/1.1", {"pip"})
    assert folders.base == "", "there is nothing in it"
    for number in ("1", "2"):
        path = begun(run, folders, f"n/1.{number}")
        fill(path, "pip/wheel", number)
        fill(path, "tmp/x", number)
        folders.end(f"n/1.{number}", {"pip", "npm"})
    assert folders.base == f"{run.path}/cache/base"
    assert (Path(folders.base) / "pip" / "wheel").read_text() == "2"
    assert names(run) == ["cache/base/pip/wheel"]


def test_parts_of_a_folder_are_kept(run: Root, folders: CacheFolders) -> None:
    path = begun(run, folders, "n/1.1")
    for name in ("cargo/registry/index", "cargo/credentials.toml", "cargo/bin/x", "other/registry"):
        fill(path, name, "")
    folders.end("n/1.1", {"cargo/registry", "cargo/git"})
    assert names(run) == ["cache/base/cargo/registry/index"]
    path = begun(run, folders, "n/1.2")
    fill(path, "tmp/x", "")
    with run.sub("cache/n.1.2") as folder:
        folder.remove_tree("cargo")
        folder.write("cargo", b"no folder")
        assert not reduce(folder, {"cargo/registry"})
        assert folder.names() == []


def test_an_attempt_begins_with_a_copy_or_beside_the_base(run: Root, folders: CacheFolders) -> None:
    fill(begun(run, folders, "n/1.1"), "pip/wheel", "one")
    folders.end("n/1.1", {"pip"})
    path = begun(run, folders, "n/1.2")
    assert (Path(path) / "pip" / "wheel").read_text() == "one"
    fill(path, "pip/wheel", "spoilt")
    assert (Path(folders.base) / "pip" / "wheel").read_text() == "one"
    folders.end("n/1.2")
    assert folders.begin("n/1.3", layered=True) == folders.base
    with folders.open_upper("n/1.3") as upper, folders.open_base() as base:
        assert (upper.names(), base.names()) == ([], ["pip"])
    folders.end("n/1.3")
    assert names(run) == ["cache/base/pip/wheel"]


def test_what_a_killed_process_left_is_swept(run: Root, folders: CacheFolders) -> None:
    fill(begun(run, folders, "n/1.1"), "pip/wheel", "one")
    folders.end("n/1.1", {"pip"})
    fill(begun(run, folders, "n/1.2"), "pip/wheel", "half")
    fill(f"{run.path}/cache", "pip/wheel", "as runs had it before")
    folders.sweep()
    assert names(run) == ["cache/base/pip/wheel"]
    folders.drop()
    assert not run.exists("cache")
    folders.sweep()


@pytest.mark.parametrize("what", ["file", "link"])
def test_something_else_in_its_place_is_removed(
    run: Root, folders: CacheFolders, what: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "base").mkdir()
    (elsewhere / "base" / "kept").touch()

    def replace() -> None:
        run.remove_tree("cache")
        if what == "file":
            run.write("cache", b"no folder")
        else:
            (Path(run.path) / "cache").symlink_to(elsewhere)

    run.make_dirs("cache")
    replace()
    folders.sweep()
    assert not run.exists("cache")
    path = begun(run, folders, "n/1.1")
    replace()
    folders.end("n/1.1", {"pip"})
    assert not run.exists("cache")
    run.make_dirs("cache")
    replace()
    assert begun(run, folders, "n/1.1") == path
    assert Path(path).is_dir()
    assert (elsewhere / "base" / "kept").exists()


def test_another_run_begins_with_a_copy_of_the_base(run: Root, folders: CacheFolders) -> None:
    run.make_dirs("other")
    with run.sub("other") as other:
        CacheFolders(other).take_over(run)
        assert other.names() == []
        fill(begun(run, folders, "n/1.1"), "pip/wheel", "one")
        folders.end("n/1.1", {"pip"})
        CacheFolders(other).take_over(run)
        assert (Path(other.path) / "cache" / "base" / "pip" / "wheel").read_text() == "one"
