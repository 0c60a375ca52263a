"""The records of the model as their sources say them, and as tables of Markdown."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import codebase

Field = tuple[str, str, str, str]
"""Name, type, default and meaning."""


class Record:
    """A class of the model as its source says it: what it is, and what its fields mean."""

    def __init__(self, node: ast.ClassDef) -> None:
        self.name = node.name
        self.bases = [ast.unparse(base) for base in node.bases]
        self.doc = " ".join((ast.get_docstring(node) or "").split())
        self.fields = list(_fields(node))


def _fields(node: ast.ClassDef) -> Iterator[Field]:
    """Yield name, type, default and meaning of every field."""
    for part, following in zip(node.body, [*node.body[1:], None], strict=True):
        if not isinstance(part, ast.AnnAssign) or "ClassVar" in ast.unparse(part.annotation):
            continue
        doc = ""
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            doc = " ".join(str(following.value.value).split())
        default = "" if part.value is None else ast.unparse(part.value)
        yield ast.unparse(part.target), ast.unparse(part.annotation), default, doc


def records() -> dict[str, Record]:
    """Return every class of the model by its name."""
    return {
        node.name: Record(node)
        for module in codebase.modules()
        if module.name.startswith("custody.model")
        for node in module.tree.body
        if isinstance(node, ast.ClassDef)
    }


def _aliases() -> dict[str, str]:
    """Return the named choices of the model, written out."""
    return {
        ast.unparse(node.targets[0]): " | ".join(map(ast.unparse, _choices(node.value)))
        for module in codebase.modules()
        if module.name.startswith("custody.model")
        for node in module.tree.body
        if isinstance(node, ast.Assign) and _choices(node.value)
    }


def _choices(value: ast.expr) -> list[ast.expr]:
    if isinstance(value, ast.Subscript) and ast.unparse(value.value) == "Literal":
        return value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
    return []


def field_table(record: Record, known: dict[str, Record]) -> str:
    """Return the fields of a record as a Markdown table; empty when it has none."""
    rows = list(inherited(record, known))
    if not rows:
        return ""
    aliases = _aliases()
    lines = ["| field | type | default | meaning |", "|---|---|---|---|"]
    for name, kind, default, doc in rows:
        shown = f"`{default}`" if default else ""
        choices = as_cell(aliases.get(kind, kind))
        lines.append(f"| `{name}` | `{choices}` | {as_cell(shown)} | {as_cell(as_code(doc))} |")
    return "\n".join(lines) + "\n"


def inherited(record: Record, known: dict[str, Record]) -> Iterator[Field]:
    """Yield the fields of a record, those of its bases first; one that is said again, once."""
    fields: dict[str, Field] = {}
    for base in record.bases:
        if base in known:
            fields |= {field[0]: field for field in inherited(known[base], known)}
    fields |= {field[0]: field for field in record.fields}
    yield from fields.values()


def as_code(doc: str) -> str:
    """Return a docstring with its code marks as Markdown has them."""
    return doc.replace("``", "`")


def as_cell(text: str) -> str:
    """Return a text that may stand in a table."""
    return text.replace("|", "\\|")


def reached_from(start: set[str], known: dict[str, Record]) -> set[str]:
    """Return the records that the fields of ``start`` lead to."""
    reached, waiting = set(start), list(start)
    while waiting:
        record = known[waiting.pop()]
        text = " ".join(kind for _, kind, _, _ in inherited(record, known))
        text = text.replace("AnyRequest", " ".join(_requests(known)))
        for name in known:
            if name in text.replace("[", " ").replace("]", " ").replace(",", " ").split():
                if name not in reached:
                    waiting.append(name)
                reached.add(name)
    return reached


def _requests(known: dict[str, Record]) -> list[str]:
    return [name for name, record in known.items() if record.bases == ["Request"]]
