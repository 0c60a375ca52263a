"""One step: done once however often it is asked for, and undone to what was there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.store.root import Root
from custody.workspace.takeover import TakeoverStep
from custody.workspace.takeover.look import look
from custody.workspace.takeover.step import InTheWay, Stepper, new_name, old_name


class Place:
    """A folder, and one beside it in which new files wait."""

    def __init__(self, home: Path) -> None:
        self.here, self.beside = home / "here", home / "here" / "beside"
        self.beside.mkdir(parents=True)
        self.root, self.waiting = Root.open(str(self.here)), Root.open(str(self.beside))
        self.stepper = Stepper(self.root, self.waiting)

    def step(self, kind: str, path: str, new: str = "") -> TakeoverStep:
        before = look(self.root, path)
        if new:
            (self.beside / new_name(0)).write_text(new)
        after = look(self.waiting, new_name(0)) if new else None
        inode = (self.beside / new_name(0)).stat().st_ino if new else 0
        return TakeoverStep(kind=kind, path=path, before=before, after=after, inode=inode)  # type: ignore[arg-type]

    def close(self) -> None:
        self.root.close()
        self.waiting.close()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    (made.here / "f").write_text("old")
    yield made
    made.close()


def test_replacing_and_back(place: Place) -> None:
    step = place.step("replace", "f", "new")
    for _ in range(2):
        place.stepper.do(0, step)
        assert (place.here / "f").read_text() == "new"
    for _ in range(2):
        place.stepper.undo(0, step)
        assert (place.here / "f").read_text() == "old"


def test_replacing_what_somebody_changed(place: Place) -> None:
    step = place.step("replace", "f", "new")
    (place.here / "f").write_text("mine")
    with pytest.raises(InTheWay, match="at the same moment"):
        place.stepper.do(0, step)
    assert (place.here / "f").read_text() == "mine"
    place.stepper.undo(0, step)
    assert (place.here / "f").read_text() == "mine"
    (place.here / "f").unlink()
    with pytest.raises(InTheWay, match="gone"):
        place.stepper.do(0, step)


def test_undoing_what_somebody_changed(place: Place) -> None:
    step = place.step("replace", "f", "new")
    place.stepper.do(0, step)
    (place.here / "f").write_text("mine")
    with pytest.raises(InTheWay):
        place.stepper.undo(0, step)
    assert (place.here / "f").read_text() == "mine"


def test_the_way_of_file_systems_that_cannot_exchange(place: Place) -> None:
    step = place.step("replace", "f", "new")
    (place.here / "f").rename(place.beside / old_name(0))  # killed between its two renames
    place.stepper.do(0, step)
    assert (place.here / "f").read_text() == "new"
    place.stepper.undo(0, step)
    assert (place.here / "f").read_text() == "old"


def test_adding_and_back(place: Place) -> None:
    step = place.step("add", "n", "new")
    for _ in range(2):
        place.stepper.do(0, step)
    assert (place.here / "n").read_text() == "new"
    for _ in range(2):
        place.stepper.undo(0, step)
    assert not (place.here / "n").exists()


def test_adding_where_something_is_by_now(place: Place) -> None:
    step = place.step("add", "n", "new")
    (place.here / "n").write_text("mine")
    with pytest.raises(InTheWay, match="something is there"):
        place.stepper.do(0, step)
    assert (place.here / "n").read_text() == "mine"


def test_removing_and_back(place: Place) -> None:
    step = place.step("remove", "f")
    for _ in range(2):
        place.stepper.do(0, step)
    assert not (place.here / "f").exists()
    for _ in range(2):
        place.stepper.undo(0, step)
    assert (place.here / "f").read_text() == "old"


def test_removing_what_somebody_changed(place: Place) -> None:
    step = place.step("remove", "f")
    (place.here / "f").write_text("mine")
    with pytest.raises(InTheWay):
        place.stepper.do(0, step)
    assert (place.here / "f").read_text() == "mine"


def test_folders_and_their_modes(place: Place) -> None:
    (place.here / "d").mkdir(0o755)
    step = place.step("remove_folder", "d")
    place.stepper.do(0, step)
    place.stepper.do(0, step)
    assert not (place.here / "d").exists()
    place.stepper.undo(0, step)
    assert (place.here / "d").stat().st_mode & 0o777 == 0o755
    made = TakeoverStep(kind="make_folder", path="e", after=look(place.root, "d"))
    place.stepper.do(0, made)
    assert (place.here / "e").is_dir()
    place.stepper.undo(0, made)
    assert not (place.here / "e").exists()


def test_a_folder_that_holds_more_stays(place: Place) -> None:
    (place.here / "d").mkdir()
    step = place.step("remove_folder", "d")
    (place.here / "d" / "mine").write_text("mine")
    place.stepper.do(0, step)
    assert (place.here / "d" / "mine").exists()


def test_a_mode_that_somebody_changed(place: Place) -> None:
    (place.here / "d").mkdir(0o755)
    before = look(place.root, "d")
    (place.here / "d").chmod(0o700)
    after = look(place.root, "d")
    (place.here / "d").chmod(0o711)
    step = TakeoverStep(kind="set_mode", path="d", before=before, after=after)
    with pytest.raises(InTheWay):
        place.stepper.do(0, step)
    (place.here / "d").chmod(0o755)
    place.stepper.do(0, step)
    assert (place.here / "d").stat().st_mode & 0o777 == 0o700
    place.stepper.undo(0, step)
    assert (place.here / "d").stat().st_mode & 0o777 == 0o755


def test_a_symlink_on_the_way_is_never_followed(place: Place, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (place.here / "d").mkdir()
    step = place.step("add", "d/n", "new")
    (place.here / "d").rmdir()
    (place.here / "d").symlink_to(tmp_path / "outside")
    with pytest.raises(PathRefused, match="symlink"):
        place.stepper.do(0, step)
    assert list((tmp_path / "outside").iterdir()) == []
