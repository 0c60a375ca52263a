"""The glossary and the classes use the same words."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import codebase

ROW = re.compile(r"^\| \*\*(?P<word>[^*]+)\*\*.* \| (?P<where>[^|]+) \|$", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")
MANY = 3
"""So many packages that use another's class make its name a word of the system."""

REPLACED = re.compile(r"(?<![a-z])(?<!contract_)(keeper|guardian|tape)s?(?![a-z])", re.IGNORECASE)
"""Also as a part of a name, but for the role that the contract of a change calls so."""
KEPT_AS_WRITTEN = {"CONFORMANCE.md", "requirements.md", "glossary.md"}


@pytest.fixture
def glossary(root: Path) -> dict[str, list[str]]:
    """Return what stands in the column *where* of each word."""
    text = (root / "docs" / "explanation" / "glossary.md").read_text("utf-8")
    rows = list(ROW.finditer(text))
    assert not [word for word, n in Counter(row["word"] for row in rows).items() if n > 1]
    return {row["word"]: QUOTED.findall(row["where"]) for row in rows}


def test_every_class_of_the_glossary_is_where_it_says(glossary: dict[str, list[str]]) -> None:
    defined = classes()
    wrong = [
        f"{word}: {name} in {module}"
        for word, name, module in named(glossary)
        if dotted(module) not in defined[name]
    ]
    assert not wrong, "\n".join(wrong)


def test_every_place_of_the_glossary_exists(glossary: dict[str, list[str]]) -> None:
    top = codebase.SOURCE / "custody"
    places = [where[-1] for where in glossary.values() if where]
    assert not [place for place in places if not (top / place).exists()]


def test_a_class_stands_for_one_word(glossary: dict[str, list[str]]) -> None:
    counted = Counter((name, module) for _, name, module in named(glossary))
    assert not [name for name, times in counted.items() if times > 1]


def test_no_two_classes_share_a_name() -> None:
    shared = {name: modules for name, modules in classes().items() if len(modules) > 1}
    assert not shared, "give all but one a name of their own"


def test_what_many_packages_use_is_in_the_glossary(glossary: dict[str, list[str]]) -> None:
    there = {(dotted(module), name) for _, name, module in named(glossary)}
    missing = [
        f"{name} of {module}, used by {', '.join(sorted(packages))}"
        for (module, name), packages in users().items()
        if len(packages) >= MANY and (module, name) not in there
    ]
    assert not missing, "\n".join(missing)


def test_no_page_and_no_module_uses_a_word_that_was_replaced(root: Path) -> None:
    pages = [
        path
        for path in (*sorted((root / "docs").rglob("*.md")), *sorted((root / "src").rglob("*.py")))
        if path.parent.name != "adr" and path.name not in KEPT_AS_WRITTEN
    ]
    used = [
        f"{path.relative_to(root)}: {found[0]}"
        for path in pages
        for found in REPLACED.finditer(path.read_text("utf-8"))
    ]
    assert not used, "\n".join(used)


def named(glossary: dict[str, list[str]]) -> Iterator[tuple[str, str, str]]:
    """Yield each word with a class that is it, and the class's module; the module comes last."""
    for word, where in glossary.items():
        yield from ((word, name, where[-1]) for name in where[:-1])


def dotted(module: str) -> str:
    """Return ``model/graph.py`` as it is imported."""
    path = f"custody/{module}".removesuffix(".py").removesuffix("/__init__")
    return path.replace("/", ".")


def classes() -> defaultdict[str, set[str]]:
    """Return the modules that define each public class."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for module in codebase.modules():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].add(module.name)
    return found


def users() -> dict[tuple[str, str], set[str]]:
    """Return the packages that import each public class from a module of another package."""
    defined = classes()
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for module in codebase.modules():
        here = package_of(module.name)
        for imported, _ in module.imports():
            origin, _, name = imported.rpartition(".")
            if here and origin in defined[name] and package_of(origin) != here:
                found[origin, name].add(here)
    return found


def package_of(module: str) -> str:
    """Return the part after ``custody``; empty for the package itself."""
    return module.partition(".")[2].partition(".")[0]
