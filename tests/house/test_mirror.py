"""Every module has a test of its name: whoever changes one knows where its contract is tried."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import codebase

MISSING: frozenset[str] = frozenset(
    {
        "custody",
        "custody.api",
        "custody.checks.gates",
        "custody.cli",
        "custody.cli.commands",
        "custody.cli.commands.answer",
        "custody.cli.commands.check",
        "custody.cli.commands.completion",
        "custody.cli.commands.doctor",
        "custody.cli.commands.fork",
        "custody.cli.commands.graph",
        "custody.cli.commands.inbox",
        "custody.cli.commands.ingest",
        "custody.cli.commands.init",
        "custody.cli.commands.log",
        "custody.cli.commands.plan",
        "custody.cli.commands.replay",
        "custody.cli.commands.resume",
        "custody.cli.commands.run",
        "custody.cli.commands.runs",
        "custody.cli.commands.scenario",
        "custody.cli.commands.schema",
        "custody.cli.commands.show",
        "custody.cli.commands.task",
        "custody.cli.commands.verify",
        "custody.cli.options",
        "custody.cli.output",
        "custody.cli.parser",
        "custody.cli.render.live",
        "custody.cli.result",
        "custody.cli.run_result",
        "custody.cli.watch",
        "custody.engine.ask",
        "custody.engine.begin",
        "custody.engine.effects",
        "custody.engine.frame",
        "custody.engine.interruption",
        "custody.engine.queries",
        "custody.errors",
        "custody.executors",
        "custody.executors.agents",
        "custody.executors.agents.fake",
        "custody.executors.agents.stub",
        "custody.executors.chat.agent",
        "custody.executors.chat.client",
        "custody.executors.chat.kind",
        "custody.executors.commands",
        "custody.executors.dispatch",
        "custody.executors.document",
        "custody.executors.programs.coding_agent",
        "custody.executors.programs.coding_cli",
        "custody.executors.programs.home",
        "custody.executors.programs.program",
        "custody.executors.programs.read_scope",
        "custody.executors.programs.reply",
        "custody.executors.records",
        "custody.executors.sessions",
        "custody.executors.settings",
        "custody.executors.tool",
        "custody.executors.verification",
        "custody.handlers",
        "custody.handlers.each",
        "custody.handlers.exit",
        "custody.handlers.tool",
        "custody.model.answer",
        "custody.model.confinement",
        "custody.model.event",
        "custody.model.evidence",
        "custody.model.fact",
        "custody.model.finding",
        "custody.model.ingest",
        "custody.model.record",
        "custody.model.request",
        "custody.model.schemas",
        "custody.model.scope",
        "custody.model.session",
        "custody.model.state",
        "custody.testing.script",
        "custody.testing.wires",
        "custody.views.changed",
        "custody.views.checkpoint",
        "custody.views.collect",
        "custody.views.manifest",
        "custody.views.status",
        "custody.views.summary",
        "custody.views.trace",
        "custody.workspace.contents",
        "custody.workspace.patch",
        "custody.workspace.workspace",
    }
)
"""Modules whose test is still to be written; the list may only shrink."""


def test_every_module_has_a_test_of_its_name(root: Path) -> None:
    lost = set(without_test(root)) - MISSING
    assert not lost, "\n".join(f"{name}: {mirror_of(name)} is missing" for name in sorted(lost))


def test_what_has_its_test_is_not_called_missing(root: Path) -> None:
    assert MISSING - set(without_test(root)) == set()


def without_test(root: Path) -> Iterator[str]:
    for module in codebase.modules():
        if decides(module.tree) and not (root / mirror_of(module.name)).exists():
            yield module.name


def mirror_of(name: str) -> str:
    """Return where the test of a module stands: its dotted name, with ``test_`` at the end."""
    *folders, last = name.split(".")[1:] or ["custody"]
    return "/".join(("tests", *folders, f"test_{last}.py"))


def decides(tree: ast.Module) -> bool:
    """Whether there is a function to test; declarations, tables and records have none."""
    return any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in ast.walk(tree))


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("custody", "tests/test_custody.py"),
        ("custody.api", "tests/test_api.py"),
        ("custody.store.journal", "tests/store/test_journal.py"),
        ("custody.cli.render.table", "tests/cli/render/test_table.py"),
    ],
)
def test_where_a_test_stands(name: str, test: str) -> None:
    assert mirror_of(name) == test


@pytest.mark.parametrize(
    ("text", "something"),
    [
        ('"""A package."""', False),
        ("LIMIT = 1", False),
        ("class Row:\n    name: str", False),
        ("def f(): ...", True),
        ("class Row:\n    def f(self): ...", True),
    ],
)
def test_what_there_is_to_test(text: str, something: bool) -> None:
    assert decides(ast.parse(text)) is something
