"""What the start of a run must not wait for: a run of three nodes loads what it needs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PIPELINE = """digraph linear {
  graph [goal="Do it."]
  start [shape=Mdiamond]
  done [shape=Msquare]
  n0 [prompt="$goal"]
  n1 [prompt="$goal"]
  n2 [prompt="$goal"]
  start -> n0 -> n1 -> n2 -> done
}
"""
START = "from custody.cli.process import run; run()"
COLOURS = "import _colorize" if sys.version_info >= (3, 14) else ""
"""What the argparse of newer Pythons loads for every option, whether anything is printed or not."""
HEAVY = {
    "ast", "asyncio", "binascii", "copy", "ctypes", "difflib", "email", "gettext", "http",
    "inspect", "json", "jsonschema", "locale", "logging", "multiprocessing", "pathlib", "pkgutil",
    "platform", "random", "rich", "shtab", "shutil", "socket", "ssl", "string", "subprocess",
    "tempfile", "tokenize", "tomllib", "traceback", "urllib", "weakref",
}  # fmt: skip
"""Modules of others that cost more than they give to such a run.

Some of them are what typing_extensions needs, which is looked for in vain.
"""
LATE = {
    "custody.checks.contracts",
    "custody.checks.guards.patch_policy",
    "custody.checks.guards.plan",
    "custody.checks.guards.tool_command",
    "custody.checks.json_schema",
    "custody.checks.syntax",
    "custody.egress",
    "custody.engine.fork",
    "custody.engine.resume",
    "custody.ingest",
    "custody.model.contracts",
    "custody.model.plan",
    "custody.pipeline.contracts",
    "custody.pipeline.key_lines",
    "custody.scenarios",
    "custody.store.workers",
    "custody.supervise",
    "custody.workspace.behaviors",
    "custody.workspace.build",
    "custody.workspace.copy",
    "custody.workspace.overlay",
    "custody.patch",
    "custody.workspace.restore",
    "custody.workspace.snapshot",
}
"""Modules of custody that are for other runs: with a source, programs, plans, schemas."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "linear.dot").write_text(PIPELINE)
    return tmp_path


def loaded_by(folder: Path, code: str, *words: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code, *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        timeout=60,
    )
    return set(re.findall(r"\| +([\w.]+)$", done.stderr, re.MULTILINE))


def test_a_run_of_three_nodes_loads_nothing_that_it_does_not_need(folder: Path) -> None:
    loaded = loaded_by(folder, START, "run", "linear.dot", "--agent", "stub")
    assert "custody.engine.loop" in loaded
    assert loaded & (HEAVY | LATE) - loaded_by(folder, COLOURS) == set()


def test_no_module_that_a_run_loads_compiles_patterns(folder: Path) -> None:
    """They are made by `custody.patterns.later`; those of the parser are needed by every run."""
    code = (
        "import re, sys; from custody.cli import main; "
        "assert main(['run', 'linear.dot', '--agent', 'stub']) == 0; "
        "print(*(f'{name}.{key}' for name, module in sys.modules.items() "
        "if name.startswith('custody') for key, value in vars(module).items() "
        "if isinstance(value, re.Pattern)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == ""
