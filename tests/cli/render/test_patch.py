from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from custody.cli.render.patch import heading, patch, patch_lines
from custody.model.change import Change, ChangeKind, Entry
from custody.views.changed import ChangedFile

State = tuple[str, int] | None
"""A file's text and mode; a symlink's target and 0; None for nothing."""

git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
names = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12
).filter(lambda name: name not in {".", "..", ".git"} and name == name.strip())
texts = st.text(st.sampled_from('ab \t\n\r\x0b\x0c\x1b\x85\u2028é\\"-+@'), max_size=40)
files: st.SearchStrategy[State] = st.tuples(texts, st.sampled_from([0o644, 0o755]))
links: st.SearchStrategy[State] = st.tuples(names, st.just(0))


def entry(path: str, state: State) -> Entry | None:
    if state is None:
        return None
    data = state[0].encode()
    sha256 = hashlib.sha256(data).hexdigest()
    if state[1] == 0:
        return Entry(path=path, kind="symlink", mode=0o777, sha256=sha256, target=state[0])
    return Entry(path=path, kind="file", mode=state[1], sha256=sha256, bytes=len(data))


def changed(path: str, before: State, after: State, kind: ChangeKind = "modified") -> ChangedFile:
    return ChangedFile(
        folder="",
        kept=True,
        change=Change(path=path, change=kind, before=entry(path, before), after=entry(path, after)),
        before=None if before is None else before[0].encode(),
        after=None if after is None else after[0].encode(),
    )


def put(path: Path, state: State) -> None:
    if state is None:
        return
    if state[1] == 0:
        path.symlink_to(state[0])
    else:
        path.write_bytes(state[0].encode())
        path.chmod(state[1])


def get(path: Path) -> State:
    if path.is_symlink():
        return (os.readlink(path), 0)
    if not path.exists():
        return None
    return (path.read_bytes().decode(), 0o755 if path.stat().st_mode & 0o100 else 0o644)


@git
@settings(max_examples=60, deadline=None)
@given(
    path=names,
    before=st.one_of(st.none(), files, links),
    after=st.one_of(st.none(), files, links),
)
def test_git_applies_it(path: str, before: State, after: State) -> None:
    lines = [line.text for line in patch_lines(changed(path, before, after))]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, path)
        put(target, before)
        if before != after:
            done = subprocess.run(
                ["git", "apply", "--whitespace=nowarn", "-"],
                input="".join(f"{line}\n" for line in lines).encode(),
                cwd=folder,
                env={"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": "/"},
                capture_output=True,
                check=False,
            )
            assert done.returncode == 0, (done.stderr, lines)
        assert get(target) == after


def test_a_modified_file() -> None:
    assert patch(changed("a.txt", ("one\ntwo\n", 0o644), ("one\n2", 0o755))) == [
        "diff --git a/a.txt b/a.txt",
        "old mode 100644",
        "new mode 100755",
        "--- a/a.txt",
        "+++ b/a.txt",
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+2",
        "\\ No newline at end of file",
    ]


def test_a_binary_file_is_noted() -> None:
    file = changed("a.png", None, ("x", 0o644), "added")._replace(after=b"\x89PNG\0")
    assert patch(file)[-1] == "Binary files /dev/null and b/a.png differ"


def test_a_file_too_large_to_show_is_noted() -> None:
    file = changed("a.txt", ("x", 0o644), ("y", 0o644))._replace(after=None)
    assert patch(file)[-1] == "Binary files a/a.txt and b/a.txt differ"


def test_a_folder_has_a_heading_only() -> None:
    after = Entry(path="d", kind="dir", mode=0o755)
    change = Change(path="d", change="added", after=after)
    file = ChangedFile(folder="", kept=True, change=change, before=None, after=None)
    assert [line.text for line in patch_lines(file)] == ["added    d  (dir)"]


def test_a_mode_that_git_does_not_know_is_in_the_heading() -> None:
    file = changed("a", ("x", 0o644), ("x", 0o600), "mode")
    assert [line.text for line in patch_lines(file)] == ["mode     a  (mode 0644 → 0600)"]


def test_what_was_undone_says_so() -> None:
    file = changed("a", None, ("x", 0o644), "added")._replace(kept=False, folder="nodes/fix/1.1")
    assert heading(file) == "added    a  nodes/fix/1.1  (refused and undone)"


def test_lines_are_coloured_by_what_they_are() -> None:
    file = changed("a", ("-- x\n", 0o644), ("++ y\n", 0o644))
    tones = {line.text: line.tone for line in patch_lines(file)}
    assert tones["--- a/a"] == tones["+++ b/a"] == ""
    assert tones["@@ -1 +1 @@"] == "faint"
