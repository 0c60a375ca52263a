"""Imports go one way, lazy ones too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

import codebase

LAYERS = (
    ("errors", "loading", "patterns", "variables", "version"),
    ("model",),
    ("store", "pipeline"),
    ("evidence",),
    ("skills",),
    ("patch",),
    ("checks", "scaffold", "workspace", "views", "testing"),
    ("sandbox",),
    ("ingest", "egress"),
    ("logbook",),
    ("resolvers",),
    ("seek",),
    ("supervise",),
    ("executors",),
    ("handlers", "scenarios"),
    ("engine",),
    ("api",),
    ("attest", "change", "skill"),
    ("",),  # custody/__init__.py itself: the public names
    ("cli",),
    ("__main__",),
)
LEVEL = {package: level for level, layer in enumerate(LAYERS) for package in layer}
NARROWER = {"views": {"errors", "model", "store", "evidence"}}
"""Packages that may see less than everything below them."""


def package_of(module: str) -> str:
    """Return the part after ``custody``; empty for the package itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def target_of(imported: str) -> str:
    """Return the package an import reaches; a public name is custody/__init__.py's."""
    package = package_of(imported)
    return package if package in LEVEL else ""


def test_every_package_has_its_place() -> None:
    packages = {package_of(module.name) for module in codebase.modules()}
    assert packages <= LEVEL.keys(), "add the new package to LAYERS"


def test_imports_go_one_way() -> None:
    assert not (wrong := list(wrong_imports(codebase.modules()))), "\n".join(wrong)


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("model/state.py", "from custody.store import journal"),
        ("store/root.py", "import custody.pipeline.parser"),
        ("views/summary.py", "from custody.checks import guards"),
        ("engine/loop.py", "def f():\n    from custody import run"),
        ("handlers/tool.py", "from ..engine import loop"),
    ],
)
def test_an_import_upwards_or_sideways_is_found(file: str, line: str) -> None:
    path = codebase.SOURCE / "custody" / file
    assert list(wrong_imports([codebase.parse(path, codebase.SOURCE, line)]))


def wrong_imports(modules: Iterable[codebase.Module]) -> Iterator[str]:
    for module in modules:
        here = package_of(module.name)
        for imported, line in module.imports():
            if imported.split(".")[0] not in {"custody", ""}:
                continue
            there = target_of(imported)
            below = LEVEL[there] < LEVEL[here] and there in NARROWER.get(here, LEVEL)
            relative = imported.startswith(".")
            if relative or (there != here and not below):
                yield f"{module.where}:{line} {here or 'custody'} imports {imported}"
