"""Patches by hand, and what git says to them: never less strict than git, and where more."""

from __future__ import annotations

import shutil

import pytest

from custody.errors import MalformedDocument
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, File
from custody.patch.apply import apply_patch
from custody.patch.read import read_patch
from support.patches import Git, Held, Tree, applied

pytestmark = [
    pytest.mark.req("G-04"),
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
]
TREE: Tree = {
    b"a": File(REGULAR, b"one\ntwo\nthree\nfour\nfive\n"),
    b"e": File(REGULAR, b""),
    b"x": File(EXECUTABLE, b"run\n"),
    b"link": File(SYMLINK, b"a"),
    b"d/n": File(REGULAR, b"no newline"),
}
MARK = "\\ No newline at end of file\n"
HUNK = "@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n"
GIT = "diff --git a/a b/a\n"
NAMES = "--- a/a\n+++ b/a\n"
CHANGE = f"{GIT}{NAMES}{HUNK}"
NEW = "diff --git a/new b/new\nnew file mode 100644\n"
ADD = f"{NEW}--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+new\n"
MODE = "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"
RENAME = "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n"
EPOCH = "1970-01-01 01:00:00.000000000 +0100"
LATER = "2024-05-06 07:08:09.123456789 +0200"
GONE = "@@ -1,5 +0,0 @@\n-one\n-two\n-three\n-four\n-five\n"

TAKEN = {
    "a change": CHANGE,
    "an index line": f"{GIT}index 1..2 100644\n{NAMES}{HUNK}",
    "an index line that is no use": f"{GIT}index xxxxxxx..yyyyyyy\n{NAMES}{HUNK}",
    "names in the first line only": f"{GIT}index 1..2 100644\n{HUNK}",
    "a heading after the ranges": CHANGE.replace("3 @@", "3 @@ def f():"),
    "empty lines between files and after": f"\n{CHANGE}\n\n{ADD}\n\n",
    "lines after the last one, without it": f"{GIT}{NAMES}@@ -5,0 +6 @@\n+six\n",
    "a bare empty line as context": "diff --git a/d/n b/d/n\n--- a/d/n\n+++ b/d/n\n@@ -1 +1,2 @@\n"
    f"+\n no newline\n{MARK}",
    "a mark in another language": f"{NEW}--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n"
    "\\ Kein Zeilenumbruch am Dateiende.\n",
    "quotes": f'diff --git "a/a" "b/a"\n--- "a/a"\n+++ "b/a"\n{HUNK}',
    "octal quotes": f'diff --git "a/\\141" b/a\nindex 1..2 100644\n--- "a/\\141"\n+++ b/a\n{HUNK}',
    "quotes on one side": 'diff --git a/a "b/\\t"\nrename from a\nrename to "\\t"\n',
    "another prefix": f"diff --git i/a w/a\n--- i/a\n+++ w/a\n{HUNK}",
    "a TAB after a name": f"{GIT}--- a/a\t\n+++ b/a\t\n{HUNK}",
    "dates": f"--- a/a\t{LATER}\n+++ b/a\t{LATER}\n{HUNK}",
    "a plain header": f"{NAMES}{HUNK}",
    "a plain header after git's": f"{ADD}{NAMES}{HUNK}",
    "a plain header for a new file": "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n",
    "a plain header for a file that goes": f"--- a/a\n+++ /dev/null\n{GONE}",
    "the beginning of time before": f"--- a/new\t{EPOCH}\n+++ b/new\t{LATER}\n@@ -0,0 +1 @@\n+x\n",
    "the beginning of time after": f"--- a/a\t{LATER}\n+++ b/a\t{EPOCH}\n{GONE}",
    "the evening before it": "--- a/n\t1969-12-31 19:00:00 -0500\n+++ b/n\n@@ -0,0 +1 @@\n+x\n",
    "a plain header and an emptied file": f"--- a/a\n+++ b/a\n{GONE}",
    "a new file that is empty": NEW,
    "an empty file that goes": "diff --git a/e b/e\ndeleted file mode 100644\n",
    "a mode": MODE,
    "a mode and lines": f"{MODE}{NAMES}{HUNK}",
    "another mode than there is": "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n"
    "@@ -1 +1 @@\n-run\n+ran\n",
    "a rename": RENAME,
    "a rename and lines": f"{RENAME.replace('100%', '80%')}--- a/a\n+++ b/b\n{HUNK}",
    "a copy": RENAME.replace("rename", "copy"),
    "a symlink": "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n"
    f"+d/n\n{MARK}",
    "a symlink that changes": "diff --git a/link b/link\nindex 1..2 120000\n--- a/link\n"
    f"+++ b/link\n@@ -1 +1 @@\n-a\n{MARK}+e\n{MARK}",
    "two that change places": "diff --git a/a b/e\nrename from a\nrename to e\n"
    "diff --git a/e b/a\nrename from e\nrename to a\n",
    "a file where a folder was": "diff --git a/d/n b/d/n\ndeleted file mode 100644\n--- a/d/n\n"
    f"+++ /dev/null\n@@ -1 +0,0 @@\n-no newline\n{MARK}"
    "diff --git a/d b/d\nnew file mode 100644\n",
}  # fmt: skip
"""Both take these."""

