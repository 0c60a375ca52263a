"""Trees of files of every kind git can hold, and git itself to compare patches with."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from custody.model.change import Change, Entry
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, File, names
from custody.patch.write import write_change
from custody.workspace.tree import change_between

Tree = dict[bytes, File]

PARTS = (
    b"a", b"b", b"a b", b" b", b"b ", b"x b/x", b"tab\there", b"new\nline", b'"quoted"',
    b"back\\slash", b"\\303", b"caf\xc3\xa9", b"latin\xe9", b"\xff\xfe", b"\x01\x7f",
    b"\xe2\x80\xa8", b"-dash", b"a.orig", b"dev", b"null", b"2020-01-01", b"...", b"@@ -1 +1 @@",
    b"\r", b"a\r", b"--- a", b"~", b"b b",
)  # fmt: skip
LINES = (
    b"one\n", b"two\n", b"three\n", b"\n", b" \n", b"-- x\n", b"++ y\n", b"@@ -1 +1 @@\n",
    b"cr\r\n", b"\r", b"form\x0cfeed\n", b"\xe2\x80\xa8\n", b"\x85\n",
    b"\\ No newline at end of file\n", b"latin \xe9\n", b"diff --git a/x b/x\n", b"--- a/x\n",
    b"+++ b/x\n", b"last", b"\x1b[2J\n",
)  # fmt: skip

parts = st.sampled_from(PARTS) | st.binary(min_size=1, max_size=6).filter(
    lambda part: not set(part) & set(b"/\0")
)
paths = (
    st.lists(parts, min_size=1, max_size=3)
    .map(b"/".join)
    .filter(lambda path: names.can_hold(path, SYMLINK) and b"//" not in path)
)
texts = st.lists(st.sampled_from(LINES), max_size=12).map(b"".join)
numbered = st.integers(1, 60).map(lambda n: b"".join(b"line %d\n" % i for i in range(n)))
binaries = st.builds(lambda text, more: text + b"\0" + more, texts, st.binary(max_size=80))
contents = texts | numbered | binaries | st.just(b"")
targets = st.binary(min_size=1, max_size=12).filter(lambda target: b"\0" not in target)
files = st.builds(File, st.sampled_from([REGULAR, EXECUTABLE]), contents)
nodes = files | st.builds(File, st.just(SYMLINK), targets)


def without_clashes(tree: Mapping[bytes, File]) -> Tree:
    """Return a tree without the files that would have to be folders as well."""
    folders = {above for path in tree for above in _above(path)}
    return {path: file for path, file in tree.items() if path not in folders}


trees = st.dictionaries(paths, nodes, max_size=5).map(without_clashes)


@st.composite
def changed_trees(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """Return two trees of which the second comes from the first, and has more besides."""
    before = draw(trees)
    after = dict(draw(trees))
    for path, file in before.items():
        places = draw(st.sampled_from([(), (path,), (path,), (None,), (path, None)]))
        for place in places:
            after[place or draw(paths)] = draw(st.just(file) | edited(file) | nodes)
    return before, without_clashes(after)


def edited(file: File) -> st.SearchStrategy[File]:
    """Return a file with a few lines replaced, or another mode."""
    if file.mode == SYMLINK:
        return st.builds(File, st.just(SYMLINK), targets)
    lines = file.content.split(b"\n")
    at = st.integers(0, len(lines))
    spliced = st.builds(
        lambda i, n, more: b"\n".join([*lines[:i], *more, *lines[i + n :]]),
        at, st.integers(0, 3), st.lists(st.sampled_from([b"new", b"", b"\r", b"+"]), max_size=3),
    )  # fmt: skip
    return st.builds(File, st.sampled_from([REGULAR, EXECUTABLE]), spliced)


class Held(NamedTuple):
    """A tree in memory, as something that patches are applied to."""

    files: Mapping[bytes, File]

    def read(self, path: bytes) -> File | None:
        return self.files.get(path)

    def below(self, path: bytes) -> Collection[bytes]:
        return [one for one in self.files if one.startswith(path + b"/")]


def applied(tree: Tree, after: Mapping[bytes, File | None]) -> Tree:
    """Return a tree after the results of a patch."""
    both = {**tree, **after}
    return {path: file for path, file in both.items() if file is not None}


def entry(path: bytes, file: File | None) -> Entry | None:
    """Return a file as a workspace lists it."""
    if file is None:
        return None
    sha256 = hashlib.sha256(file.content).hexdigest()
    name, size = os.fsdecode(path), len(file.content)
    if file.mode == SYMLINK:
        target = os.fsdecode(file.content)
        return Entry(
            path=name, kind="symlink", mode=0o777, sha256=sha256, bytes=size, target=target
        )
    return Entry(path=name, kind="file", mode=file.mode & 0o777, sha256=sha256, bytes=size)


def change_of(path: bytes, before: File | None, after: File | None) -> Change:
    """Return what happened to a path; something must have."""
    change = change_between(entry(path, before), entry(path, after))
    assert change is not None
    return change


def written(before: Tree, after: Tree) -> bytes:
    """Return the patch that leads from one tree to another."""
    return b"".join(
        write_change(change_of(path, old, new), old and old.content, new and new.content)
        for path in sorted(before.keys() | after.keys())
        if (old := before.get(path)) != (new := after.get(path))
    )


def _above(path: bytes) -> Iterable[bytes]:
    while path := path.rpartition(b"/")[0]:
        yield path


class Git:
    """Git, in folders of its own and without anybody's settings."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(home.parent),
            "LC_ALL": "C",
        }
        self._repository = home / "repository"
        self._run(home, "init", "-q", "--bare", str(self._repository))

    def apply(self, tree: Tree, patch: bytes, *options: str) -> Tree | str:
        """Return a tree after ``git apply --binary``, or why git refuses."""
        folder = self.home / "tree"
        folder.mkdir()
        try:
            put_tree(folder, tree)
            done = self._run(folder, "apply", "--binary", *options, "-", given=patch, check=False)
            return done.stderr.decode(errors="replace") if done.returncode else get_tree(folder)
        finally:
            shutil.rmtree(folder)

    def diff(self, before: Tree, after: Tree, *options: str) -> bytes:
        """Return what ``git diff --binary`` tells about two trees."""
        stream = b"".join(
            b"commit refs/heads/%s\ncommitter a <a> 0 +0000\ndata 0\ndeleteall\n%s"
            % (name, b"".join(_imported(path, file) for path, file in tree.items()))
            for name, tree in ((b"before", before), (b"after", after))
        )
        self._run(self._repository, "fast-import", "--quiet", "--force", given=stream)
        command = ("diff", "--binary", *options, "before", "after", "--")
        return self._run(self._repository, *command).stdout

    def _run(
        self, folder: Path, *words: str, given: bytes = b"", check: bool = True
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["git", "-c", "apply.whitespace=nowarn", *words],
            cwd=folder, env=self._env, input=given, capture_output=True, check=check,
        )  # fmt: skip


