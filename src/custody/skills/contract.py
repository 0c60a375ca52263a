"""Reads ``contract.yaml``: the whole contract, or everything that is wrong with it.

Beside the codes of `custody.skills.yaml_nodes`, of `RelPath` and of `OutputGlob`:

    missing         a field that must be there
    unknown_field   a field that there is not
    type            a value of another kind
    empty           a text that says nothing
    control         a text with characters that nobody sees
    too_large       a text that is too long
    too_few         a list with fewer entries than needed
    number          a number that not every reader reads alike
    schema_version  a version that is not known
    needs_1_1       a field or a tool that version 1.0 does not know
    tool            a tool that is not known
    name            a name that cannot be part of a file's name
    duplicate       a name or a path that stands twice
    not_tcl         a script that is no .tcl
    pattern         a regular expression that is none, matches anything, or may never come to an end
    direction       none of higher, lower, none
    range           a number that is out of bounds, or a least value over the greatest
"""

from __future__ import annotations

from typing import NamedTuple, cast

from custody.errors import ContractInvalid, PathRefused
from custody.model.finding import Finding
from custody.model.relpath import RelPath
from custody.model.skill.contract import (
    CONTRACT_VERSIONS,
    FIRST_TOOLS,
    FIRST_VERSION,
    NEWEST_VERSION,
    TOOL_NAMES,
    Contract,
    ContractOutputs,
    ContractScript,
    RequiredOutput,
    ToolName,
)
from custody.model.skill.log_pattern import pattern_fault
from custody.model.skill.metric import DIRECTIONS, Direction, MetricRule
from custody.model.skill.outputs import OutputGlob
from custody.patterns import later
from custody.pipeline.messages import shown
from custody.skills.fields import Fields, Findings
from custody.skills.yaml_nodes import YamlNode, read_yaml

