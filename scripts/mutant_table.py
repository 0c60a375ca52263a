"""The mutants: what may be disabled in the sources, and how each change is made.

``tests/mutation`` holds one file for each area, and each file a table for each module::

    ["checks/gates/writes.py"]
    tests = "checks/gates/test_writes.py"
    "a link out of the workspace is kept" = { in = "_judge_kind", off = "leaves(path, target)" }

An entry is named by what holds no longer. It says where (``in``: a function, or a method with its
class; without it, the whole module) and one thing that is done there:

    off   this condition is never true
    on    this condition is always true
    drop  this statement is left out
    swap  the first of these two, an expression or a statement, becomes the second
    body  all that the function does is this

What is named must stand there exactly once: it is found in the syntax tree, so that layout and
quotes do not matter. ``tests`` says which tests must notice, where they are not the module's.
``also`` holds further changes, each with its ``module``, for a guard that has a second one behind
it, and ``because`` then says which. ``endless = true`` says that what holds no longer is an end:
the test that notices runs out of time.
"""

from __future__ import annotations

import ast
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import codebase

TABLE = codebase.ROOT / "tests" / "mutation"
PACKAGE = codebase.SOURCE / "custody"
VERBS = ("off", "on", "drop", "swap", "body")


class NotApplicable(Exception):
    """An entry of the table that does not fit the code."""


@dataclass(frozen=True)
class Change:
    """One change of one module."""

    module: str
    """Its path below the package."""
    place: str
    verb: str
    old: str
    new: str

    @property
    def where(self) -> str:
        """Return what is changed, for a reader: the function, or the module."""
        return self.place or Path(self.module).stem


@dataclass(frozen=True)
class Mutant:
    """The sources with one guard disabled."""

    area: str
    name: str
    """What holds no longer."""
    changes: tuple[Change, ...]
    tests: str
    """Words for pytest, paths from the folder of the tests."""
    because: str = ""
    endless: bool = False
    """Whether it shows by a test that runs out of time."""

    def __str__(self) -> str:
        return f"{self.changes[0].module}: {self.name}"

    def texts(self) -> dict[str, str]:
        """Return the modules that differ, by their path below the package."""
        changed: dict[str, str] = {}
        for change in self.changes:
            text = changed.get(change.module)
            if text is None:
                text = (PACKAGE / change.module).read_text(encoding="utf-8")
            changed[change.module] = apply(change, text)
        return changed


def read_table(folder: Path = TABLE) -> tuple[Mutant, ...]:
    """Return every mutant, in the order of the files."""
    return tuple(
        mutant
        for path in sorted(folder.glob("*.toml"))
        for mutant in _read(path.stem, tomllib.loads(path.read_text(encoding="utf-8")))
    )


def _read(area: str, data: dict[str, dict[str, Any]]) -> Iterator[Mutant]:
    for module, entries in data.items():
        for name, entry in entries.items():
            if name == "tests":
                continue
            also = (_change(each.pop("module"), each) for each in entry.pop("also", ()))
            tests = entry.pop("tests", "") or entries.get("tests", "")
            because, endless = entry.pop("because", ""), entry.pop("endless", False)
            changes = (_change(module, entry), *also)
            yield Mutant(area, name, changes, tests, because, endless)


def _change(module: str, entry: dict[str, Any]) -> Change:
    place = entry.pop("in", "")
    verbs = [verb for verb in VERBS if verb in entry]
    if len(verbs) != 1 or len(entry) != 1:
        raise NotApplicable(f"{module}: {entry} is not one of {', '.join(VERBS)}")
    verb, said = verbs[0], entry[verbs[0]]
    instead = {"off": "False", "on": "True", "drop": "pass"}
    if verb in instead:
        return Change(module, place, verb, said, instead[verb])
    old, new = said if verb == "swap" else ("", said)
    return Change(module, place, verb, old, new)


def apply(change: Change, text: str) -> str:
    """Return a module's text with one change; raises `NotApplicable`."""
    place = _find_place(_parsed(text), change)
    if change.verb == "body":
        assert isinstance(place, ast.FunctionDef)
        first, last = place.body[0], place.body[-1]
        return _spliced(text, _position(first), _end(last), _indented(change.new, first))
    found = _find(place, change)
    if len(found) != 1:
        raise NotApplicable(f"{change.module}: {len(found)} times in {change.where}: {change.old}")
    node = found[0]
    new = f"({change.new})" if isinstance(node, ast.expr) else _indented(change.new, node)
    return _spliced(text, _position(node), _end(node), new)


def _find_place(tree: ast.Module, change: Change) -> ast.AST:
    place: ast.AST = tree
    for name in filter(None, change.place.split(".")):
        inner = [
            node
            for node in ast.walk(place)
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
        ]
        if len(inner) != 1:
            raise NotApplicable(f"{change.module}: {len(inner)} definitions of {change.place}")
        place = inner[0]
    return place


@cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def _find(place: ast.AST, change: Change) -> list[ast.AST]:
    """Return the nodes that are what a change names: a statement, or an expression."""
    (statement,) = ast.parse(change.old).body
    wanted: ast.AST = statement
    if isinstance(statement, ast.Expr) and change.verb != "drop":
        wanted = statement.value
    dumped = ast.dump(wanted)
    return [
        node for node in ast.walk(place) if type(node) is type(wanted) and ast.dump(node) == dumped
    ]


def _position(node: ast.stmt | ast.expr | ast.AST) -> tuple[int, int]:
    assert isinstance(node, ast.stmt | ast.expr)
    return node.lineno, node.col_offset


def _end(node: ast.AST) -> tuple[int, int]:
    assert isinstance(node, ast.stmt | ast.expr)
    return node.end_lineno or 0, node.end_col_offset or 0


def _indented(text: str, node: ast.AST) -> str:
    """Return statements as they must be written where a node begins."""
    _, column = _position(node)
    return textwrap.indent(text, " " * column).lstrip(" ")


def _spliced(text: str, begin: tuple[int, int], end: tuple[int, int], new: str) -> str:
    """Return a text whose part between two places is another; columns count bytes."""
    lines = text.encode().splitlines(keepends=True)
    before = b"".join(lines[: begin[0] - 1]) + lines[begin[0] - 1][: begin[1]]
    after = lines[end[0] - 1][end[1] :] + b"".join(lines[end[0] :])
    changed = (before + new.encode() + after).decode()
    ast.parse(changed)
    return changed
