"""Places that the user named: what is there, wherever links lead."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from custody.errors import PathRefused, StorageFailed
from custody.store import places

OrdinaryUser = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a folder with one of each kind, and links to them."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text")
    (tmp_path / "program").write_text("#!/bin/sh\n")
    (tmp_path / "program").chmod(0o755)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "broken").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("folder", "file", "program", "pipe"):
        (tmp_path / f"to-{name}").symlink_to(name)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("folder", {"there", "folder"}),
        ("file", {"there", "file"}),
        ("program", {"there", "file", "program"}),
        ("pipe", {"there"}),
    ],
)
@pytest.mark.parametrize("link", ["", "to-"])
def test_what_a_path_leads_to(here: Path, name: str, kinds: set[str], link: str) -> None:
    assert told(f"{here}/{link}{name}") == kinds


@pytest.mark.parametrize("name", ["missing", "broken", "loop", "file/below", "a\0b", "x" * 300])
def test_a_path_that_leads_nowhere(here: Path, name: str) -> None:
    assert told(f"{here}/{name}") == set()


def told(path: str) -> set[str]:
    asked = {
        "there": places.is_there,
        "folder": places.is_folder,
        "file": places.is_file,
        "program": places.is_program,
    }
    return {kind for kind, ask in asked.items() if ask(path)}


def test_a_place_is_known_whatever_path_leads_to_it(here: Path) -> None:
    assert places.identity(f"{here}/folder") == places.identity(f"{here}/to-folder")
    assert places.identity(f"{here}/folder") != places.identity(f"{here}/file")
    assert places.identity(f"{here}/missing") is None
    assert places.identity(f"{here}/file/below") is None
    with pytest.raises(PathRefused) as refused:
        places.identity(f"{here}/loop")
    assert refused.value.code == "symlink"


def test_where_a_path_leads(here: Path) -> None:
    assert places.real_path(f"{here}/to-file") == f"{here.resolve()}/file"
    with pytest.raises(FileNotFoundError):
        places.real_path(f"{here}/broken")


@pytest.mark.parametrize(
    ("path", "folder", "inside"),
    [
        ("folder", "folder", True),
        ("folder/new/deep", "folder", True),
        ("to-folder/new", "folder", True),
        ("folder/new", "to-folder", True),
        ("folder/../file", "folder", False),
        ("folder2", "folder", False),
        ("broken", "folder", False),
    ],
)
def test_whether_a_path_lies_in_a_folder(here: Path, path: str, folder: str, inside: bool) -> None:
    assert places.lies_in(f"{here}/{path}", f"{here}/{folder}") is inside


def test_a_file_system_is_known_by_its_device_and_how_it_is_mounted(here: Path) -> None:
    assert places.file_system(str(here)) == places.file_system(str(here.parent))
    assert places.file_system(str(here)) != places.file_system("/proc")
    with pytest.raises(PathRefused, match="no such file"):
        places.file_system(str(here / "missing"))


def test_what_a_file_begins_with(here: Path) -> None:
    assert places.first_bytes(f"{here}/to-file", 2) == b"te"
    assert places.first_bytes(f"{here}/file", 100) == b"text"
    for name in ("missing", "folder", "pipe"):
        assert places.first_bytes(f"{here}/{name}", 100) == b""


def test_folders_are_made_where_they_are_missing(here: Path, ordinary_user: OrdinaryUser) -> None:
    places.make_folder(f"{here}/folder/a/b")
    places.make_folder(f"{here}/folder/a/b")
    assert (here / "folder" / "a" / "b").is_dir()
    with pytest.raises(PathRefused) as refused:
        places.make_folder(f"{here}/file")
    assert (refused.value.code, refused.value.where) == ("exists", f"{here}/file")
    with ordinary_user(), pytest.raises(StorageFailed):
        places.make_folder("/usr/custody")


def test_the_nearest_folder_above_is_found(here: Path) -> None:
    assert places.nearest_folder(str(here / "folder" / "a" / "b")) == str(here / "folder")
    assert places.nearest_folder(str(here / "file" / "a")) == str(here)
    assert places.nearest_folder("/") == "/"


def test_links_are_told_by_what_they_say_and_where_they_end(tmp_path: Path) -> None:
    for name in ("bin", "v2"):
        (tmp_path / name).mkdir()
    for name in ("bin/own", "v2/tool"):
        (tmp_path / name).touch(0o755)
    (tmp_path / "v2" / "text").touch(0o644)
    (tmp_path / "bin" / "text").symlink_to("../v2/text")
    (tmp_path / "bin" / "folder").symlink_to("../v2")
    (tmp_path / "current").symlink_to("v2")
    (tmp_path / "bin" / "tool").symlink_to("../current/tool")
    (tmp_path / "bin" / "alias").symlink_to("own")
    (tmp_path / "bin" / "lost").symlink_to("nowhere")
    both = [(f"{tmp_path}/current/tool", f"{tmp_path}/v2/tool")]
    assert places.links_in(f"{tmp_path}/bin") == both
    assert places.links_in(f"{tmp_path}/bin", only="tool") == both
    assert places.links_in(f"{tmp_path}/bin", only="own") == []
    assert places.links_in(f"{tmp_path}/missing") == []
    assert places.leads_to(f"{tmp_path}/current") == f"{tmp_path}/v2"
    assert places.leads_to("/no/where") == "/no/where"
    current = f"{tmp_path}/current"
    assert places.look_into({current: [current, "/no/where"]}) == {
        current: (f"{tmp_path}/v2", [], [current])
    }
    assert places.links_in("a\0b") == []
    assert places.those_there(["/no/where", f"{tmp_path}/v2", "a\0b"]) == [f"{tmp_path}/v2"]
    assert places.may_enter(f"{tmp_path}/v2")
    assert not places.may_enter(f"{tmp_path}/v3")


def test_a_path_that_no_record_could_hold_is_refused(tmp_path: Path) -> None:
    places.require_utf8(str(tmp_path / "é\n"))
    with pytest.raises(PathRefused, match="the path is not UTF-8") as caught:
        places.require_utf8(os.fsdecode(b"/home/caf\xe9/x"))
    assert caught.value.where == r"/home/caf\xe9/x"
