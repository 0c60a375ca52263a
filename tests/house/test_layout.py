"""The names of the run directory are spelled in model/layout.py alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

import pytest

import codebase
from custody.model import layout

OWNER = "custody.model.layout"
EXCEPTIONS: dict[str, str] = {
    "src/custody/api.py 'inbox'": "the name of a function",
    "src/custody/checks/gates/artifacts.py 'artifacts'": "the name of a gate",
    "src/custody/cli/commands/__init__.py 'inbox'": "the name of a command",
    "src/custody/cli/commands/__init__.py 'evidence'": "the name of a command",
    "src/custody/cli/commands/doctor.py 'artifacts'": "a setting",
    "src/custody/cli/commands/doctor.py 'evidence'": "a part of what doctor tells",
    "src/custody/cli/commands/init.py 'pipeline.dot'": "a file of the user's project",
    "src/custody/checks/gates/plan_check.py 'evidence'": "a field of a document",
    "src/custody/cli/config.py 'artifacts'": "a setting",
    "src/custody/cli/logbook/copy.py 'artifacts'": "a count, for programs",
    "src/custody/cli/logbook/show.py 'artifacts'": "a place, for programs",
    "src/custody/cli/render/report.py 'evidence'": "the head of a column",
    "src/custody/engine/audit.py 'evidence'": "a code of `custody verify`",
    "src/custody/engine/layer_audit.py 'evidence'": "the same",
    "src/custody/evidence/source.py 'docs'": "a type of source",
    "src/custody/evidence/skeleton.py 'evidence'": "a part of a claim",
    "src/custody/evidence/uri.py 'docs'": "a kind of evidence",
    "src/custody/logbook/configured.py 'artifacts'": "a setting, and a folder beside a logbook",
    "src/custody/executors/agents/outbox.py 'outbox'": "the name of an agent",
    "src/custody/executors/agents/opencode.py 'cache'": "a field of opencode's events",
    "src/custody/model/behavior_catalog.py 'docs/behaviors'": "a folder of the user's repository",
    "src/custody/pipeline/rules/content.py 'docs'": "the name of a template",
    "src/custody/scaffold/project.py 'docs'": "a folder of the user's project",
    "src/custody/store/own_settings.py 'evidence'": "a table of the user's configuration",
    "src/custody/workspace/pack/librarian.py 'docs/00_CORE.md'": "a document of a repository",
    "src/custody/sandbox/confinement.py '/cache'": "where a stage sees the folder",
    "src/custody/sandbox/confinement.py 'cache'": "a field of a record",
    "src/custody/sandbox/confinement.py 'layers'": "a field of a record",
    "src/custody/sandbox/confinement.py 'workspace'": "a field of a record",
    "src/custody/engine/audit.py 'workspace'": "a code of `custody verify`",
    "src/custody/sandbox/overlay.py 'work'": "a folder of the kernel's, inside the one of ours",
    "src/custody/sandbox/overlay.py 'work/incompat'": "the same",
    "src/custody/sandbox/overlay.py 'work/incompat/volatile'": "the same",
    "src/custody/sandbox/overlay.py 'work/incompat/volatile/dirty'": "the same",
    "src/custody/sandbox/overlay.py 'workspace'": "the name of a mount",
    "src/custody/supervise/probe.py 'upper'": "a trial outside of any run",
    "src/custody/supervise/probe.py 'work'": "a trial outside of any run",
    "src/custody/views/ingests.py 'artifacts'": "the name of a gate",
}
"""``file literal`` and what it means there instead."""

NAMES = frozenset(
    value
    for name, value in vars(layout).items()
    if name.isupper() and not name.startswith("_") and isinstance(value, str)
)
_ANY = "|".join(map(re.escape, sorted(NAMES)))
SPELLED = re.compile(rf"(?:{_ANY})(?:/\S*)?|\S*/(?:{_ANY})")
INFIXES = (".lost.", ".new.", ".stdout.log", ".stderr.log", ".log.jsonl", ".args.txt")


def test_the_names_of_the_run_directory_are_spelled_once() -> None:
    wrong = [use for use in spellings(codebase.modules()) if key(use) not in EXCEPTIONS]
    assert not wrong, "\n".join(wrong)


def test_no_exception_is_stale() -> None:
    assert EXCEPTIONS.keys() <= {key(use) for use in spellings(codebase.modules())}


@pytest.mark.parametrize(
    "line",
    [
        'PATH = "events.jsonl"',
        'folder = f"nodes/{node}/{visit}.{attempt}"',
        'found = path.endswith("/response.md")',
        'found = ".lost." in path',
        'home = "homes"',
    ],
)
def test_a_spelling_is_found(line: str) -> None:
    assert list(spellings([sample(line)]))


@pytest.mark.parametrize(
    "line",
    [
        '"""The layers of a run: ``events.jsonl``."""',
        'message = "the workspace is gone"',
        'def f():\n    """nodes/"""',
        'path = f"{layout.NODES}/{node}"',
    ],
)
def test_docstrings_and_messages_are_none(line: str) -> None:
    assert not list(spellings([sample(line)]))


def test_every_folder_has_a_writer() -> None:
    folders = {name for name in NAMES if "." not in name}
    assert layout.WRITERS.keys() == folders - {layout.UPPER, layout.WORK, layout.MASK}


def sample(line: str) -> codebase.Module:
    return codebase.parse(codebase.SOURCE / "custody" / "sample.py", codebase.SOURCE, line)


def key(use: str) -> str:
    """Return a use without its line."""
    where, literal = use.split(" ", 1)
    return f"{where.rsplit(':', 1)[0]} {literal}"


def spellings(modules: Iterable[codebase.Module]) -> Iterator[str]:
    """Yield ``file:line literal`` for every text that is such a name, or a path that holds one."""
    for module in modules:
        if module.name == OWNER:
            continue
        documentation = {id(text) for text in docstrings(module.tree)}
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if id(node) not in documentation and is_spelling(node.value):
                yield f"{module.where}:{node.lineno} {node.value!r}"


def is_spelling(text: str) -> bool:
    return bool(SPELLED.fullmatch(text)) or any(infix in text for infix in INFIXES)


def docstrings(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
