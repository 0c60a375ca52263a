"""Changes as a person sees them; the patch itself is tested with its module."""

from __future__ import annotations

import os

from custody.cli.render.patch import heading, patch, patch_lines, readable
from custody.model.change import Change, ChangeKind, Entry
from custody.patch import EXECUTABLE, REGULAR, File
from custody.views.changed import ChangedFile
from support.patches import entry


def changed(
    path: str, before: File | None, after: File | None, kind: ChangeKind = "modified"
) -> ChangedFile:
    name = os.fsencode(path)
    return ChangedFile(
        folder="",
        kept=True,
        change=Change(path=path, change=kind, before=entry(name, before), after=entry(name, after)),
        before=before and before.content,
        after=after and after.content,
    )


def text(content: bytes, mode: int = REGULAR) -> File:
    return File(mode, content)


def shown(file: ChangedFile) -> list[str]:
    return [line.text for line in patch_lines(file)]


def test_a_modified_file() -> None:
    file = changed("a.txt", text(b"one\ntwo\n"), text(b"one\n2", EXECUTABLE))
    assert shown(file) == [
        "modified a.txt  (mode 0644 → 0755)",
        *patch(file).decode().splitlines(),
    ]


def test_a_binary_file_is_noted() -> None:
    file = changed("a.png", None, text(b"\x89PNG\0"), "added")
    assert shown(file)[-1] == "Binary files /dev/null and b/a.png differ"
    assert b"GIT binary patch" in patch(file)


def test_a_file_too_large_to_show_is_noted() -> None:
    file = changed("a.txt", text(b"x"), text(b"y" * (1 << 20) + b"z"))
    assert shown(file)[-1] == "Binary files a/a.txt and b/a.txt differ"
    assert b"@@ -1 +1 @@" in patch(file)


def test_bytes_that_are_no_text_are_written_out() -> None:
    assert readable(changed("a", None, text(b"caf\xe9\n"), "added")).endswith("\n+caf\\xe9")


def test_a_folder_has_a_heading_only() -> None:
    after = Entry(path="d", kind="dir", mode=0o755)
    change = Change(path="d", change="added", after=after)
    file = ChangedFile(folder="", kept=True, change=change, before=None, after=None)
    assert shown(file) == ["added    d  (dir)"]


def test_a_mode_that_git_does_not_know_is_in_the_heading() -> None:
    file = changed("a", text(b"x", 0o100644), text(b"x", 0o100600), "mode")
    assert shown(file) == ["mode     a  (mode 0644 → 0600)"]


def test_what_was_undone_says_so() -> None:
    file = changed("a", None, text(b"x"), "added")._replace(kept=False, folder="nodes/fix/1.1")
    assert heading(file) == "added    a  nodes/fix/1.1  (refused and undone)"


def test_a_heading_is_one_line() -> None:
    file = changed("a\ndiff --git a/b b/b", None, text(b"x"), "added")
    assert heading(file) == 'added    "a\\ndiff --git a/b b/b"'


def test_lines_are_coloured_by_what_they_are() -> None:
    file = changed("a", text(b"-- x\n"), text(b"++ y\n"))
    tones = {line.text: line.tone for line in patch_lines(file)}
    assert tones["--- a/a"] == tones["+++ b/a"] == ""
    assert tones["@@ -1 +1 @@"] == "faint"
    assert (tones["--- x"], tones["+++ y"]) == ("bad", "good")