def _imported(path: bytes, file: File) -> bytes:
    quoted = b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'
    return b"M %o inline %s\ndata %d\n%s\n" % (
        file.mode, quoted, len(file.content), file.content,
    )  # fmt: skip


def put_tree(folder: Path, tree: Tree) -> None:
    """Write a tree to disk."""
    for path, file in tree.items():
        place = os.path.join(os.fsencode(folder), path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if file.mode == SYMLINK:
            os.symlink(file.content, place)
        else:
            with open(place, "wb") as stream:
                stream.write(file.content)
            os.chmod(place, file.mode & 0o777)


def get_tree(folder: Path, *, left_out: Callable[[bytes], bool] = lambda _: False) -> Tree:
    """Return the tree that stands on disk."""
    found: Tree = {}
    top = os.fsencode(folder)
    for place, folders, its_files in os.walk(top):
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        for name in (*its_files, *links):
            path = os.path.relpath(os.path.join(place, name), top)
            if not left_out(path):
                found[path] = _get(os.path.join(place, name))
    return found


def _get(place: bytes) -> File:
    if os.path.islink(place):
        return File(SYMLINK, os.readlink(place))
    with open(place, "rb") as stream:
        content = stream.read()
    return File(EXECUTABLE if os.stat(place).st_mode & 0o100 else REGULAR, content)


def mutated(patch: bytes, random: Random) -> bytes:
    """Return a patch of which a line or two were changed."""
    lines = patch.split(b"\n")[:-1]
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(lines) or 1)
        lines = random.choice(_MUTATIONS)(lines or [b""], at, random)
    return b"".join(line + b"\n" for line in lines)


