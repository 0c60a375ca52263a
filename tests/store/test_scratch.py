"""A folder for a moment leaves nothing behind."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from custody.errors import PathRefused, StorageFailed
from custody.store.files import is_temporary
from custody.store.scratch import keep, scratch

OrdinaryUser = Callable[[], AbstractContextManager[None]]


def test_it_is_new_and_its_owners_alone(tmp_path: Path) -> None:
    with scratch(str(tmp_path)) as made:
        assert Path(made.path).stat().st_mode & 0o777 == 0o700
        assert is_temporary(Path(made.path).name), "a run that is taken up would not sweep it"
        made.write("a/b", b"x")
        assert Path(made.path, "a", "b").read_bytes() == b"x"
    assert os.listdir(tmp_path) == []


def test_without_a_folder_it_is_among_the_temporaries() -> None:
    with scratch() as made, scratch() as other:
        assert Path(made.path).parent == Path(tempfile.gettempdir())
        assert made.path != other.path
    assert not Path(made.path).exists()


def test_what_was_closed_is_removed_too(ordinary_user: OrdinaryUser) -> None:
    with ordinary_user(), scratch() as made:
        made.make_dirs("work/work")
        Path(made.path, "work", "work").chmod(0)
        Path(made.path, "work").chmod(0o500)
    assert not Path(made.path).exists()


def fails_in(folder: Path) -> None:
    with scratch(str(folder)) as made:
        made.write("left", b"")
        raise RuntimeError


def test_nothing_is_left_whatever_happens(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        fails_in(tmp_path)
    assert os.listdir(tmp_path) == []


def test_no_place_for_it_is_told(tmp_path: Path, ordinary_user: OrdinaryUser) -> None:
    with pytest.raises(PathRefused) as refused, scratch(f"{tmp_path}/missing"):
        pytest.fail("it was made")
    assert refused.value.code == "missing"
    with ordinary_user(), pytest.raises(StorageFailed), scratch("/usr"):
        pytest.fail("it was made")


def test_a_file_that_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = Path(keep(b"why", begins="custody-error-", ends=".txt"))
    other = Path(keep(b"why", begins="custody-error-", ends=".txt"))
    assert (path.parent, path != other) == (tmp_path, True)
    assert path.match("custody-error-*.txt")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"why", 0o600)
    monkeypatch.setattr(tempfile, "tempdir", f"{tmp_path}/missing")
    with pytest.raises(PathRefused):
        keep(b"why", begins="", ends="")
