"""What the package defines is used by the package: nothing is kept for its tests alone."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

import codebase

EXCEPTIONS = {
    r"custody\.(handlers|checks\.gates)\.\w+\.[A-Z][a-z]\w*": "found by its module's name",
    r"custody\.executors\.agents\.\w+\.AGENT": "so is an agent",
    r".*\._(fields|pack|layout)_": "ctypes reads it",
    r".*\._Handler\.(do_[A-Z]+|log_message|protocol_version)": "http.server calls it",
}
"""Definitions that are used without being named, and by whom."""
USERS = ("src", "scripts")
"""Pages are made by scripts, of what the package tells them."""


def test_what_is_defined_is_used() -> None:
    dead = [place for place in unused(codebase.modules(), users()) if not excepted(place)]
    assert not dead, "\n".join(dead)


def test_no_exception_is_stale() -> None:
    places = list(unused(codebase.modules(), users()))
    stale = [text for text in EXCEPTIONS if not any(re.fullmatch(text, p) for p in places)]
    assert not stale, "\n".join(stale)


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("def f(): ...", ["f"]),
        ("def f(): f()", ["f"]),
        ("def f(): ...\nf()", []),
        ("class A:\n    def m(self): ...\nA", ["A.m"]),
        ("class A:\n    def m(self): ...\nA().m", []),
        ("class A:\n    def __len__(self): ...\nA", []),
        ("LIMIT = 1", ["LIMIT"]),
        ("from x import LIMIT\nLIMIT = 1", []),
        ("match x:\n    case A(size=1): ...\nclass A:\n    def size(self): ...", []),
    ],
)
def test_what_nobody_uses_is_found(text: str, dead: list[str]) -> None:
    module = codebase.parse(codebase.SOURCE / "custody" / "x.py", codebase.SOURCE, text)
    assert list(unused([module], [module])) == [f"custody.x.{name}" for name in dead]


@pytest.mark.parametrize(
    "place",
    [
        "custody.handlers.note.Note",
        "custody.checks.gates.short.Short",
        "custody.executors.agents.shout.AGENT",
    ],
)
def test_what_is_found_by_its_file_is_used(place: str) -> None:
    assert excepted(place)


def excepted(place: str) -> bool:
    return any(re.fullmatch(text, place) for text in EXCEPTIONS)


def users() -> list[codebase.Module]:
    return [module for top in USERS for module in codebase.modules(codebase.ROOT / top)]


def unused(modules: Iterable[codebase.Module], using: Iterable[codebase.Module]) -> Iterator[str]:
    """Yield every definition whose name stands nowhere but in itself."""
    everywhere: Counter[str] = Counter()
    for module in using:
        everywhere += words(module.tree)
    for name, place, node in definitions(modules):
        special = name.startswith("__") and name.endswith("__")
        if not special and everywhere[name] == words(node)[name]:
            yield place


def definitions(modules: Iterable[codebase.Module]) -> Iterator[tuple[str, str, ast.stmt]]:
    """Yield the name, the place and the syntax of every function, class, method and constant."""
    for module in modules:
        scopes: list[tuple[str, ast.Module | ast.ClassDef]] = [(module.name, module.tree)]
        for scope, tree in scopes:
            for node in tree.body:
                yield from ((name, f"{scope}.{name}", node) for name in names_of(node))
                if isinstance(node, ast.ClassDef):
                    scopes.append((f"{scope}.{node.name}", node))


def names_of(node: ast.stmt) -> list[str]:
    """Return what a statement defines; a field of a record is data, and no definition."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []


def words(node: ast.AST) -> Counter[str]:
    """Count every identifier that is used in a part of the code."""
    found: Counter[str] = Counter()
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name):
                found[name] += 1
            case ast.alias(name=name):
                found[name.rpartition(".")[2]] += 1
            case ast.MatchClass(kwd_attrs=names):
                found.update(names)
    return found