REFUSED = {
    "nothing": ("\n", "no file"),
    "only text": ("hello\nworld\n", "the beginning of a file"),
    "other lines": (CHANGE.replace("-two", "-deux"), "does not hold"),
    "too few lines": (CHANGE.replace(" three\n", ""), "the patch ends"),
    "too many lines": (f"{CHANGE} four\n@@ -9 +9 @@\n-a\n+b\n", "the beginning of a file"),
    "no end": (CHANGE[:-1], "cut off"),
    "a hunk without a header": (HUNK, "the beginning of a file"),
    "no header but the first line": (f"{GIT}{HUNK}", "more lines"),
    "no file, which nobody said": (f"{GIT}--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n", "modify"),
    "a new file that is there": (ADD.replace("new\n", "a\n").replace("new b", "a b"), "already"),
    "a new file with old lines": (f"{NEW}--- /dev/null\n+++ b/new\n{HUNK}", "otherwise"),
    "a rename onto a file": (RENAME.replace("b\n", "e\n").replace("b/b", "b/e"), "already"),
    "a file that is not there": (CHANGE.replace("/a", "/z"), "is not there"),
    "a file that goes with its lines": (f"{GIT}deleted file mode 100644\n", "not all of it"),
    "a file that goes and stays": (f"{GIT}deleted file mode 100644\n{NAMES}{HUNK}", "delete"),
    "a new file and a rename": (f"{NEW}rename from a\nrename to new\n", "add and rename"),
    "half a rename": (f"{GIT}rename from a\n", "lacks one"),
    "no binary data": (f"{GIT}index 1..2\nBinary files a/a and b/a differ\n", "--binary"),
    "git's own folder": (ADD.replace("new\n", ".git/x\n").replace("/new", "/.git/x"), "no place"),
    "git's own folder elsewhere": (ADD.replace("/new", "/GIT~1"), "no place"),
    "above": (ADD.replace("/new", "/../new"), "no place"),
    "an absolute path": (ADD.replace("/new", "//new"), "no place"),
    "git's list of submodules as a symlink": (
        ADD.replace("100644", "120000").replace("/new", "/.gitmodules"), "no place",
    ),
    "lines without a context": (
        f"{GIT}{NAMES}@@ -2 +2 @@\n-two\n+zwei\n", "does not hold",
    ),
    "lines after the only one, without it": (
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,0 +2 @@\n+b\n", "needs the line",
    ),
    "a type": (f"{GIT}old mode 100644\nnew mode 120000\n", "cannot change"),
    "the type of another": (f"{GIT}index 1..2 120000\n{NAMES}{HUNK}", "is no symlink"),
    "below a symlink": (ADD.replace("/new", "/link/new"), "cannot lie below"),
    "below a file": (ADD.replace("/new", "/a/new"), "cannot lie below"),
    "where a folder stays": (ADD.replace("/new", "/d"), "is a folder with"),
    "a hunk that changes nothing": (f"{GIT}{NAMES}@@ -1 +1 @@\n one\n", "changes nothing"),
    "a header that changes nothing": (f"{GIT}index 1..2 100644\n", "nothing is done"),
    "an empty symlink": (NEW.replace("100644", "120000"), "cannot be a symlink"),
    "nothing below a header": (f"{GIT}old mode 100644\n", "belong together"),
    "binary data of another file": (
        f"{GIT}index {'1' * 40}..{'2' * 40}\nGIT binary patch\nliteral 0\nHcmV?d00001\n\n",
        "the binary patch expects",
    ),
    "binary data without whole names": (
        f"{GIT}index 1..2\nGIT binary patch\nliteral 0\nHcmV?d00001\n\n", "whole object names",
    ),
    "binary data that is broken": (
        f"{GIT}index {'1' * 40}..{'2' * 40}\nGIT binary patch\nliteral 9\nHcmV?d00001\n\n",
        "9 bytes",
    ),
}  # fmt: skip
"""Both refuse these."""