DEBUG_HINTS = 2
"""How many hints there are at least."""
LONGEST_TIMEOUT = 30 * 86_400.0
_FIRST_FIELDS = (
    "schema_version", "name", "version", "tool", "description", "scripts", "outputs", "debug_hints",
)  # fmt: skip
_NEW_FIELDS = ("error_patterns", "ignore_patterns", "metrics")
_NAME = later(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_METRIC = later(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")


class ReadContract(NamedTuple):
    """A contract, None when anything is wrong with it, and what that is, by line."""

    contract: Contract | None
    findings: tuple[Finding, ...]


def read_contract(data: bytes) -> ReadContract:
    """Read a contract; every finding is told."""
    read = read_yaml(data)
    findings = Findings(read.findings)
    draft = None
    if read.node is not None:
        draft = _contract(Fields(read.node, "", findings))
    elif not read.findings:
        findings.tell("missing", "there is nothing in it", None)
    found = tuple(sorted(findings.found, key=lambda one: (one.line, one.column)))
    return ReadContract(None if found else draft, found)


def sound_contract(data: bytes, *, where: str) -> Contract:
    """Return a contract; raises `ContractInvalid` with every finding."""
    contract, findings = read_contract(data)
    if contract is None:
        raise ContractInvalid(
            f"{len(findings)} finding{'s' if len(findings) > 1 else ''}",
            findings,
            where=where,
            first=findings[0].told(where),
        )
    return contract


def _contract(fields: Fields) -> Contract | None:
    fields.only((*_FIRST_FIELDS, *_NEW_FIELDS))
    version = _schema_version(fields)
    if version == FIRST_VERSION:
        _refuse_new(fields, _NEW_FIELDS)
    name, own_version = fields.text("name", needed=True), fields.text("version", needed=True)
    if name is not None and not _NAME.fullmatch(name):
        what = f"the name {shown(name)} is not made of letters, digits, `_` and `-`"
        fields.tell("name", what, fields.get("name"))
    tool = _tool(fields, version)
    scripts, outputs = _scripts(fields, version), _outputs(fields)
    hints = fields.texts("debug_hints", needed=True, least=DEBUG_HINTS)
    description = fields.text("description", lines=True)
    errors, ignored = _patterns(fields, "error_patterns"), _patterns(fields, "ignore_patterns")
    metrics = _metrics(fields)
    if version is None or name is None or own_version is None or tool is None:
        return None
    return Contract(
        schema_version=version,
        name=name,
        version=own_version,
        tool=tool,
        description=description or "",
        scripts=scripts,
        outputs=ContractOutputs(required=outputs),
        debug_hints=hints,
        error_patterns=errors,
        ignore_patterns=ignored,
        metrics=metrics,
    )


def _schema_version(fields: Fields) -> str | None:
    version = fields.text("schema_version", needed=True)
    if version is not None and version not in CONTRACT_VERSIONS:
        what = f"version {shown(version)} is not one of {', '.join(CONTRACT_VERSIONS)}"
        fields.tell("schema_version", what, fields.get("schema_version"))
        return None
    return version


def _refuse_new(fields: Fields, names: tuple[str, ...]) -> None:
    """Tell what version 1.0 does not know."""
    for name in names:
        if name in fields.node.pairs:
            _needs_newest(fields, f"the field {fields.called(name)!r}", fields.node.pairs[name][0])


def _needs_newest(fields: Fields, what: str, at: YamlNode | None) -> None:
    hint = f'write schema_version: "{NEWEST_VERSION}"'
    fields.tell("needs_1_1", f"{what} needs version {NEWEST_VERSION}", at, hint)


def _tool(fields: Fields, version: str | None) -> ToolName | None:
    name, at = fields.text("tool", needed=True), fields.get("tool")
    if name is None:
        return None
    if name not in TOOL_NAMES:
        fields.tell("tool", f"{shown(name)} is not one of {', '.join(TOOL_NAMES)}", at)
        return None
    if version == FIRST_VERSION and name not in FIRST_TOOLS:
        _needs_newest(fields, f"the tool {name!r}", at)
    return name


def _scripts(fields: Fields, version: str | None) -> tuple[ContractScript, ...]:
    found: list[ContractScript] = []
    for entry in fields.entries("scripts", needed=True, least=1):
        entry.only(("name", "entry", "timeout_s"))
        if version == FIRST_VERSION:
            _refuse_new(entry, ("timeout_s",))
        name, path, timeout = entry.text("name", needed=True), _entry(entry), _timeout(entry)
        if name is None or path is None:
            continue
        if not _NAME.fullmatch(name):
            what = f"the name {shown(name)} is not made of letters, digits, `_` and `-`"
            entry.tell("name", what, entry.get("name"))
        if name in {one.name for one in found}:
            what = f"a script is called {shown(name)} already"
            entry.tell("duplicate", what, entry.get("name"))
        found.append(ContractScript(name=name, entry=path, timeout_s=timeout))
    return tuple(found)


def _entry(fields: Fields) -> str | None:
    """Return where a script stands below the skill's folder."""
    text, at = fields.text("entry", needed=True), fields.get("entry")
    if text is None:
        return None
    try:
        path = str(RelPath.parse(text))
    except PathRefused as refused:
        fields.tell(refused.code, refused.what, at)
        return None
    if not path.endswith(".tcl"):
        fields.tell("not_tcl", f"{shown(path)} does not end with .tcl", at)
        return None
    return path


def _timeout(fields: Fields) -> float | None:
    seconds = fields.number("timeout_s")
    if seconds is not None and not 0 < seconds <= LONGEST_TIMEOUT:
        what = f"{fields.called('timeout_s')!r} is not over 0 and at most {LONGEST_TIMEOUT:.0f}"
        fields.tell("range", what, fields.get("timeout_s"))
    return seconds


def _outputs(fields: Fields) -> tuple[RequiredOutput, ...]:
    outputs = fields.mapping("outputs", needed=True)
    if outputs is None:
        return ()
    outputs.only(("required",))
    found: list[RequiredOutput] = []
    for entry in outputs.entries("required", needed=True, least=1):
        entry.only(("path", "non_empty", "description"))
        path, non_empty = _output_path(entry), entry.switch("non_empty", default=True)
        description = entry.text("description", lines=True) or ""
        if path is None:
            continue
        if path in {one.path for one in found}:
            entry.tell("duplicate", f"{shown(path)} is required already", entry.get("path"))
        found.append(RequiredOutput(path=path, non_empty=non_empty, description=description))
    return tuple(found)


def _output_path(fields: Fields) -> str | None:
    text = fields.text("path", needed=True)
    if text is None:
        return None
    try:
        return OutputGlob.parse(text).text
    except PathRefused as refused:
        fields.tell(refused.code, refused.what, fields.get("path"))
        return None


def _patterns(fields: Fields, key: str) -> tuple[str, ...]:
    texts = fields.texts(key)
    if fields.get(key) is not None:
        for number, node in enumerate(fields.get(key).items):  # type: ignore[union-attr]
            if node.kind == "text" and (fault := pattern_fault(node.text)):
                fields.tell("pattern", f"{fields.called(key)}[{number}] {fault}", node)
    return texts


def _metrics(fields: Fields) -> dict[str, MetricRule]:
    metrics = fields.mapping("metrics")
    found: dict[str, MetricRule] = {}
    for name, place, rule in metrics.pairs() if metrics else ():
        if not _METRIC.fullmatch(name):
            what = f"the metric {shown(name)} is not made of letters, digits, `_`, `.` and `-`"
            rule.tell("name", what, place)
        found[name] = _rule(rule)
    return found


def _rule(fields: Fields) -> MetricRule:
    fields.only(("unit", "direction", "min", "max", "description"))
    direction = fields.text("direction") or "none"
    if direction not in DIRECTIONS:
        what = f"{shown(direction)} is not one of {', '.join(DIRECTIONS)}"
        fields.tell("direction", what, fields.get("direction"))
    least, most = fields.number("min"), fields.number("max")
    if least is not None and most is not None and least > most:
        what = f"{fields.called('min')!r} is over {fields.called('max')!r}"
        fields.tell("range", what, fields.get("min"))
    return MetricRule(
        unit=fields.text("unit") or "",
        direction=cast("Direction", direction),
        min=least,
        max=most,
        description=fields.text("description", lines=True) or "",
    )
