"""The first pipeline of a folder."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from support.shell import Here, Shell


def test_init_writes_a_pipeline_that_runs(custody: Shell) -> None:
    done = custody("init", "new folder")
    assert done.code == 0
    assert done.out.splitlines() == [
        "wrote new folder/pipeline.dot",
        "wrote new folder/answers.json",
        "wrote new folder/custody.toml",
        "next: cd 'new folder' && custody run",
    ]
    inside = Shell(custody.folder / "new folder")
    assert inside("check", "pipeline.dot").out == "1 pipeline: 0 errors, 0 warnings\n"
    assert inside("run").code == 0


TEST = """import unittest

from pkg.price import cents


class PriceTest(unittest.TestCase):
    def test_half_a_cent_is_rounded_up(self):
        self.assertEqual(cents(0.125), 13)
"""


def test_init_writes_a_pipeline_that_repairs_the_project(custody: Shell) -> None:
    for folder in ("pkg", "tests"):
        (custody.folder / folder).mkdir()
    custody.write("pkg/__init__.py", "")
    custody.write("pkg/price.py", "def cents(amount):\n    return round(amount * 100)\n")
    custody.write("tests/test_price.py", TEST)
    edit = {"path": "pkg/price.py", "content": "def cents(a):\n    return int(a * 100 + 0.5)\n"}
    book = {"answers": [{"text": "x"}, {"text": "rounded", "edits": [edit]}]}
    custody.write("answers.json", json.dumps(book))
    codex = custody.folder / ".bin" / "codex"
    codex.parent.mkdir()
    codex.write_text("#!/bin/sh\n")
    codex.chmod(0o755)
    done = custody("init", PATH=f"{codex.parent}:{os.environ['PATH']}")
    assert done.out.splitlines() == [
        "found Python, unittest: python3 -m unittest discover --start-directory tests",
        "an agent may change pkg/",
        "wrote fix.dot",
        "wrote custody.toml",
        "next: custody run",
    ]
    assert custody("check", "fix.dot").out == "1 pipeline: 0 errors, 0 warnings\n"
    done = custody("run", "--agent", "fake:answers.json")
    assert (done.code, done.out[:4]) == (0, "PASS"), done.err
    assert "pkg/price.py" in done.out


def test_a_command_may_be_named_instead(custody: Shell) -> None:
    assert "found project: ./check" in custody("init", "--test", "./check").out
    done = custody("init", "--sample", "--test", "x")
    assert (done.code, done.err.splitlines()[0]) == (1, "error: --sample has no tests to run")


def test_a_folder_whose_tests_are_not_found_gets_a_sample_and_is_told(custody: Shell) -> None:
    custody.write("tool.py", "")
    assert custody("init").out.splitlines()[:2] == [
        "no tests were found here, so this is a sample: name yours by --test COMMAND",
        "wrote pipeline.dot",
    ]
    assert "no tests" not in custody("init", "--sample", "elsewhere").out


def test_what_may_make_the_tests_fail_or_pass_wrongly_is_said(custody: Shell) -> None:
    custody.write("test_a.py", "def test_it():\n    assert False\n")
    custody.write("a.py", "")
    assert custody("init").out.splitlines()[:4] == [
        "found Python, pytest: python3 -m pytest -q",
        "  there is no .venv here, so python3 on PATH must have pytest",
        "an agent may change a.py",
        "  tests may lie among them and could be changed as well: look at the diff",
    ]


def test_run_without_a_pipeline_says_what_to_do(custody: Shell) -> None:
    done = custody("run")
    assert done.code == 1
    assert done.err == (
        "error: PIPELINE is missing\n"
        "  hint: name a file, or let `custody init` write one for this folder\n"
    )


def test_init_overwrites_nothing(custody: Shell) -> None:
    custody.write("custody.toml", "")
    done = custody("init")
    assert done.code == 1
    assert done.err.startswith("error: custody.toml exists\n")
    assert [path.name for path in custody.folder.iterdir()] == ["custody.toml"]


@pytest.mark.req("U-14")
def test_in_a_repository_git_ignores_the_runs(custody: Shell) -> None:
    subprocess.run(["git", "init", "-q"], cwd=custody.folder, check=True)
    (custody.folder / ".gitignore").write_text("*.pyc")
    assert "wrote .gitignore" in custody("init").out.splitlines()
    assert (custody.folder / ".gitignore").read_text() == "*.pyc\n.custody/\n"
    assert custody("run", "pipeline.dot").code == 0
    status = ["git", "status", "--short", "--untracked-files=all"]
    said = subprocess.run(
        status, cwd=custody.folder, capture_output=True, text=True, check=True
    ).stdout
    assert ".custody/" not in said


CONTRACTS = (
    "AGENTS.md",
    "ai_context/00_AI_CONTRACT.md",
    "ai_context/CTCP_FAST_RULES.md",
    "docs/behaviors/INDEX.md",
    "patch_policy.json",
)


def test_the_documents_of_a_change_are_written_where_they_are_missing(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("mine\n")
    done = Here(tmp_path)("init", "--contracts")
    assert done.code == 0, done.err
    assert all((tmp_path / name).exists() for name in CONTRACTS)
    assert (tmp_path / "AGENTS.md").read_text() == "mine\n"
    assert "AGENTS.md is there" in done.out
    again = Here(tmp_path)("init", "--contracts")
    assert again.code == 0
    assert "wrote" not in again.out


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ("make check; true", "'make check; true' cannot judge a repair: ';' hides whether"),
        ("make TARGET=${ALL}", "'TARGET=${ALL}' would be replaced by a shell"),
    ],
)
def test_a_command_that_no_verification_runs_is_refused(
    tmp_path: Path, tests: str, said: str
) -> None:
    done = Here(tmp_path)("init", "--test", tests)
    assert done.code == 1
    assert said in done.err
    assert "hint: " in done.err
    assert list(tmp_path.iterdir()) == []


def test_what_a_run_would_be_refused_for_is_said_at_once(custody: Shell) -> None:
    (custody.folder / "tests").mkdir()
    custody.write("tests/test_a.py", TEST)
    bare = custody("init", PATH=str(custody.folder))
    assert bare.out.splitlines()[-3:] == [
        "no code was found: name what may change by allowed_write_paths in fix.dot",
        "no agent is on PATH: install one, then name it in custody.toml or by --agent",
        "next: custody run",
    ]