STRICTER = {
    "a mail around it": (f"Subject: change\n\n{CHANGE}", "the beginning of a file"),
    "a signature after it": (f"{CHANGE}-- \n2.39.5\n", "the beginning of a file"),
    "other diffs' lines": (f"diff -u a/a b/a\n{NAMES}{HUNK}", "the beginning of a file"),
    "a line below the hunks": (f"{CHANGE}Only in b: c\n", "the beginning of a file"),
    "another line": (CHANGE.replace("1,3", "2,3"), "does not hold"),
    "another line after": (CHANGE.replace("+1,3", "+2,3"), "do not fit together"),
    "two files": (CHANGE.replace("b/a", "b/z"), "nothing says that the file is renamed"),
    "another file in the first line": (f"diff --git a/e b/e\n{NAMES}{HUNK}", "another file"),
    "two names in a plain header": (f"--- a/a.orig\n+++ b/a\n{HUNK}", "are two files"),
    "a name without a prefix": (f"--- a\n+++ a\n{HUNK}", "a/ or b/"),
    "a folder in place of a prefix": (f"--- old/a\n+++ new/a\n{HUNK}", "a/ or b/"),
    "something else after a TAB": (f"--- a/a\t(revision 1)\n+++ b/a\n{HUNK}", "a date"),
    "line ends of Windows above the hunks": (CHANGE.replace("/a\n", "/a\r\n"), "a/"),
    "a blank in a plain name": ("--- /dev/null\n+++ b/a b\n@@ -0,0 +1 @@\n+x\n", "TAB"),
    "a file twice": (f"{CHANGE}{MODE}", "changed twice"),
    "an emptied file that goes": (
        f"{MODE}{GIT}deleted file mode 100755\n--- a/a\n+++ /dev/null\n{GONE}", "changed twice",
    ),
    "another mode": (NEW.replace("100644", "100600"), "a mode of"),
    "a submodule": (
        f"{NEW}--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+Subproject commit {'1' * 40}\n".replace(
            "100644", "160000"
        ),
        "submodules",
    ),
    "half a change of mode": (f"{GIT}new mode 100755\n{NAMES}{HUNK}", "belong together"),
    "a mode twice": (f"{MODE}new mode 100755\n", "stands twice"),
    "a symlink that is not called one": (
        f"--- a/link\n+++ b/link\n@@ -1 +1 @@\n-a\n{MARK}+e\n{MARK}", "does not say",
    ),
    "a newline that is missing in the middle": (
        f"{NEW}--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+x\n{MARK}+y\n",
        "no line can lack",
    ),
    "a mark before every line": (
        CHANGE.replace(" one\n", f"{MARK} one\n"), "no line can lack",
    ),
    "a short mark": (f"{CHANGE}\\ x\n{ADD}", "a mark"),
    "a new file that a plain header does not call new": (
        "--- a/z\n+++ b/z\n@@ -0,0 +1 @@\n+x\n", "is not there",
    ),
}  # fmt: skip
"""Git takes these: it passes over what it does not know, or guesses."""


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    return Git(tmp_path_factory.mktemp("git"))


def after(patch: str) -> Tree:
    return applied(TREE, apply_patch(read_patch(patch.encode()), Held(TREE)))


@pytest.mark.parametrize("patch", [pytest.param(patch, id=name) for name, patch in TAKEN.items()])
def test_both_take_it(git: Git, patch: str) -> None:
    assert git.apply(TREE, patch.encode()) == after(patch)


@pytest.mark.parametrize(
    ("patch", "reason"), [pytest.param(*case, id=name) for name, case in REFUSED.items()]
)
def test_both_refuse_it(git: Git, patch: str, reason: str) -> None:
    assert isinstance(git.apply(TREE, patch.encode()), str)
    with pytest.raises(MalformedDocument, match=reason) as caught:
        after(patch)
    assert caught.value.code == "patch"


@pytest.mark.parametrize(
    ("patch", "reason"), [pytest.param(*case, id=name) for name, case in STRICTER.items()]
)
def test_git_takes_it_and_custody_does_not(git: Git, patch: str, reason: str) -> None:
    assert isinstance(git.apply(TREE, patch.encode()), dict)
    with pytest.raises(MalformedDocument, match=reason):
        after(patch)
