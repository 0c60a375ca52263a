"""Write the pages of docs/ that are made from the code and from other pages.

With ``--check`` nothing is written, and the exit status is 1 when a page is not what it should
be. A page is a function here that returns its text; `PAGES` lists them.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any

import codebase
from custody import errors
from custody.model import record as model
from custody.model.event import FACTS
from custody.model.fact import Traits
from custody.model.graph import AttributeRule
from custody.model.journal_version import CURRENT, VERSIONS
from custody.model.schemas import SCHEMAS
from custody.pipeline import vocabulary
from records import Record, as_cell, as_code, field_table, reached_from, records

DOCS = codebase.ROOT / "docs"
LINE = 100
EXIT_CODES = {
    errors.EXIT_DONE: "done",
    errors.EXIT_FAILED: "failed, or wrong usage",
    errors.EXIT_INTERNAL: "internal error",
    errors.EXIT_WAITING: "waiting for a person",
    errors.EXIT_INTERRUPTED: "interrupted",
}
ABOUT = {"run": "the run", "stage": "a stage", "attempt": "an attempt"}
NOTE = "Made from the code by `make reference`; a test keeps it true.\n"


def events() -> str:
    """Return the page about the facts of a run."""
    known = records()
    parts = [
        "# Events\n",
        NOTE,
        "Each line of `events.jsonl` carries one fact: `event` names it and `data` holds its",
        "fields. A fact that is no decision tells of the process, and a replay passes over it.",
        "Each is about the run, about a stage (one visit of a node) or about an attempt at one.\n",
        "## The line\n",
        field_table(known["JournalLine"], known),
        _versions(known["JournalVersion"]),
    ]
    for name, kind in FACTS.items():
        parts += [
            f"## {name}\n",
            f"{as_code(known[name].doc)} {_traits(kind.traits)}\n",
            field_table(known[name], known),
        ]
    return "\n".join(part for part in parts if part)


def _traits(traits: Traits) -> str:
    """Return what a kind of fact says about itself, in a sentence."""
    said = [
        f"About {ABOUT[traits.about]}",
        f"level `{traits.level}`",
        "a decision" if traits.decision else "not a decision",
    ]
    said += [f"traced as `{traits.traced_as}`"] if traits.traced_as else []
    said += [] if traits.shared_by_fork else ["left behind by a fork"]
    return f"{', '.join(said)}."


def _versions(known: Record) -> str:
    """Return what differs between the versions of the journal."""
    lines = [
        "## Versions of the journal\n",
        "A journal has one version from its first line to its last. A resumed run goes on in its",
        f"own, a fork in that of its origin; new runs begin with {CURRENT.number}.\n",
        f"| `schema_version` | {' | '.join(VERSIONS)} |",
        f"|---|{'---|' * len(VERSIONS)}",
    ]
    for name, _, _, doc in known.fields[1:]:
        values = (str(getattr(version, name)).lower() for version in VERSIONS.values())
        lines.append(f"| {as_cell(as_code(doc))} | {' | '.join(values)} |")
    return "\n".join(lines) + "\n"


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
        parts += [f"## {name}\n", as_code(known[kind].doc) + "\n", field_table(known[kind], known)]
    parts.append("# Records\n\nWhat documents and events are made of.\n")
    shown = {*documents.values(), *FACTS, "JournalLine", "Record", "Document", "Fact", "State"}
    for kind in sorted(reached_from({*documents.values(), *FACTS}, known) - shown):
        parts += [f"## {kind}\n", as_code(known[kind].doc) + "\n", field_table(known[kind], known)]
    return "\n".join(part for part in parts if part)


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
        doc = as_cell(as_code(" ".join((inspect.getdoc(kind) or "").split())))
        lines.append(f"| `{kind.error_type}` | `{kind.__name__}` | {kind.exit_code} | {doc} |")
    lines += ["", "## Exit codes\n", "| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    return "\n".join(lines) + "\n"


def _tree(kind: type[errors.CustodyError]) -> Iterator[type[errors.CustodyError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _tree(below)


def nodes() -> str:
    """Return the page about node types and attributes."""
    from custody.handlers import catalog

    parts = ["# Node types and attributes\n", NOTE]
    for kind in catalog().values():
        shape = f" Shape `{kind.shape}`." if kind.shape else ""
        parts += [f"## {kind.name}\n", f"{kind.doc}{shape}\n", _attributes(kind.attributes)]
        if kind.families is not None:
            parts.append("And the settings of [agents](agents.md).\n")
    for title, rules in (
        ("Any node", vocabulary.NODE_ATTRIBUTES),
        ("Edges", vocabulary.EDGE_ATTRIBUTES),
        ("The graph", vocabulary.GRAPH_ATTRIBUTES),
    ):
        parts += [f"## {title}\n", _attributes(rules)]
    parts.append("Attributes that only Graphviz looks at (`color`, `rankdir`, …) are passed over.")
    return "\n".join(part for part in parts if part)


def agents() -> str:
    """Return the page about the packaged agents and their settings."""
    from custody.executors.registry import packaged_types

    parts = [
        "# Agents\n",
        NOTE,
        "A run names one by `--agent`, a node by `agent`. Settings are attributes of the node;",
        "where it gives none, most agents look at the variable `CUSTODY_<AGENT>_<SETTING>`.",
        "[Others can be installed](../how-to/bring-your-own-agent.md).\n",
    ]
    for kind in packaged_types():
        also = (
            f" Also called {', '.join(f'`{name}`' for name in kind.aliases)}."
            if kind.aliases
            else ""
        )
        starts = "It starts programs." if kind.starts_programs else "It starts nothing."
        beside = " It can be asked for several documents at once." if kind.parallel else ""
        parts += [
            f"## {kind.name}\n",
            f"`{kind.spelling}`: {kind.doc}{also} {starts}{beside}\n",
            _attributes(kind.rules()),
        ]
    return "\n".join(part for part in parts if part)


def _attributes(rules: tuple[AttributeRule, ...]) -> str:
    if not rules:
        return ""
    lines = ["| attribute | kind | meaning |", "|---|---|---|"]
    for rule in rules:
        choices = ", ".join(f"`{choice}`" for choice in rule.choices if choice)
        meaning = f"{rule.doc} One of {choices}." if choices else rule.doc
        required = " Required." if rule.required else ""
        lines.append(f"| `{rule.name}` | {rule.kind} | {as_cell(meaning)}{required} |")
    return "\n".join(lines) + "\n"


def api() -> str:
    """Return the page about the public names."""
    import custody

    lines = ["# Python API\n", NOTE]
    lines.append(f"`import custody` gives {len(custody.__all__)} names; the rest may change.\n")
    for name in custody.__all__:
        value = getattr(custody, name)
        lines += [f"## `{name}`\n"]
        if inspect.isfunction(value):
            lines += ["```python", _signature(name, value), "```\n"]
        lines += [as_code(inspect.getdoc(value) or "") + "\n", _own_fields(value), _methods(value)]
    return "\n".join(line for line in lines if line)


def _signature(name: str, function: Callable[..., Any]) -> str:
    """Return a call with its arguments, each on a line of its own where there are many."""
    signature = inspect.signature(function)
    arguments = [
        f"{argument.name}: {argument.annotation}"
        + ("" if argument.default is argument.empty else f" = {argument.default!r}")
        for argument in signature.parameters.values()
    ]
    keywords = [p.kind is p.KEYWORD_ONLY for p in signature.parameters.values()]
    if any(keywords):
        arguments.insert(keywords.index(True), "*")
    answer = signature.return_annotation
    line = f"{name}({', '.join(arguments)}) -> {answer}"
    if len(line) <= LINE:
        return line
    return f"{name}(\n    " + ",\n    ".join(arguments) + f",\n) -> {answer}"


def _own_fields(value: object) -> str:
    if not isinstance(value, type):
        return ""
    (node,) = ast.parse(inspect.getsource(value)).body
    return field_table(Record(node), {}) if isinstance(node, ast.ClassDef) else ""


def _methods(value: object) -> str:
    """Return what can be asked of a class that is no record, as a table; empty when nothing can."""
    if not inspect.isclass(value) or issubclass(value, model.Record | BaseException):
        return ""
    methods = {name: each for name, each in vars(value).items() if inspect.isfunction(each)}
    rows = [
        f"| `{name}{_call(each)}` | {as_cell(as_code(_first_line(each)))} |"
        for name, each in methods.items()
        if not name.startswith("_")
    ]
    return "\n".join(["| method | does |", "|---|---|", *rows]) + "\n" if rows else ""


def _first_line(value: object) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0]


def _call(method: Callable[..., Any]) -> str:
    names = [name for name in inspect.signature(method).parameters if name != "self"]
    return f"({', '.join(names)})"


def commands() -> str:
    """Return the page about the command line."""
    from custody.cli import manual
    from custody.cli.commands import commands

    title, rest = manual.page(commands()).split("\n", 1)
    return f"{title}\n\n{NOTE}{rest}"


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
    "reference/agents.md": agents,
    "reference/api.md": api,
    "reference/cli.md": commands,
    "reference/errors.md": error_types,
    "reference/events.md": events,
    "reference/nodes.md": nodes,
    "reference/schemas.md": schemas,
}


def page(name: str) -> str:
    """Return the text of one generated page."""
    return PAGES[name]().rstrip("\n") + "\n"


def main() -> int:
    """Write the pages, or compare them."""
    check = "--check" in sys.argv[1:]
    stale = [name for name in PAGES if not codebase.written(DOCS / name, page(name), check=check)]
    if not stale or not check:
        return 0
    print(f"not up to date: {', '.join(stale)}: run `make reference`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
