"""The sources as syntax trees: what the house tests and the generated pages look at."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"


@dataclass(frozen=True)
class Module:
    """One Python file, read once."""

    path: Path
    name: str
    """Dotted, as it is imported; a test's or a script's path with dots otherwise."""
    text: str
    tree: ast.Module

    @property
    def where(self) -> str:
        """Return the path from the top of the repository."""
        return self.path.relative_to(ROOT).as_posix()

    def imports(self) -> Iterator[tuple[str, int]]:
        """Yield the dotted name and the line of every import, nested ones too."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((alias.name, node.lineno) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                origin = "." * node.level + (node.module or "")
                yield from ((f"{origin}.{alias.name}", node.lineno) for alias in node.names)

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Yield every function and method."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node

    def calls(self) -> Iterator[tuple[str, ast.Call]]:
        """Yield every call with what is called, as written: ``open``, ``os.path.realpath``."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield ast.unparse(node.func), node


@cache
def modules(top: Path = SOURCE) -> tuple[Module, ...]:
    """Return every module below ``top``, in order of the paths; read once."""
    paths = sorted(top.rglob("*.py"))
    gc.disable()  # all of it stays; looking for what does not takes longer than reading
    try:
        return tuple(parse(path, top, path.read_text(encoding="utf-8")) for path in paths)
    finally:
        gc.enable()


def parse(path: Path, top: Path, text: str) -> Module:
    """Return ``text`` as the module that stands at ``path``."""
    parts = path.relative_to(top).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(path=path, name=name, text=text, tree=ast.parse(text, str(path)))


def written(path: Path, text: str, *, check: bool) -> bool:
    """Write a generated page, or only compare it; return whether it was as it should be."""
    current = path.read_text(encoding="utf-8") if path.exists() else None
    if current != text and not check:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return current == text
