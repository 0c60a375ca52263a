"""A project is known by its files: what tests it, and where its code lies."""

from __future__ import annotations

import pytest

from custody.scaffold.project import look

PYTEST = {"pyproject.toml": "[tool.pytest.ini_options]\n", "tests/test_a.py": ""}
VENV = {".venv/pyvenv.cfg": "home = /usr/bin\n", ".venv/bin/python": ""}


class Files:
    """A folder that is a dictionary."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def names(self, folder: str = "") -> list[str]:
        start = f"{folder}/" if folder else ""
        inside = (path.removeprefix(start) for path in self.texts if path.startswith(start))
        return sorted({path.partition("/")[0] for path in inside})

    def text(self, path: str) -> str:
        return self.texts.get(path, "")

    def is_folder(self, path: str) -> bool:
        return any(each.startswith(f"{path}/") for each in self.texts)


@pytest.mark.parametrize(
    ("files", "kind", "tests"),
    [
        (PYTEST, "Python, pytest", "python3 -m pytest -q"),
        ({**PYTEST, **VENV}, "Python, pytest", ".venv/bin/python -m pytest -q"),
        ({"setup.py": "", "tests/conftest.py": ""}, "Python, pytest", "python3 -m pytest -q"),
        (
            {"setup.py": "", "tests/test_a.py": "import pytest\n"},
            "Python, pytest",
            "python3 -m pytest -q",
        ),
        (
            {"requirements-dev.txt": "pytest==8\n", "test/test_a.py": ""},
            "Python, pytest",
            "python3 -m pytest -q",
        ),
        (
            {"tests/test_a.py": "import unittest\n", "a.py": ""},
            "Python, unittest",
            "python3 -m unittest discover --start-directory tests",
        ),
        (
            {"setup.py": "", "test_a.py": "import pytest\n"},
            "Python, pytest",
            "python3 -m pytest -q",
        ),
        ({"test_a.py": "def test_it():\n"}, "Python, pytest", "python3 -m pytest -q"),
        ({"a_test.py": "async def test_it():\n"}, "Python, pytest", "python3 -m pytest -q"),
        (
            {"setup.py": "", "tests/unit/test_a.py": "def test_it():\n"},
            "Python, pytest",
            "python3 -m pytest -q",
        ),
        (
            {"a.py": "", "test_a.py": "import unittest\n"},
            "Python, unittest",
            "python3 -m unittest discover",
        ),
        ({"package.json": '{"scripts": {"test": "node --test"}}'}, "Node", "npm test"),
        ({"go.mod": "module x\n", "a.go": ""}, "Go", "go test ./..."),
        ({"Cargo.toml": "", "src/lib.rs": ""}, "Rust", "cargo test"),
        ({"Makefile": "all:\n\ntest: all\n\t./t\n"}, "make", "make test"),
        ({**PYTEST, "Makefile": "test:\n"}, "Python, pytest", "python3 -m pytest -q"),
    ],
)
def test_the_tests_are_found(files: dict[str, str], kind: str, tests: str) -> None:
    found = look(Files(files))
    assert (found.kind, found.tests) == (kind, tests)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"readme.md": "pytest"},
        {"pyproject.toml": "[project]\n", "a.py": ""},
        {"setup.py": "", "tests/models.py": "", "tests/test_data.py": ""},
        {"a.py": "", "test_data.py": "DATA = 1\n"},
        {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'},
        {"package.json": "[1]"},
        {"package.json": "{"},
        {"package.json": '{"scripts": {"test": 1}}'},
        {"Makefile": "testing:\n"},
    ],
)
def test_where_there_are_none_none_are_found(files: dict[str, str]) -> None:
    assert look(Files(files)).tests == ""


def test_who_names_the_tests_is_believed() -> None:
    assert look(Files({}), "./check").tests == "./check"
    assert look(Files(PYTEST), "tox").tests == "tox"


def test_beside_tests_that_are_named_code_is_told_from_other_files() -> None:
    files = {"setup.py": "", "a.py": "", "README.md": "", "LICENSE": "", "__pycache__/a.pyc": ""}
    found = look(Files(files), "make check")
    assert (found.kind, found.tests, found.code) == ("Python", "make check", ("a.py",))


@pytest.mark.parametrize(
    ("files", "doubt"),
    [
        (PYTEST, "there is no .venv here, so python3 on PATH must have pytest"),
        ({**PYTEST, **VENV}, "pytest is not in .venv: install it there before a run"),
        ({**PYTEST, **VENV, ".venv/lib/python3.12/site-packages/pytest/__init__.py": ""}, ""),
        ({**PYTEST, **VENV, ".venv/pyvenv.cfg": "include-system-site-packages = true\n"}, ""),
        ({"tests/test_a.py": "import unittest\n"}, ""),
    ],
)
def test_whether_pytest_is_there_is_looked_for(files: dict[str, str], doubt: str) -> None:
    assert look(Files(files)).doubt == doubt


@pytest.mark.parametrize(
    ("files", "code", "mixed"),
    [
        ({**PYTEST, "src/a/b.py": "", "docs/conf.py": ""}, ("src/",), False),
        (
            {**PYTEST, **VENV, "pkg/a.py": "", "tool.py": "", "setup.py": "", "docs/c.py": ""},
            ("pkg/", "tool.py"),
            False,
        ),
        ({"pyproject.toml": "pytest", "a.py": "", "test_a.py": ""}, ("a.py",), True),
        ({"go.mod": "", "a.go": "", "in/b.go": "", "README.md": ""}, ("a.go", "in/"), True),
        ({"package.json": '{"scripts": {"test": "x"}}', "index.js": ""}, ("index.js",), True),
    ],
)
def test_code_is_told_from_tests(files: dict[str, str], code: tuple[str, ...], mixed: bool) -> None:
    found = look(Files(files))
    assert (found.code, found.mixed) == (code, mixed)


def test_a_folder_that_a_list_of_paths_cannot_name_is_left_out() -> None:
    odd = ("a,b", "x*y", "back\\slash", "new\nline", " lead", "[ab]", "b\udcff")
    files = {**PYTEST, "pkg/m.py": "", "a b/m.py": "", **{f"{name}/m.py": "" for name in odd}}
    assert look(Files(files)).code == ("a b/", "pkg/")
