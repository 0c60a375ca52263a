"""The first screen is true."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import walkthrough
from custody.cli.commands import commands

SCREEN = 60


def test_the_readme_is_one_screen(root: Path) -> None:
    assert len((root / "README.md").read_text("utf-8").splitlines()) <= SCREEN


def test_every_command_is_named_and_no_other(root: Path) -> None:
    text = (root / "README.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `custody ")]
    named = {
        re.split(r"[ `]", part.strip(" `|").removeprefix("custody "))[0] for part in parts(rows)
    }
    assert named == set(commands())


def parts(rows: list[str]) -> list[str]:
    """Return every command of the table, as written in its first column."""
    return [part for row in rows for part in row.split(" | ")[0].split(" · ")]


def test_the_first_commands_are_targets_of_make(root: Path) -> None:
    text = (root / "README.md").read_text("utf-8")
    targets = re.findall(r"^([a-z]+):", (root / "Makefile").read_text("utf-8"), re.MULTILINE)
    named = re.findall(r"^make (\w+)", text, re.MULTILINE)
    assert named == ["demo", "test"]
    assert set(named) <= set(targets)


def test_its_first_commands_are_those_of_the_tutorial(root: Path) -> None:
    first, *_ = walkthrough.FENCE.findall((root / "README.md").read_text("utf-8"))
    page = (root / "docs" / "tutorial" / "ten-minutes.md").read_text("utf-8")
    shown = [step.command.partition("  #")[0].strip() for step in walkthrough.steps(first[2])]
    assert [words.split()[1] for words in shown[1:]] == ["init", "doctor", "run", "show", "apply"]
    tried = {
        step.command.removeprefix("tools/bin/").replace(" --quiet", "")
        for kind, _, text in walkthrough.FENCE.findall(page)
        if kind == "console"
        for step in walkthrough.steps(text)
    }
    assert {*shown} <= tried, "a test does what that page says"


def test_ci_runs_the_test_command_of_the_readme(root: Path) -> None:
    script = root / ".ci" / "run"
    assert os.access(script, os.X_OK)
    text = script.read_text("utf-8")
    assert "\nmake test\n" in text
    assert {"lint", "types", "pages"} <= set(re.findall(r"^make (\w+)$", text, re.MULTILINE))


def test_the_demo_does_what_it_says(root: Path, tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    shutil.copy(root / "scripts" / "demo.sh", tmp_path / "scripts")
    shutil.copytree(root / "examples", tmp_path / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["scripts/demo.sh"],
        cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    for line in ("PASS  fix_test", "agreed: ", "chain_broken", "+++ b/src/invoice/totals.py"):
        assert line in done.stdout
