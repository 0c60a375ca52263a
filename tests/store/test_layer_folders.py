"""The folders of the layers: made afresh, opened with care, and gone without a trace."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from custody.store.layer_folders import LayerFolders
from custody.store.rundir import RunDirectory


@pytest.fixture
def folders(run: RunDirectory) -> LayerFolders:
    """Return the layers of a run that has none yet."""
    return LayerFolders(run.root)


def made(folders: LayerFolders, name: str, like: str = "") -> Path:
    return Path(folders.make(name, os.stat(like or folders._run.path)))


def test_it_holds_what_an_overlay_needs(
    folders: LayerFolders, run: RunDirectory, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    model.mkdir()
    model.chmod(0o2750)
    place = made(folders, "n/1.1", str(model))
    assert str(place) == f"{run.path}/layers/n/1.1"
    assert sorted(os.listdir(place)) == ["upper", "work"]
    assert stat.S_IMODE(os.stat(place / "upper").st_mode) == 0o2750
    with folders.make_mask("n/1.1") as mask:
        assert mask.path == f"{place}/mask"
        assert os.listdir(mask.fd) == []


def test_what_was_there_is_set_aside(folders: LayerFolders) -> None:
    for name in ("one", "two", "three"):
        place = made(folders, "n/1.1")
        assert os.listdir(place / "upper") == []
        (place / "upper" / name).touch()
    lost = [place.with_name(f"1.1.lost.{number}") for number in (1, 2)]
    assert [os.listdir(each) for each in lost] == [["upper"], ["upper"]]
    assert [os.listdir(each / "upper") for each in lost] == [["one"], ["two"]]
    assert list(folders.names()) == ["n/1.1"]


def test_an_upper_directory_that_was_closed_is_opened(folders: LayerFolders) -> None:
    place = made(folders, "n/1.1")
    (place / "upper" / "file").touch()
    (place / "upper").chmod(0)
    with folders.open_upper("n/1.1") as upper:
        assert upper.names() == ["file"]
    assert stat.S_IMODE(os.stat(place / "upper").st_mode) == 0o700


def test_only_the_upper_directory_is_kept(folders: LayerFolders) -> None:
    place = made(folders, "n/1.1")
    folders.make_mask("n/1.1").close()
    (place / "upper" / "file").touch()
    folders.keep_upper("n/1.1")
    assert os.listdir(place) == ["upper"]
    assert os.listdir(place / "upper") == ["file"]


def test_the_last_one_takes_its_folders_along(folders: LayerFolders, run: RunDirectory) -> None:
    for name in ("n/1.1", "n/1.2", "m/1.1"):
        made(folders, name)
    left = []
    for name in ("n/1.1", "n/1.2", "m/1.1"):
        folders.remove(name)
        left.append(list(folders.names()))
    assert left == [["m/1.1", "n/1.2"], ["m/1.1"], []]
    assert not run.root.exists("layers")
    folders.remove("n/1.1")


def test_what_holds_nothing_is_pruned(folders: LayerFolders, run: RunDirectory) -> None:
    folders.prune()
    made(folders, "n/1.1")
    run.root.make_dirs("layers/empty")
    folders.prune()
    assert run.root.names("layers") == ["n"]
    run.root.write("layers/stray", b"")
    assert list(folders.names()) == ["n/1.1", "stray"]
    folders.prune()
    assert run.root.names("layers") == ["n", "stray"]
