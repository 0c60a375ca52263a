"""Every code that a finding, a refusal or a broken document may carry, read from the sources.

A code is the text that stands where a call expects ``code``: in the constructor of a record or
an exception, or in a function of ours that has a parameter of that name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import codebase

RECORDS = {"NamedTuple", "Record", "msgspec.Struct"}
"""What is made of its fields in their order."""


def codes() -> dict[str, set[str]]:
    """Return the places of every code, as ``file:line``."""
    modules = codebase.modules()
    takers = dict(_takers(modules))
    found: dict[str, set[str]] = {}
    for module in modules:
        if module.name == "custody.store.os_errors":
            for code in _listed(module):
                found.setdefault(code, set()).add(module.where)
        for function in module.functions():
            for code in _defaults(function):
                found.setdefault(code, set()).add(f"{module.where}:{function.lineno}")
        for called, call in module.calls():
            name = called.rpartition(".")[2]
            for code in _said(call, takers.get(name, -1)):
                found.setdefault(code, set()).add(f"{module.where}:{call.lineno}")
    return found


def _listed(module: codebase.Module) -> Iterator[str]:
    """Yield the codes of a table whose values are pairs of code and reason."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Dict):
            for value in node.values:
                if isinstance(value, ast.Tuple):
                    yield from _values(value.elts[0])


def _takers(modules: Iterable[codebase.Module]) -> Iterator[tuple[str, int]]:
    """Yield everything that takes a code, and at which place; -1 for by name only."""
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                yield from _class(node)
            elif isinstance(node, ast.FunctionDef) and node.name != "__init__":
                yield from _function(node.name, node)


def _class(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    inherits = {"PathRefused", "CommandRefused"}
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            yield from _function(node.name, part)
    if node.name in inherits:
        yield node.name, 0
    if RECORDS.intersection(map(ast.unparse, node.bases)):
        fields = [ast.unparse(part.target) for part in node.body if isinstance(part, ast.AnnAssign)]
        if "code" in fields:
            yield node.name, fields.index("code")


def _function(name: str, node: ast.FunctionDef) -> Iterator[tuple[str, int]]:
    names = [argument.arg for argument in node.args.args if argument.arg not in {"self", "cls"}]
    if "code" in names:
        yield name, names.index("code")


def _defaults(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    names = [argument.arg for argument in node.args.args][-len(node.args.defaults) :]
    pairs = [*zip(names, node.args.defaults, strict=False)]
    pairs += [
        (argument.arg, default)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is not None
    ]
    for name, default in pairs:
        if name == "code":
            yield from _values(default)


def _said(call: ast.Call, place: int) -> Iterator[str]:
    given = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
    if 0 <= place < len(call.args):
        given.append(call.args[place])
    for expression in given:
        yield from _values(expression)


def _values(expression: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression may come to, as far as they stand in it."""
    if isinstance(expression, ast.IfExp):
        yield from _values(expression.body)
        yield from _values(expression.orelse)
    elif isinstance(expression, ast.Constant) and isinstance(expression.value, str):
        yield from filter(None, [expression.value])


if __name__ == "__main__":
    for one, places in sorted(codes().items()):
        print(f"{one:24} {' '.join(sorted(places))}")
