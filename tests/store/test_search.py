"""Looking for files in the user's own folders."""

from __future__ import annotations

import os
from pathlib import Path

from custody.store.search import look_at, named_below


def test_a_file_and_a_folder_are_seen_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("four")
    file, folder = look_at(str(tmp_path / "a")), look_at(str(tmp_path))
    assert file is not None
    assert folder is not None
    assert (file.size, file.is_folder, file.readable) == (4, False, True)
    assert (folder.is_folder, folder.readable) == (True, True)


def test_what_is_neither_is_not_there(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to("nowhere")
    for name in ("pipe", "dangling", "gone", "a\0b"):
        assert look_at(f"{tmp_path}/{name}") is None


def test_files_of_a_name_are_found_so_many_levels_deep(tmp_path: Path) -> None:
    for folder in ("", "b", "a", "a/b", "a/b/c", ".hidden"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "x").write_text(folder)
    (tmp_path / "link").symlink_to("a")
    found = [os.path.relpath(one.path, tmp_path) for one in named_below(str(tmp_path), "x", 3)]
    assert found == ["a/b/x", "a/x", "b/x", "x"]


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert named_below(str(tmp_path / "gone"), "x", 3) == []
