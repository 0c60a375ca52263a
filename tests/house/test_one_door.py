"""Files are opened by store/ alone: one place that knows symlinks, races and half-written files."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import codebase

EXCEPTIONS: dict[str, str] = {}
"""``file call`` and the reason why it may stand there."""

OPENERS = {"open", "io.open", "os.fdopen", "os.path.realpath"}
PATH_METHODS = {"resolve", "open", "read_text", "read_bytes", "write_text", "write_bytes"}


def test_files_are_opened_by_the_store_alone() -> None:
    wrong = [use for use in uses() if key(use) not in EXCEPTIONS]
    assert not wrong, "\n".join(wrong)


def test_no_exception_is_stale() -> None:
    assert EXCEPTIONS.keys() <= {key(use) for use in uses()}


def key(use: str) -> str:
    """Return a use without its line."""
    where, call = use.split(" ", 1)
    return f"{where.rsplit(':', 1)[0]} {call}"


def uses() -> Iterator[str]:
    """Yield ``file:line call`` for everything that reaches a file by its own means."""
    for module in codebase.modules():
        if module.name.startswith("custody.store"):
            continue
        names = {imported for imported, _ in module.imports()}
        has_paths = any(name.split(".")[0] == "pathlib" for name in names)
        for called, call in module.calls():
            if called in OPENERS or (has_paths and is_path_method(call)):
                yield f"{module.where}:{call.lineno} {called}"
        for imported, line in module.imports():
            if imported.split(".")[0] == "shutil":
                yield f"{module.where}:{line} import {imported}"


def is_path_method(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in PATH_METHODS
