"""What a project's files tell of it: how it is tested, and where its code lies.

Nothing is run. The first kind that the files speak for counts, in the order of `KINDS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from custody.errors import PathRefused
from custody.model.allowlist import Allowlist
from custody.patterns import later

ENVIRONMENTS = (".venv", "venv", "env")
"""What a virtual environment inside of a project is called."""
TEST_FOLDERS = ("tests", "test", "testing", "spec", "__tests__", "e2e")
ASIDE = {
    *TEST_FOLDERS, *ENVIRONMENTS,
    "benchmarks", "build", "ci", "coverage", "dist", "doc", "docs", "examples", "node_modules",
    "scripts", "target", "tools", "vendor",
}  # fmt: skip
"""Folders that hold no code of the product, or none that a repair should touch."""
_NO_TEST = "no test specified"
"""What npm writes as the test of a new package."""
_PYTEST = later(r"\bpytest\b")
_TEST_TARGET = later(r"(?m)^test\s*:")


class Files(Protocol):
    """The files of a folder, by their path from it."""

    def names(self, folder: str = "") -> list[str]:
        """Return what a folder holds, sorted; nothing where there is none."""
        ...

    def text(self, path: str) -> str:
        """Return what a file says; nothing where there is none."""
        ...

    def is_folder(self, path: str) -> bool:
        """Whether a path leads to a folder."""
        ...


class Project(NamedTuple):
    """What was found."""

    kind: str
    """In a word, for people."""
    tests: str
    """The command that runs the tests; empty where none was found."""
    code: tuple[str, ...]
    """What a repair may change: files, and folders with a slash at the end."""
    mixed: bool
    """Whether tests lie among the code, so that who may change one may change the other."""


def look(files: Files, tests: str = "") -> Project:
    """Return what a folder's files tell; ``tests`` is a command that the user names instead."""
    for kind in KINDS:
        if (found := kind(files)) is not None:
            return found._replace(tests=tests) if tests else found
    return Project("project", tests, _code(files, ()), mixed=True)


def _python(files: Files) -> Project | None:
    top = files.names()
    folder = next((name for name in TEST_FOLDERS if name in top and files.is_folder(name)), "")
    inside = any(_is_test(name) for name in files.names(folder)) if folder else False
    marks = {"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini"}
    if not (marks & {*top} or inside):
        return None
    python = _interpreter(files)
    if _uses_pytest(files, folder):
        command = f"{python} -m pytest -q"
        return Project("Python, pytest", command, _code(files, (".py",)), mixed=not folder)
    if not folder:
        return None
    command = f"{python} -m unittest discover --start-directory {folder}"
    return Project("Python, unittest", command, _code(files, (".py",)), mixed=False)


def _is_test(name: str) -> bool:
    return name.endswith(".py") and (name.startswith("test") or name == "conftest.py")


def _interpreter(files: Files) -> str:
    for name in ENVIRONMENTS:
        if files.text(f"{name}/pyvenv.cfg") and "python" in files.names(f"{name}/bin"):
            return f"{name}/bin/python"
    return "python3"


def _uses_pytest(files: Files, tests: str) -> bool:
    if "conftest.py" in (*files.names(), *files.names(tests)):
        return True
    named = ("pyproject.toml", "pytest.ini", "setup.cfg", "setup.py", "tox.ini", "noxfile.py")
    listed = (name for name in files.names() if name.startswith("requirements"))
    inside = (f"{tests}/{name}" for name in files.names(tests) if tests and _is_test(name))
    sources = (*named, *listed, *inside)
    return any(_PYTEST.search(files.text(path)) for path in sources)


def _node(files: Files) -> Project | None:
    try:
        package = json.loads(files.text("package.json") or "null")
        test = package["scripts"]["test"]
    except (ValueError, TypeError, KeyError):
        return None
    if not isinstance(test, str) or _NO_TEST in test:
        return None
    endings = (".js", ".cjs", ".mjs", ".ts", ".jsx", ".tsx")
    apart = any(name in TEST_FOLDERS for name in files.names())
    return Project("Node", "npm test", _code(files, endings), mixed=not apart)


def _go(files: Files) -> Project | None:
    if "go.mod" not in files.names():
        return None
    return Project("Go", "go test ./...", _code(files, (".go",)), mixed=True)


def _rust(files: Files) -> Project | None:
    if "Cargo.toml" not in files.names():
        return None
    return Project("Rust", "cargo test", _code(files, (".rs",)), mixed=True)


def _make(files: Files) -> Project | None:
    if not _TEST_TARGET.search(files.text("Makefile")):
        return None
    return Project("make", "make test", _code(files, (".c", ".h", ".cc", ".cpp")), mixed=True)


KINDS: tuple[Callable[[Files], Project | None], ...] = (_python, _node, _go, _rust, _make)
"""Each looks for one kind of project, and finds nothing where it is another."""


def _code(files: Files, endings: tuple[str, ...]) -> tuple[str, ...]:
    """Return where the code lies: ``src/`` where there is one, else what is not set aside."""
    if files.is_folder("src"):
        return ("src/",)
    return tuple(_beside(files, endings))


def _beside(files: Files, endings: tuple[str, ...]) -> Iterator[str]:
    for name in files.names():
        if name.startswith(".") or name.lower() in ASIDE or name.endswith(".egg-info"):
            continue
        if not _can_be_named(name):
            continue
        if files.is_folder(name):
            yield f"{name}/"
        elif name.endswith(endings or ("",)) and not _is_test(name) and name != "setup.py":
            yield name


def _can_be_named(name: str) -> bool:
    """Whether a list of write paths can say this name: it has no comma, and is no pattern."""
    try:
        named = Allowlist.of(name)
    except PathRefused:
        return False
    return named is not None and named.files == {name}
