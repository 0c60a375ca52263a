"""What is due, what is there, and what is in the way."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from custody.model.change import Change, Entry
from custody.store.root import Root
from custody.workspace.takeover.compare import Comparison
from custody.workspace.tree import change_between


def file(path: str, text: str, mode: int = 0o644) -> Entry:
    data = text.encode()
    sha256 = hashlib.sha256(data).hexdigest()
    return Entry(path=path, kind="file", mode=mode, sha256=sha256, bytes=len(data))


def folder(path: str, mode: int = 0o755) -> Entry:
    return Entry(path=path, kind="dir", mode=mode)


def change(before: Entry | None, after: Entry | None) -> Change:
    found = change_between(before, after)
    assert found is not None
    return found


def compared(root: Path, *changes: Change, final: tuple[Entry, ...] = ()) -> Comparison:
    with Root.open(str(root)) as opened:
        entries = {entry.path: entry for entry in final}
        return Comparison(opened, changes, entries, lambda _: False)


def told(found: Comparison) -> list[tuple[str, str]]:
    return [(step.kind, step.path) for step in found.steps()]


def test_an_order_that_can_be_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(0o755)
    (tmp_path / "a" / "x").write_text("x")
    (tmp_path / "b").write_text("b")
    found = compared(
        tmp_path,
        change(folder("a"), file("a", "now a file")),
        change(file("a/x", "x"), None),
        change(file("b", "b"), folder("b")),
        change(None, file("b/y", "y")),
        change(None, folder("c", 0o500)),
        change(None, file("c/z", "z")),
    )
    assert found.conflicts == []
    assert told(found) == [
        ("remove", "a/x"), ("remove", "b"), ("remove_folder", "a"), ("make_folder", "b"),
        ("make_folder", "c"), ("add", "a"), ("add", "b/y"), ("add", "c/z"), ("set_mode", "c"),
    ]  # fmt: skip


def test_a_folder_that_is_gone_is_made_again(tmp_path: Path) -> None:
    found = compared(tmp_path, change(None, file("d/e/x", "x")), final=(folder("d", 0o700),))
    assert told(found) == [("make_folder", "d"), ("make_folder", "d/e"), ("add", "d/e/x")]
    assert found.steps()[0].after == folder("d", 0o700)


def test_a_folder_that_is_a_file_by_now(tmp_path: Path) -> None:
    (tmp_path / "d").write_text("mine")
    found = compared(tmp_path, change(None, file("d/x", "x")))
    assert [(one.path, one.what) for one in found.conflicts] == [
        ("d", "it is no folder any more"),
    ]


@pytest.mark.parametrize(
    "path", [".git/hooks/x", "a/.GIT/config", ".custody-apply/plan.json", ".env", "git~1/x"]
)
def test_what_nobody_writes_is_not_written_here_either(path: str, tmp_path: Path) -> None:
    found = compared(tmp_path, change(None, file(path, "x")))
    assert [one.path for one in found.conflicts] == [path]
    assert found.steps() == ()


def test_a_thing_that_cannot_be_kept(tmp_path: Path) -> None:
    odd = Entry(path="p", kind="other", mode=0o644, reason="not_regular")
    assert compared(tmp_path, change(None, odd)).conflicts


def test_what_the_conflicts_say(tmp_path: Path) -> None:
    (tmp_path / "kind").mkdir()
    (tmp_path / "mode").write_text("x")
    (tmp_path / "mode").chmod(0o755)
    os.mkfifo(tmp_path / "pipe")
    found = compared(
        tmp_path,
        change(file("gone", "x"), file("gone", "y")),
        change(file("kind", "x"), file("kind", "y")),
        change(file("mode", "x"), file("mode", "y")),
        change(file("pipe", "x"), None),
    )
    assert {one.path: one.what for one in found.conflicts} == {
        "gone": "the run found it, and it is gone",
        "kind": "it was a file and is a folder",
        "mode": "its mode is 0755, and the run found 0644",
        "pipe": "it was a file and is something else",
    }
