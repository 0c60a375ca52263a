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
    "__pycache__", "benchmark", "benchmarks", "build", "ci", "coverage", "dist", "doc", "docs",
    "documentation", "examples", "htmlcov", "node_modules", "requirements", "scripts", "target",
    "tools", "vendor",
}  # fmt: skip
"""Folders that hold no code of the product, or none that a repair should touch."""
MOST_TESTS = 100
"""How many files of tests are read."""
_NO_TEST = "no test specified"
"""What npm writes as the test of a new package."""
_PYTHON = {"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini"}
"""Files by which a project of Python is known."""
_PYTEST = later(r"\bpytest\b")
_UNITTEST = later(r"\bunittest\b|\bdjango\.test\b")
_TEST_FUNCTION = later(r"(?m)^(async )?def test_")
_SHARES = later(r"(?m)^include-system-site-packages\s*=\s*true\b")
"""What a virtual environment says that has the packages of its interpreter too."""
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
    doubt: str = ""
    """Why the tests may not run, as far as the files tell."""


def look(files: Files, tests: str = "") -> Project:
    """Return what a folder's files tell; ``tests`` is a command that the user names instead."""
    for kind in KINDS:
        if (found := kind(files)) is not None:
            return found._replace(tests=tests) if tests else found
    if tests and _PYTHON & {*files.names()}:
        return Project("Python", tests, _code(files, (".py",)), mixed=True)
    return Project("project", tests, _code(files, ()), mixed=True)


def _python(files: Files) -> Project | None:
    top = files.names()
    folder = next((name for name in TEST_FOLDERS if name in top and files.is_folder(name)), "")
    tests = _tests(files, folder)
    if not (_PYTHON & {*top} or tests):
        return None
    home, python = _interpreter(files)
    code = _code(files, (".py",))
    if _uses_pytest(files, folder, tests):
        doubt = _without_pytest(files, home)
        return Project("Python, pytest", f"{python} -m pytest -q", code, not folder, doubt)
    if not any(map(_UNITTEST.search, tests)):
        return None  # `unittest discover` finds none then, and says that all is well
    start = f" --start-directory {folder}" if folder else ""
    command = f"{python} -m unittest discover{start}"
    return Project("Python, unittest", command, code, mixed=not folder)


def _tests(files: Files, folder: str) -> list[str]:
    """Return what the files of tests in a folder say; beside the code, of those that surely are."""
    inside = [f"{folder}/{name}" for name in files.names(folder)] if folder else files.names()
    below = [f"{path}/{name}" for path in inside for name in files.names(path)] if folder else []
    tests = [path for path in (*inside, *below) if _is_test(path.rpartition("/")[2])]
    texts = [files.text(path) for path in tests[:MOST_TESTS]]
    if folder:
        return texts
    signs = (_PYTEST, _UNITTEST, _TEST_FUNCTION)
    return [text for text in texts if any(sign.search(text) for sign in signs)]


def _is_test(name: str) -> bool:
    if name.endswith("_test.py"):
        return True
    return name.endswith(".py") and (name.startswith("test") or name == "conftest.py")


def _interpreter(files: Files) -> tuple[str, str]:
    """Return the project's own virtual environment, if it has one, and its interpreter."""
    for name in ENVIRONMENTS:
        if files.text(f"{name}/pyvenv.cfg") and "python" in files.names(f"{name}/bin"):
            return name, f"{name}/bin/python"
    return "", "python3"


def _without_pytest(files: Files, environment: str) -> str:
    if not environment:
        return f"there is no {ENVIRONMENTS[0]} here, so python3 on PATH must have pytest"
    if _SHARES.search(files.text(f"{environment}/pyvenv.cfg")):
        return ""
    library = f"{environment}/lib"
    places = (f"{library}/{name}/site-packages/pytest" for name in files.names(library))
    if any(files.is_folder(place) for place in places):
        return ""
    return f"pytest is not in {environment}: install it there before a run"


def _uses_pytest(files: Files, folder: str, tests: list[str]) -> bool:
    if "conftest.py" in (*files.names(), *files.names(folder)):
        return True
    named = ("pyproject.toml", "pytest.ini", "setup.cfg", "setup.py", "tox.ini", "noxfile.py")
    listed = (name for name in files.names() if name.startswith("requirements"))
    if any(map(_PYTEST.search, (*map(files.text, (*named, *listed)), *tests))):
        return True
    # To unittest a function is no test: it would find none, and say that all is well.
    return any(map(_TEST_FUNCTION.search, tests)) and not any(map(_UNITTEST.search, tests))


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
