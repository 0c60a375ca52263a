"""Whether paths still lead where they led is told, whatever has happened to them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from custody.store.identities import FolderState, LedTo, identity, note

LATER = 60_000_000_000


@pytest.fixture
def etc(tmp_path: Path) -> Path:
    """Make a folder with a file, a link to one elsewhere, and a folder."""
    folder = tmp_path / "etc"
    (folder / "ssl").mkdir(parents=True)
    (folder / "services").write_text("http 80")
    (tmp_path / "zone").write_text("UTC")
    (folder / "localtime").symlink_to(tmp_path / "zone")
    return folder


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything that was made have been made a minute ago."""
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + LATER)


def noted(etc: Path) -> LedTo:
    """Note what there is in the folder, and a file elsewhere, and names that are not there."""
    folder = FolderState.of(str(etc))
    paths = [*map(str, sorted(etc.iterdir())), f"{etc}/pki", f"{etc.parent}/tool"]
    return note([(path, identity(path)) for path in paths], folder, str(etc))


def replace(path: Path, text: str) -> None:
    other = path.with_name("other")
    other.write_text(text)
    other.rename(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a file is replaced": lambda etc: replace(etc / "services", "http 8080"),
    "a file is removed": lambda etc: (etc / "services").unlink(),
    "a name comes up": lambda etc: (etc / "pki").mkdir(),
    "a dangling link comes up and leads somewhere": lambda etc: (etc / "pki").symlink_to(etc),
    "what a link leads to is replaced": lambda etc: replace(etc.parent / "zone", "CET"),
    "something elsewhere comes up": lambda etc: (etc.parent / "tool").mkdir(),
    "the folder itself is replaced": lambda etc: etc.rename(etc.with_name("was")),
}


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_noticed(etc: Path, change: str) -> None:
    before = noted(etc)
    assert {os.path.basename(path) for path, _ in before.within} == {"services", "ssl", "pki"}
    assert before.holds(str(etc))
    CHANGES[change](etc)
    assert not before.holds(str(etc))


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_noticed_where_the_folder_has_just_changed(etc: Path, change: str) -> None:
    """Its time may stay the same: so every name is looked at."""
    before = noted(etc)
    assert before.folder is None
    assert not before.within
    assert before.holds(str(etc))
    CHANGES[change](etc)
    assert not before.holds(str(etc))


@pytest.mark.usefixtures("old")
def test_what_else_changes_in_the_folder_changes_nothing(etc: Path) -> None:
    before = noted(etc)
    (etc / "unrelated").write_text("x")
    (etc / "services").write_text("http 80, and more in the same file")
    assert before.holds(str(etc))


def test_a_folder_that_is_not_there_has_no_state(tmp_path: Path) -> None:
    assert FolderState.of(str(tmp_path / "missing")) is None
