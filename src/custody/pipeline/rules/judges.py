"""A rule about who may change what judges him.

The commands that a verification demands mean something as long as the agents before it cannot
change what these rest on. This is told by names: folders of tests, files that steer a test runner
or a build, and the scripts that the commands themselves start. Code that is under test and
decides what its own tests say cannot be told by a name, and is not looked for.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from posixpath import normpath

from custody.errors import PathRefused
from custody.model.allowlist import Allowlist
from custody.model.finding import Finding
from custody.model.graph import Catalog, Node, Pipeline
from custody.patterns import later
from custody.pipeline.messages import found, shown

_CODERGEN = "codergen"
_VERIFICATION = "verification"
_REQUIRED = "verification.required_commands"
_WRITES = "allowed_write_paths"

_TESTS = later(r"(?:__)?(?:tests?|specs?|e2e|scenarios)(?:__)?", re.IGNORECASE)
"""Folders that tests lie in."""
_STEERING = later(
    r"conftest\.py|(?:site|user)customize\.py|.+\.pth|(?:noxfile|setup|manage)\.py|pyproject\.toml"
    r"|\.?pytest\.ini|tox\.ini|setup\.cfg|(?:gnu)?makefile|.+\.mk|justfile|rakefile"
    r"|taskfile\.ya?ml|cmakelists\.txt|package\.json|(?:jest|vitest|karma|mocha|babel)\.config\..+"
    r"|\.mocharc\..+|cargo\.toml|build\.rs|pom\.xml|build\.gradle(?:\.kts)?|\.rspec"
    r"|phpunit\.xml|test_.+\.py|.+_test\.(?:py|go|rb)|.+\.(?:test|spec)\.[cm]?[jt]sx?",
    re.IGNORECASE,
)
"""Files that say what a test runner or a build does, and tests by the names they usually have."""
_INTERPRETER = later(r"(?:ba|da|k|z)?sh|python[\d.]*|node|deno|bun|ruby|perl|php|Rscript|tclsh")


def unjudged_agents(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find agents that may change what a verification after them judges them by."""
    judges = [node for node in pipeline.nodes.values() if _demands(node)]
    if not judges:
        return
    judged_by = _leading_to(judges, pipeline)
    scripts = [script for judge in judges for script in _scripts(judge)]
    for node in pipeline.nodes.values():
        if node.type == _CODERGEN and node.id in judged_by:
            yield from _judge_agent(node, judged_by[node.id], scripts)


def _demands(node: Node) -> bool:
    return node.type == _VERIFICATION and bool(node.text(_REQUIRED).strip())


def _leading_to(judges: list[Node], pipeline: Pipeline) -> dict[str, str]:
    """Return every node that a way to a judge begins at, with the judge that is nearest."""
    sources: dict[str, list[str]] = {}
    for edge in pipeline.edges:
        sources.setdefault(edge.target, []).append(edge.source)
    judged_by: dict[str, str] = {}
    due = deque((judge.id, judge.id) for judge in judges)
    while due:
        target, judge = due.popleft()
        new = [source for source in sources.get(target, ()) if source not in judged_by]
        judged_by.update(dict.fromkeys(new, judge))
        due.extend((source, judge) for source in new)
    return judged_by


def _judge_agent(node: Node, judge: str, scripts: list[str]) -> Iterator[Finding]:
    attribute = node.attributes.get(_WRITES)
    if attribute is None:
        what = f"{shown(node.id)} may change all that {shown(judge)} judges it by"
        hint = f"name what it may change, and no tests: {_WRITES}=…"
        yield found("judge_changed", what, node.position, hint, "warning")
        return
    for entry in dict.fromkeys(node.items(_WRITES)):
        if _steers(entry) or _holds_script(entry, scripts):
            what = f"{_WRITES}: {shown(entry)} may hold what {shown(judge)} judges it by"
            hint = "leave it out, or let a person look at what was changed there"
            yield found("judge_changed", what, attribute.position, hint, "warning")


def _steers(entry: str) -> bool:
    """Whether an entry names a folder of tests, or a file that steers how they are run."""
    *folders, last = entry.split("/")
    return any(map(_TESTS.fullmatch, folders)) or _STEERING.fullmatch(last) is not None


def _holds_script(entry: str, scripts: list[str]) -> bool:
    """Whether an entry covers a file that a demanded command names and starts."""
    try:
        allowlist = Allowlist.parse((entry,))
    except PathRefused:
        return False
    return any(map(allowlist.covers, scripts))


def _scripts(judge: Node) -> Iterator[str]:
    """Yield the files of the workspace that demanded commands start, as far as can be told."""
    folder = judge.text("verification.workdir").strip("/")
    for command in judge.items(_REQUIRED):
        program, _, rest = command.partition(" ")
        script = rest.split(" ", 1)[0] if _INTERPRETER.fullmatch(program) else program
        if script != program or "/" in program:
            yield normpath(f"{folder}/{script}" if folder else script)
