"""Every module has a test of its name: whoever changes one knows where its contract is tried."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import codebase


def test_every_module_has_a_test_of_its_name(root: Path) -> None:
    lost = [f"{where}: {mirror_of(where)} is missing" for where in without_test(root)]
    assert not lost, "\n".join(lost)


def without_test(root: Path) -> Iterator[str]:
    for module in codebase.modules():
        if decides(module.tree) and not (root / mirror_of(module.where)).exists():
            yield module.where


def mirror_of(where: str) -> str:
    """Return where the test of a module stands; that of a package stands among its modules'."""
    *folders, file = where.split("/")[2:]
    name = [*folders, file][-2] if file == "__init__.py" and folders else file
    name = "custody.py" if name == "__init__.py" else name
    return "/".join(("tests", *folders, f"test_{name.removesuffix('.py').strip('_')}.py"))


def decides(tree: ast.Module) -> bool:
    """Whether there is a function to test; declarations, tables and records have none."""
    functions = (
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return any(not is_declaration(function) for function in functions)


def is_declaration(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function only says what others must do, as those of a protocol."""
    *_, last = function.body
    is_text = isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant)
    return len(function.body) <= 2 and is_text


@pytest.mark.parametrize(
    ("where", "test"),
    [
        ("src/custody/__init__.py", "tests/test_custody.py"),
        ("src/custody/__main__.py", "tests/test_main.py"),
        ("src/custody/api.py", "tests/test_api.py"),
        ("src/custody/store/journal.py", "tests/store/test_journal.py"),
        ("src/custody/cli/render/table.py", "tests/cli/render/test_table.py"),
        ("src/custody/cli/__init__.py", "tests/cli/test_cli.py"),
        ("src/custody/cli/commands/__init__.py", "tests/cli/commands/test_commands.py"),
    ],
)
def test_where_a_test_stands(where: str, test: str) -> None:
    assert mirror_of(where) == test


@pytest.mark.parametrize(
    ("text", "something"),
    [
        ('"""A package."""', False),
        ("LIMIT = 1", False),
        ("class Row:\n    name: str", False),
        ("class Door(Protocol):\n    def open(self) -> None: ...", False),
        (
            'class Door(Protocol):\n    def open(self) -> None:\n        """Open."""\n        ...',
            False,
        ),
        ("def f(): return 1", True),
        ("class Row:\n    def f(self): return 1", True),
    ],
)
def test_what_there_is_to_test(text: str, something: bool) -> None:
    assert decides(ast.parse(text)) is something
