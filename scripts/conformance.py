"""Write docs/CONFORMANCE.md: every requirement, the tests that prove it, and what is open.

A test proves a requirement when it carries its mark, ``@pytest.mark.req("P-03")``. The marks
are read from the syntax trees, so that the page needs no test run. With ``--check`` nothing is
written, and the exit status is 1 when the page is not what it should be.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import codebase

PAGE = codebase.ROOT / "docs" / "CONFORMANCE.md"
REQUIREMENTS = codebase.ROOT / "docs" / "requirements.md"


PARTLY: dict[str, str] = {}
"""Requirements of which the tests prove a part, and what is missing."""


@dataclass(frozen=True)
class Requirement:
    """One line of docs/requirements.md."""

    id: str
    area: str
    text: str


def requirements(text: str) -> list[Requirement]:
    """Return every requirement, in the order of the document."""
    found, area = [], ""
    for line in text.splitlines():
        if heading := re.fullmatch(r"## (.+)", line):
            area = heading[1]
        elif row := re.fullmatch(r"\| ([A-Z]-\d\d) \| (.+) \|", line):
            found.append(Requirement(row[1], area, row[2]))
    return found


def proofs(modules: Iterable[codebase.Module]) -> dict[str, list[str]]:
    """Return the tests by the requirement that their mark names."""
    found: dict[str, set[str]] = {}
    for module in modules:
        for test, requirement in _marks(module):
            found.setdefault(requirement, set()).add(test)
    return {requirement: sorted(tests) for requirement, tests in found.items()}


def _marks(module: codebase.Module) -> Iterator[tuple[str, str]]:
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            yield from ((module.where, name) for name in _named(node.value))
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                yield from _marked(f"{module.where}::{node.name}", part, node.decorator_list)
        else:
            yield from _marked(module.where, node, [])


def _marked(where: str, node: ast.stmt, outer: list[ast.expr]) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
        for decorator in [*outer, *node.decorator_list]:
            yield from ((f"{where}::{node.name}", name) for name in _named(decorator))


def _named(expression: ast.expr) -> Iterator[str]:
    for node in ast.walk(expression):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.req":
            yield from (str(ast.literal_eval(part)) for part in node.args)


def page(asked: list[Requirement], proven: dict[str, list[str]]) -> str:
    """Return the page as text."""
    lines = [
        "# Conformance",
        "",
        "Made by `make reference` from the requirement marks of the tests; a test keeps it true.",
        "A line without a test is open, whatever the code may do.",
        "",
        "| area | proven | partly | open |",
        "|---|---|---|---|",
    ]
    areas = list(dict.fromkeys(requirement.area for requirement in asked))
    for area in areas:
        ids = [requirement.id for requirement in asked if requirement.area == area]
        partly = sum(name in PARTLY for name in ids)
        done = sum(name in proven for name in ids) - partly
        lines.append(f"| {area} | {done} | {partly} | {len(ids) - done - partly} |")
    for area in areas:
        lines += ["", f"## {area}", "", "| id | requirement | proved by |", "|---|---|---|"]
        lines += [_row(one, proven) for one in asked if one.area == area]
    return "\n".join(lines) + "\n"


def _row(one: Requirement, proven: dict[str, list[str]]) -> str:
    proof = [_link(test) for test in proven.get(one.id, [])]
    if one.id in PARTLY:
        proof.insert(0, f"**partly**: {PARTLY[one.id]}")
    return f"| {one.id} | {one.text} | {'<br>'.join(proof) or '**open**'} |"


def _link(test: str) -> str:
    path, _, name = test.partition("::")
    return f"[{name.replace('::', '.') or path}](../{path})"


def main() -> int:
    """Write the page, or compare it."""
    tests = codebase.modules(codebase.ROOT / "tests")
    text = page(requirements(REQUIREMENTS.read_text(encoding="utf-8")), proofs(tests))
    check = "--check" in sys.argv[1:]
    if codebase.written(PAGE, text, check=check) or not check:
        return 0
    print("docs/CONFORMANCE.md is not up to date: run `make reference`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
