"""Files are reached through store/ alone: one place that knows symlinks, races and half files.

What counts is who turns a path into a file. Whoever holds a descriptor has passed the door. Whoever
goes on from an open folder (``dir_fd``) to a name in it has, too, but must follow no link there:
that is left to `custody.workspace`, which goes over trees of many thousand files.

Not counted are the null device, which holds nothing, /proc, where the kernel tells of processes,
and what `importlib.resources` reads of the package: none has contents that could be half there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pytest

import codebase

BY_PATH = {
    "open", "io.open", "os.open", "os.fdopen",
    "os.mkdir", "os.makedirs", "os.mknod", "os.mkfifo", "os.symlink", "os.link",
    "os.rename", "os.renames", "os.replace", "os.unlink", "os.remove", "os.rmdir", "os.removedirs",
    "os.truncate", "os.chmod", "os.lchmod", "os.chown", "os.lchown", "os.utime",
    "os.setxattr", "os.removexattr", "os.getxattr", "os.listxattr",
    "os.stat", "os.lstat", "os.statvfs", "os.access", "os.readlink",
    "os.listdir", "os.scandir", "os.walk", "os.fwalk",
    "os.path.exists", "os.path.lexists", "os.path.isfile", "os.path.isdir", "os.path.islink",
    "os.path.ismount", "os.path.samefile", "os.path.getsize", "os.path.getmtime",
    "os.path.getctime", "os.path.getatime", "os.path.realpath",
}  # fmt: skip
"""What opens, changes or looks at a file whose path it is given."""
BY_DESCRIPTOR = {
    "os.listdir", "os.scandir", "os.setxattr", "os.removexattr", "os.getxattr", "os.listxattr",
    "os.utime", "os.chmod", "os.chown", "os.truncate", "os.statvfs",
}  # fmt: skip
"""What takes an open file as well; in a walk over a tree that is what it is given."""
FOLLOWING = {"os.stat", "os.chown", "os.utime", "os.access"}
"""What follows a link at the end unless it is told not to."""
FOLDERS = {"dir_fd", "src_dir_fd", "dst_dir_fd"}
PATH_METHODS = {
    "resolve", "open", "read_text", "read_bytes", "write_text", "write_bytes", "exists", "is_file",
    "is_dir", "is_symlink", "iterdir", "glob", "rglob", "mkdir", "unlink", "rmdir", "rename",
    "replace", "symlink_to", "hardlink_to", "touch", "chmod", "stat", "lstat", "readlink",
}  # fmt: skip
MODULES = {"shutil", "tempfile", "glob", "fileinput"}
"""What opens files for whoever imports it."""

_RAW = "between fork and exec, on a root that only this process sees: raw calls, as it is laid out"
EXCEPTIONS = {
    "sandbox/rootfs.py": (
        _RAW,
        """os.access os.chmod os.makedirs os.mkdir os.open os.path.exists os.path.islink
        os.path.lexists os.readlink os.symlink os.unlink""",
    ),
    "sandbox/overlay.py": (_RAW, "os.chmod os.open"),
    "sandbox/mount_list.py": ("namespaces below /proc/self, and the root it has", "os.open"),
    "sandbox/namespaces.py": ("writes the maps of users below /proc/self", "os.open"),
    "sandbox/landlock.py": ("a rule is made of a path that it names: nothing is read", "os.open"),
    "sandbox/apply.py": ("a home at L2, made in the server as one of its own rules", "os.makedirs"),
    "supervise/spawn.py": (
        "the server has descriptors only: a line's input and folder are handed to a program",
        "os.open os.stat",
    ),
    "supervise/limits/cgroup.py": (
        "the kernel's own folders, whose files hold one value each",
        "os.makedirs os.mkdir os.open os.rmdir",
    ),
    "supervise/limits/scratch.py": ("asks how full the root of the sandbox is", "os.open"),
    "supervise/limits/written.py": (
        "the server has descriptors only: counts what programs are writing, and reads none of it",
        "os.open os.scandir",
    ),
    "supervise/limits/nameless.py": ("looks below a /proc that it is told", "os.listdir os.stat"),
    "supervise/limits/processes.py": ("looks below a /proc that it is told", "os.listdir os.stat"),
    "supervise/descendants.py": ("reads below /proc, by a path that its caller made", "os.open"),
}
"""By the file below src/custody: the reason, and the calls that may stand there."""


class Use(NamedTuple):
    """One call that reaches a file by its own means."""

    file: str
    line: int
    call: str

    def __str__(self) -> str:
        return f"src/custody/{self.file}:{self.line} {self.call}"


def test_files_are_reached_through_the_store_alone() -> None:
    wrong = [str(use) for use in uses(codebase.modules()) if not is_excepted(use)]
    assert not wrong, "\n".join([*wrong, "hint: `Root`, `custody.store.places`, or a reason above"])


def test_no_exception_is_stale() -> None:
    found = {(use.file, use.call) for use in uses(codebase.modules())}
    listed = {(file, call) for file, (_, calls) in EXCEPTIONS.items() for call in calls.split()}
    assert listed - found == set()


def is_excepted(use: Use) -> bool:
    return use.file in EXCEPTIONS and use.call in EXCEPTIONS[use.file][1].split()


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("engine/loop.py", "open('x')"),
        ("engine/loop.py", "import os\nos.open('x', os.O_RDONLY)"),
        ("engine/loop.py", "import os\nos.open('x', 0, dir_fd=folder)"),
        ("engine/loop.py", "import os\nos.rename('x', 'y')"),
        ("engine/loop.py", "import os\nos.path.isdir('x')"),
        ("engine/loop.py", "import os.path\nos.path.exists('x')"),
        ("engine/loop.py", "from os import unlink\nunlink('x')"),
        ("engine/loop.py", "from os.path import exists as there\nthere('x')"),
        ("engine/loop.py", "from pathlib import Path\nPath('x').is_file()"),
        ("engine/loop.py", "def f():\n    import shutil"),
        ("engine/loop.py", "from tempfile import mkdtemp"),
        ("workspace/scan.py", "import os\nos.open('x', os.O_RDONLY)"),
        ("workspace/scan.py", "import os\nos.stat('x', dir_fd=folder)"),
        ("workspace/scan.py", "import os\nos.stat(path)"),
    ],
)
def test_every_way_around_the_door_is_found(file: str, line: str) -> None:
    assert len(found_in(file, line)) == 1


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("store/root.py", "import os\nos.open('x', os.O_RDONLY)"),
        ("workspace/scan.py", "import os\nos.open('x', os.O_NOFOLLOW, dir_fd=folder)"),
        ("workspace/scan.py", "import os\nos.stat('x', dir_fd=folder, follow_symlinks=False)"),
        ("workspace/scan.py", "import os\nos.scandir(descriptor)"),
        ("engine/loop.py", "import os\nos.read(descriptor, 1)\nos.fstat(descriptor)"),
        ("engine/loop.py", "import os\nos.open(os.devnull, os.O_WRONLY)"),
        ("engine/loop.py", "import os\nos.listdir('/proc/self/fd')\nos.listdir(f'/proc/{pid}/fd')"),
        ("engine/loop.py", "root.rename('x', 'y')\nroot.open('x')"),
    ],
)
def test_what_came_through_the_door_may_go_on(file: str, line: str) -> None:
    assert found_in(file, line) == []


def found_in(file: str, text: str) -> list[Use]:
    path = codebase.SOURCE / "custody" / file
    return list(uses([codebase.parse(path, codebase.SOURCE, text)]))


def uses(modules: Iterable[codebase.Module]) -> Iterator[Use]:
    """Yield everything that reaches a file by its own means."""
    for module in modules:
        if not module.name.startswith("custody.store."):
            file = module.where.removeprefix("src/custody/")
            yield from (Use(file, line, call) for call, line in breaches(module))


def breaches(module: codebase.Module) -> Iterator[tuple[str, int]]:
    names = dict(imported_names(module))
    walks = module.name.startswith("custody.workspace.")
    has_paths = any(name.split(".")[0] == "pathlib" for name in names.values())
    for name, line in module.imports():
        if name.split(".")[0] in MODULES:
            yield f"import {name}", line
    for written, call in module.calls():
        called = full_name(written, names)
        if called in BY_PATH:
            if not is_no_file(call) and not (walks and goes_on(called, call)):
                yield called, call.lineno
        elif has_paths and isinstance(call.func, ast.Attribute) and call.func.attr in PATH_METHODS:
            yield call.func.attr, call.lineno


def imported_names(module: codebase.Module) -> Iterator[tuple[str, str]]:
    """Yield each name that an import gives, and what it stands for."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((a.asname or a.name, f"{node.module}.{a.name}") for a in node.names)
        elif isinstance(node, ast.Import):
            yield from ((a.asname or a.name.split(".")[0], a.name) for a in node.names)


def full_name(written: str, names: dict[str, str]) -> str:
    head, _, rest = written.partition(".")
    origin = names.get(head, head)
    origin = origin.split(".")[0] if rest and origin.startswith(f"{head}.") else origin
    return f"{origin}.{rest}" if rest else origin


def is_no_file(call: ast.Call) -> bool:
    """Whether it is the null device, or something that the kernel tells below /proc."""
    match call.args[:1]:
        case [ast.Attribute(value=ast.Name(id="os"), attr="devnull")]:
            return True
        case [ast.Constant(value=str(path))] | [
            ast.JoinedStr(values=[ast.Constant(value=path), *_])
        ]:
            return str(path).startswith("/proc")
    return False


def goes_on(called: str, call: ast.Call) -> bool:
    """Whether a call goes on from an open folder, or takes what is open."""
    given = {keyword.arg for keyword in call.keywords}
    if given & FOLDERS:
        return called not in FOLLOWING or "follow_symlinks" in given
    return called in BY_DESCRIPTOR
