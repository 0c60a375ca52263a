"""Write the pages of docs/ that are made from the code and from other pages.

With ``--check`` nothing is written, and the exit status is 1 when a page is not what it should
be. A page is a function here that returns its text; `PAGES` lists them.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator

import codebase
from custody import errors
from custody.model.event import FACTS
from custody.model.schemas import SCHEMAS

DOCS = codebase.ROOT / "docs"
EXIT_CODES = {
    errors.EXIT_DONE: "done",
    errors.EXIT_FAILED: "failed, or wrong usage",
    errors.EXIT_INTERNAL: "internal error",
    errors.EXIT_WAITING: "waiting for a person",
    errors.EXIT_INTERRUPTED: "interrupted",
}
NOTE = "Made from the code by `make reference`; a test keeps it true.\n"


class Record:
    """A class of the model as its source says it: what it is, and what its fields mean."""

    def __init__(self, node: ast.ClassDef) -> None:
        self.name = node.name
        self.bases = [ast.unparse(base) for base in node.bases]
        self.doc = " ".join((ast.get_docstring(node) or "").split())
        self.fields = list(_fields(node))


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, str, str, str]]:
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


def _field_table(record: Record, known: dict[str, Record]) -> str:
    rows = list(_inherited(record, known))
    if not rows:
        return ""
    aliases = _aliases()
    lines = ["| field | type | default | meaning |", "|---|---|---|---|"]
    for name, kind, default, doc in rows:
        shown = f"`{default}`" if default else ""
        choices = _cell(aliases.get(kind, kind))
        lines.append(f"| `{name}` | `{choices}` | {_cell(shown)} | {_cell(_code(doc))} |")
    return "\n".join(lines) + "\n"


def _inherited(record: Record, known: dict[str, Record]) -> Iterator[tuple[str, str, str, str]]:
    for base in record.bases:
        if base in known:
            yield from _inherited(known[base], known)
    yield from record.fields


def _code(doc: str) -> str:
    return doc.replace("``", "`")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def events() -> str:
    """Return the page about the facts of a run."""
    known = records()
    parts = [
        "# Events\n",
        NOTE,
        "Each line of `events.jsonl` carries one fact: `event` names it and `data` holds its",
        "fields. A fact that is no decision tells of the process, and a replay passes over it.\n",
        "## The line\n",
        _field_table(known["JournalLine"], known),
    ]
    for name, kind in FACTS.items():
        role = "a decision" if kind.decision else "not a decision"
        parts += [
            f"## {name}\n",
            f"{_code(known[name].doc)} Level `{kind.level}`, {role}.\n",
            _field_table(known[name], known),
        ]
    return "\n".join(part for part in parts if part)


def schemas() -> str:
    """Return the page about the files of a run directory and the records they are made of."""
    known = records()
    documents = {
        name: kind.__name__ for name, kind in SCHEMAS.items() if not name.startswith("event")
    }
    parts = [
        "# Schemas\n",
        NOTE,
        "`custody schema NAME` prints the JSON Schema of each. Decoding is strict: an unknown",
        "field, a wrong type, a duplicate key or anything but UTF-8 is refused.\n",
        "# Documents\n",
    ]
    for name, kind in documents.items():
        parts += [f"## {name}\n", _code(known[kind].doc) + "\n", _field_table(known[kind], known)]
    parts.append("# Records\n\nWhat documents and events are made of.\n")
    shown = {*documents.values(), *FACTS, "JournalLine", "Record", "Document", "Fact", "State"}
    for kind in sorted(_reached({*documents.values(), *FACTS}, known) - shown):
        parts += [f"## {kind}\n", _code(known[kind].doc) + "\n", _field_table(known[kind], known)]
    return "\n".join(part for part in parts if part)


def _reached(start: set[str], known: dict[str, Record]) -> set[str]:
    """Return the records that the fields of ``start`` lead to."""
    reached, waiting = set(start), list(start)
    while waiting:
        record = known[waiting.pop()]
        text = " ".join(kind for _, kind, _, _ in _inherited(record, known))
        text = text.replace("AnyRequest", " ".join(_requests(known)))
        for name in known:
            if name in text.replace("[", " ").replace("]", " ").replace(",", " ").split():
                if name not in reached:
                    waiting.append(name)
                reached.add(name)
    return reached


def _requests(known: dict[str, Record]) -> list[str]:
    return [name for name, record in known.items() if record.bases == ["Request"]]


def error_types() -> str:
    """Return the page about exceptions and exit codes."""
    tree = inspect.getdoc(errors) or ""
    lines = [
        "# Errors\n",
        NOTE,
        "```text",
        *[line for line in tree.splitlines() if line.startswith("    ")],
        "```\n",
        "| error type | exception | exit code | meaning |",
        "|---|---|---|---|",
    ]
    for kind in _tree(errors.CustodyError):
        doc = _cell(_code(" ".join((inspect.getdoc(kind) or "").split())))
        lines.append(f"| `{kind.error_type}` | `{kind.__name__}` | {kind.exit_code} | {doc} |")
    lines += ["", "## Exit codes\n", "| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    return "\n".join(lines) + "\n"


def _tree(kind: type[errors.CustodyError]) -> Iterator[type[errors.CustodyError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _tree(below)


def api() -> str:
    """Return the page about the public names."""
    import custody

    lines = ["# Python API\n", NOTE]
    names = getattr(custody, "__all__", [])
    lines.append(f"`import custody` gives {len(names)} names; everything else may change.\n")
    for name in names:
        value = getattr(custody, name)
        signature = str(inspect.signature(value)) if inspect.isfunction(value) else ""
        doc = inspect.getdoc(value) if callable(value) else ""
        lines += [f"## `{name}{signature}`\n", _code(doc or "") + "\n"]
    return "\n".join(lines)


def decisions() -> str:
    """Return the index of the decisions."""
    lines = [
        "# Decisions\n",
        "Made by `make reference`; a test keeps it true. A new one starts as a copy of the",
        "[template](0000-template.md).\n",
        "| decision | status |",
        "|---|---|",
    ]
    for path in sorted((DOCS / "adr").glob("[0-9]*.md")):
        title, _, status, *_ = path.read_text(encoding="utf-8").splitlines()
        if path.name != "0000-template.md":
            shown = status.removeprefix("Status: ").removesuffix(".")
            lines.append(f"| [{title.removeprefix('# ')}]({path.name}) | {shown} |")
    return "\n".join(lines)


PAGES: dict[str, Callable[[], str]] = {
    "adr/README.md": decisions,
    "reference/api.md": api,
    "reference/errors.md": error_types,
    "reference/events.md": events,
    "reference/schemas.md": schemas,
}


def pages() -> dict[str, str]:
    """Return the text of every generated page by its name."""
    return {name: page().rstrip("\n") + "\n" for name, page in PAGES.items()}


def main() -> int:
    """Write the pages, or compare them."""
    check = "--check" in sys.argv[1:]
    stale = [
        name
        for name, text in pages().items()
        if not codebase.written(DOCS / name, text, check=check)
    ]
    if not stale or not check:
        return 0
    print(f"not up to date: {', '.join(stale)}: run `make reference`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
