"""Rules about what the texts of a pipeline say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from custody.errors import MalformedDocument, PathRefused
from custody.model import layout
from custody.model.allowlist import Allowlist
from custody.model.finding import Finding, Severity
from custody.model.graph import Catalog, Pipeline, SourcePosition
from custody.model.output import output_named
from custody.model.relpath import forbidden
from custody.patterns import later
from custody.pipeline.condition import parse_condition
from custody.pipeline.document import document_path
from custody.pipeline.messages import Nearest, found, shown
from custody.pipeline.template import (
    CONTEXT,
    FIELD,
    ITEM_NAMES,
    RESERVED,
    TEMPLATES,
    documents_in,
    look_into,
)

WORKSPACE = f"{layout.WORKSPACE}/"

BIDI_LIMIT = 100
"""Lines with hidden characters that are named."""

_BIDIRECTIONAL = later("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class _Fault(NamedTuple):
    code: str
    what: str
    hint: str
    severity: Severity


def conditions(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find conditions that cannot be read, and those that can never hold."""
    shared = {id(edge.attributes): edge.attributes for edge in pipeline.edges}
    known: dict[str, tuple[str, str]] = {}
    for attributes in shared.values():
        condition = attributes.get("condition")
        if condition is None or not isinstance(condition.value, str) or not condition.value:
            continue
        if condition.value not in known:
            known[condition.value] = _fault_of_condition(condition.value)
        what, hint = known[condition.value]
        if what:
            yield found("condition", what, condition.position, hint)


def _fault_of_condition(text: str) -> tuple[str, str]:
    try:
        condition = parse_condition(text)
    except MalformedDocument as malformed:
        return malformed.what, malformed.hint
    if condition.possible:
        return "", ""
    return f"{shown(text)} can never hold", "write one edge for each alternative"


def templates(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find names in templates that have no value, and documents that cannot be."""
    known = {*RESERVED, *pipeline.variables, *(ITEM_NAMES if pipeline.for_items else ())}
    open_ended = (CONTEXT, FIELD) if pipeline.for_items else (CONTEXT,)
    nearest = Nearest()
    for node in pipeline.nodes.values():
        for template in TEMPLATES:
            attribute = node.attributes.get(template)
            if attribute is None or not isinstance(attribute.value, str):
                continue
            names, malformed = look_into(attribute.value)
            if malformed:
                what = f"{template} holds '${{' without a name and '}}'"
                yield found("template", what, attribute.position, "write '$$' for a dollar sign")
            for name in sorted(names - known):
                if name.startswith(open_ended) or output_named(name) is not None:
                    continue
                hint = nearest.hint(name, known) or _hint_for(name)
                what = f"{template} needs {shown(name)}, which has no value"
                yield found("template", what, attribute.position, hint)
            for kind, path in documents_in(attribute.value):
                if fault := _fault_of_document(kind, path):
                    yield found("template", f"{template}: {fault}", attribute.position)


def _hint_for(name: str) -> str:
    if name in ITEM_NAMES or name.startswith(FIELD):
        return "only a pipeline that an each node runs knows it"
    return f"give it a default: var.{name}=…"


def _fault_of_document(kind: str, path: str) -> str:
    """Return why there can be no such document; a path with names in it is judged by the run."""
    if "$" in path:
        return ""
    try:
        document_path(path.rstrip("/") if kind == "docs" else path, folder=kind == "docs")
    except PathRefused as refused:
        return refused.what
    return ""


def write_paths(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find allowlist entries that are no file or directory of the workspace, or never count."""
    known: dict[str, list[_Fault]] = {}
    for node in pipeline.nodes.values():
        attribute = node.attributes.get("allowed_write_paths")
        if attribute is None or not isinstance(attribute.value, str):
            continue
        if attribute.value not in known:
            entries = dict.fromkeys(node.items("allowed_write_paths"))
            known[attribute.value] = [fault for fault in map(_fault_of_entry, entries) if fault]
        for code, what, hint, severity in known[attribute.value]:
            yield found(code, f"allowed_write_paths: {what}", attribute.position, hint, severity)


def _fault_of_entry(entry: str) -> _Fault | None:
    try:
        Allowlist.parse((entry,))
    except PathRefused as refused:
        return _Fault(refused.code, refused.what, refused.hint, "error")
    if never := forbidden(entry.rstrip("/")):
        what = f"{shown(entry)} is refused all the same: {never.reason}"
        return _Fault(never.code, what, "no stage may write it; leave it out", "warning")
    if not entry.startswith(WORKSPACE):
        return None
    what = f"{shown(entry)} means a folder called workspace inside the workspace"
    hint = f"paths begin in the workspace: write {shown(entry.removeprefix(WORKSPACE))}"
    return _Fault("workspace_prefix", what, hint, "warning")


def bidirectional(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find control characters that make a text read otherwise than it is written."""
    if pipeline.source.isascii():
        return
    lines = enumerate(pipeline.source.decode("utf-8-sig").split("\n"), start=1)
    hidden = ((number, match) for number, line in lines if (match := _BIDIRECTIONAL.search(line)))
    for number, match in islice(hidden, BIDI_LIMIT):
        at = SourcePosition(line=number, column=match.start() + 1)
        what = f"U+{ord(match[0]):04X} changes the order in which this line is shown"
        hint = "remove it, or read the line in an editor that shows such characters"
        yield found("bidi", what, at, hint, "warning")