def shaken(tree: Tree, random: Random) -> Tree:
    """Return a tree of which one file may have a line more, one less or another mode."""
    texts = [path for path, file in tree.items() if file.mode != SYMLINK]
    if not texts or random.random() < 0.5:
        return tree
    path = random.choice(texts)
    lines = tree[path].content.split(b"\n")
    at = random.randrange(len(lines) + 1)
    lines[at : at + random.randint(0, 1)] = [b"one"] * random.randint(0, 1)
    return {**tree, path: File(random.choice([REGULAR, EXECUTABLE]), b"\n".join(lines))}


ODD_LINES = (
    b"", b" ", b"+", b"-", b"\\ No newline at end of file", b"@@ -1 +1 @@", b"@@ -0,0 +1 @@",
    b"--- a/a", b"+++ b/a", b"--- /dev/null", b"+++ /dev/null", b"old mode 100644",
    b"new mode 100755", b"index 1..2 120000", b"new file mode 100644",
    b"deleted file mode 100644", b"new file mode 120000", b"rename from a", b"rename to b",
    b"copy from a", b"copy to b", b"diff --git a/a b/a", b"diff --git a/a b/b", b"-- ",
    b"GIT binary patch", b"literal 0", b"HcmV?d00001", b"Binary files a/a and b/a differ",
    b"similarity index 50%", b"--- a/a\t1970-01-01 00:00:00 +0000",
    b"+++ b/a\t1970-01-01 00:00:00 +0000", b'--- "a/a"', b"\\ x",
)  # fmt: skip


def _digit(lines: list[bytes], at: int, random: Random) -> list[bytes]:
    """Count one of the numbers of a line up or down."""
    if found := list(re.finditer(rb"[0-9]+", lines[at])):
        number = random.choice(found)
        value = b"%d" % max(0, int(number[0]) + random.choice((-1, 1)))
        lines[at] = lines[at][: number.start()] + value + lines[at][number.end() :]
    return lines


def _letter(lines: list[bytes], at: int, random: Random) -> list[bytes]:
    """Replace one byte of a line."""
    if lines[at]:
        place, letter = random.randrange(len(lines[at])), random.choice(b' \t\r"\\/ab+-@0\xff')
        lines[at] = lines[at][:place] + bytes([letter]) + lines[at][place + 1 :]
    return lines


def _swap(lines: list[bytes], at: int, random: Random) -> list[bytes]:
    other = random.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]
    return lines


_MUTATIONS: tuple[Callable[[list[bytes], int, Random], list[bytes]], ...] = (
    lambda lines, at, _: lines[:at] + lines[at + 1 :],
    lambda lines, at, _: [*lines[:at], *lines[at : at + 1], *lines[at:]],
    lambda lines, at, random: [*lines[:at], random.choice(ODD_LINES), *lines[at:]],
    lambda lines, at, random: [*lines[:at], random.choice(ODD_LINES), *lines[at + 1 :]],
    lambda lines, at, _: lines[:at],
    lambda lines, at, _: lines[at:] + lines[:at],
    _swap,
    _digit,
    _digit,
    _letter,
)


def small_file(random: Random) -> list[bytes]:
    """Return a few lines that are much alike; the last may lack its newline."""
    lines = [random.choice([b"a\n", b"b\n", b"\n"]) for _ in range(random.randint(0, 4))]
    if lines and random.random() < 0.3:
        lines[-1] = b"end"
    return lines


def odd_hunks(lines: list[bytes], random: Random) -> bytes:
    """Return hunks for a file, with any or no context, of which some are elsewhere."""
    found = b""
    at = shift = 0
    for _ in range(random.randint(1, 2)):
        start = random.randint(at, len(lines))
        body, old, new = _odd_hunk(lines[start:], random)
        places = start + (old > 0), start + shift + (new > 0)
        if random.random() < 0.1:
            places = random.randint(0, 5), random.randint(0, 5)
        found += b"@@ -%d,%d +%d,%d @@\n%s" % (places[0], old, places[1], new, body)
        at, shift = start + old, shift + new - old
    return found


def _odd_hunk(lines: list[bytes], random: Random) -> tuple[bytes, int, int]:
    body: list[bytes] = []
    old = new = 0
    for _ in range(random.randint(1, 4)):
        mark = random.choice((b" ", b"-", b"+", b"+"))
        if mark != b"+" and old == len(lines):
            continue
        line = random.choice((b"a\n", b"\n")) if mark == b"+" else lines[old]
        if not line.endswith(b"\n") or random.random() < 0.1:
            line = line.rstrip(b"\n") + b"\n\\ No newline at end of file\n"
        old, new = old + (mark != b"+"), new + (mark != b"-")
        body.append(mark + line)
    return b"".join(body), old, new
