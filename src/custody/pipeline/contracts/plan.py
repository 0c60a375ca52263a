"""``PLAN.md`` and ``PLAN_draft.md``: what a change may touch, how it is judged, when it stops.

Besides the codes of key lines there are

    unsigned   the status is not SIGNED
    missing    a list that must name something names nothing
    value      a number, a gate or an id that is none, or a scope entry with a remark behind it
    traversal  a scope entry that leads out of the repository; every other code of `RelPath` too,
               ``glob`` for a pattern and ``too_broad`` for the repository as a whole
    stop       no entry of ``Stop`` can be enforced; as a warning: this one is for people alone
    budget     an entry of ``Budgets`` that is none, or names the same twice
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from custody.errors import PathRefused
from custody.model.finding import Finding
from custody.model.record import Record
from custody.model.relpath import RelPath
from custody.patterns import later
from custody.pipeline.key_lines import KeyLines, ListEntry, ReadDocument, at, ids_in, read_key_lines
from custody.pipeline.messages import shown

SIGNED: Final = "SIGNED"
DRAFT: Final = "DRAFT"
KEYS: Final = (
    "Status", "Scope-Allow", "Scope-Deny", "Gates", "Stop", "Budgets", "Behaviors", "Results",
)  # fmt: skip
LEAST_GATES: Final = ("lite", "plan_check", "patch_check", "behavior_catalog_check")
"""Gates that every plan must declare."""

StopKind = Literal[
    "max_iterations", "same_failure", "gate", "scope_violation", "budget_exceeded", "review_block",
    "text",
]  # fmt: skip

_NEEDED = ("Scope-Allow", "Gates", "Stop", "Budgets", "Results")
"""Lists that must name something."""
_COUNTED = later(r"(max_iterations|same_failure)\s*=\s*([1-9][0-9]{0,5})")
_GATE_STOP = later(r"gate\s*=\s*([a-z][a-z0-9_]*)")
_PLAIN_STOPS = frozenset({"scope_violation", "budget_exceeded", "review_block"})
_BUDGET = later(r"(?:max_)?(iterations|files|bytes|total_bytes)\s*=\s*([1-9][0-9]{0,11})")
_GATE = later(r"[a-z][a-z0-9_]*")
_GLOB = frozenset("*?[")
_REMARK = later(r"/[ \t]|`|<!--")
"""What no path of a scope holds: denied would be a name that no file has."""
_MAY_BE_DENIED = frozenset({"denied", "dotgit", "reserved", "leading_dash", "trailing", "tilde"})
"""Why a path may not be written; to deny it is all the better."""


class StopCondition(Record, frozen=True):
    """One condition under which a change stops."""

    kind: StopKind
    text: str
    """As it is written."""
    number: int = 0
    """Of ``max_iterations`` and ``same_failure``."""
    gate: str = ""

    @property
    def enforced(self) -> bool:
        """Whether custody sees to it; other entries are for people."""
        return self.kind != "text"


class Budgets(Record, frozen=True):
    """What a plan may use; None where it says nothing."""

    iterations: int | None = None
    files: int | None = None
    bytes: int | None = None


class Plan(Record, frozen=True):
    """What was agreed before anything is changed."""

    status: str = ""
    scope_allow: tuple[str, ...] = ()
    """Paths as they are written: a folder may have its slash or not."""
    scope_deny: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    stop: tuple[StopCondition, ...] = ()
    budgets: Budgets = Budgets()
    behaviors: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


def read_plan(data: bytes, *, draft: bool = False) -> ReadDocument[Plan]:
    """Read a plan; it must be signed unless it is a ``draft``."""
    lines = read_key_lines(data, KEYS)
    findings = [*lines.findings, *lines.missing(KEYS), *_judge_status(lines, draft=draft)]
    findings += _judge_empty(lines)
    findings += _judge_scope(lines, "Scope-Allow")
    findings += _judge_scope(lines, "Scope-Deny")
    findings += _judge_gates(lines)
    stops = tuple(_stop(item.text) for item in lines.items("Stop"))
    findings += _judge_stops(lines, stops)
    budgets, wrong = _budgets(lines.items("Budgets"))
    findings += wrong
    findings += _judge_ids(lines, "Behaviors", "B")
    findings += _judge_ids(lines, "Results", "R")
    status = lines.sound("Status")
    plan = Plan(
        status=status.value if status else "",
        scope_allow=_texts(lines, "Scope-Allow"),
        scope_deny=_texts(lines, "Scope-Deny"),
        gates=_texts(lines, "Gates"),
        stop=stops,
        budgets=budgets,
        behaviors=tuple(dict.fromkeys(map(_id, _texts(lines, "Behaviors")))),
        results=tuple(dict.fromkeys(map(_id, _texts(lines, "Results")))),
    )
    return ReadDocument(plan, tuple(findings))


def _texts(lines: KeyLines, key: str) -> tuple[str, ...]:
    return tuple(item.text for item in lines.items(key))


def _judge_status(lines: KeyLines, *, draft: bool) -> Iterator[Finding]:
    status = lines.sound("Status")
    known = {SIGNED, DRAFT} if draft else {SIGNED}
    if status is not None and status.value not in known:
        hint = f"`Status: {DRAFT if draft else SIGNED}`"
        yield at(status.line, "unsigned", f"the status is {shown(status.value)}", hint)


def _judge_empty(lines: KeyLines) -> Iterator[Finding]:
    for key in _NEEDED:
        line = lines.sound(key)
        if line is not None and not line.items:
            yield at(line.line, "missing", f"{key} names nothing", f"`{key}: …`")


def _judge_scope(lines: KeyLines, key: str) -> Iterator[Finding]:
    for item in lines.items(key):
        yield from _judge_entry(key, item)


def _judge_entry(key: str, item: ListEntry) -> Iterator[Finding]:
    path = item.text.removesuffix("/")
    if path == ".":
        hint = "name the folders and files that may change"
        yield at(item.line, "too_broad", f"{key}: {shown(item.text)} is the whole repository", hint)
    elif not _GLOB.isdisjoint(path):
        hint = "a folder covers all that lies below it"
        yield at(item.line, "glob", f"{key}: {shown(item.text)} is a pattern", hint)
    elif _REMARK.search(item.text):
        hint = "nothing but the path stands there; remarks have lines of their own"
        yield at(item.line, "value", f"{key}: {shown(item.text)} is a path with a remark", hint)
    else:
        try:
            RelPath.parse(path or item.text)
        except PathRefused as refused:
            if key == "Scope-Deny" and refused.code in _MAY_BE_DENIED:
                return
            hint = "paths relative to the top of the repository, with /"
            yield at(item.line, refused.code, f"{key}: {refused.what}", hint)


def _judge_gates(lines: KeyLines) -> Iterator[Finding]:
    line = lines.sound("Gates")
    if line is None or not line.items:
        return
    for item in line.items:
        if _GATE.fullmatch(item.text) is None:
            yield at(item.line, "value", f"{shown(item.text)} is no name of a gate")
    named = {item.text for item in line.items}
    if lacking := [gate for gate in LEAST_GATES if gate not in named]:
        what = f"Gates lacks {', '.join(lacking)}"
        yield at(line.line, "missing", what, f"every plan names {', '.join(LEAST_GATES)}")


def _stop(text: str) -> StopCondition:
    if match := _COUNTED.fullmatch(text):
        kind: StopKind = "max_iterations" if match[1] == "max_iterations" else "same_failure"
        return StopCondition(kind=kind, text=text, number=int(match[2]))
    if match := _GATE_STOP.fullmatch(text):
        return StopCondition(kind="gate", text=text, gate=match[1])
    return StopCondition(kind=text if text in _PLAIN_STOPS else "text", text=text)  # type: ignore[arg-type]


def _judge_stops(lines: KeyLines, stops: tuple[StopCondition, ...]) -> Iterator[Finding]:
    line = lines.sound("Stop")
    if line is None or not stops:
        return
    known = "max_iterations=N, same_failure=N, gate=NAME, scope_violation, budget_exceeded"
    if not any(stop.enforced for stop in stops):
        what = "no entry of Stop is one that custody enforces"
        yield at(line.line, "stop", what, f"one of {known}, review_block")
        return
    for item, stop in zip(line.items, stops, strict=True):
        if not stop.enforced:
            what = f"Stop: {shown(item.text)} is not enforced; it is for people"
            yield Finding(code="stop", message=what, line=item.line, column=1, severity="warning")


def _budgets(items: tuple[ListEntry, ...]) -> tuple[Budgets, list[Finding]]:
    found: dict[str, int] = {}
    wrong: list[Finding] = []
    for item in items:
        match = _BUDGET.fullmatch(item.text)
        name = match[1].removeprefix("total_") if match else ""
        if match is None:
            what = f"Budgets: {shown(item.text)} is no budget"
            wrong.append(at(item.line, "budget", what, "iterations=N, files=N or bytes=N"))
        elif name in found:
            wrong.append(at(item.line, "budget", f"Budgets names {name} twice"))
        else:
            found[name] = int(match[2])
    return Budgets(**found), wrong


def _judge_ids(lines: KeyLines, key: str, letter: str) -> Iterator[Finding]:
    for item in lines.items(key):
        if not _id(item.text).startswith(letter):
            what = f"{key}: {shown(item.text)} does not begin with an id"
            yield at(item.line, "value", what, f"{letter} and three digits, such as {letter}001")


def _id(text: str) -> str:
    """Return the id that an entry begins with; a few words may follow. Empty when there is none."""
    found = ids_in(text)
    return found[0] if found and text.startswith(found[0]) else ""
