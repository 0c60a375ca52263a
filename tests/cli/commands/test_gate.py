"""``custody gate``: passed, failed, and not executed are three words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody.model import layout
from support.catalog import put_catalog
from support.contracts import PLAN
from support.hostile import custody
from support.patch_cases import adding


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    put_catalog(folder)
    (folder / layout.ARTIFACTS).mkdir()
    return folder


def test_passed(repo: Path) -> None:
    done = custody("gate", "behavior_catalog_check", "--repo", str(repo))
    assert (done.code, done.out) == (0, "passed  behavior_catalog_check\n")


@pytest.mark.req("C-17")
def test_failed_with_every_reason(repo: Path) -> None:
    (repo / "docs/behaviors/B001-greets.md").unlink()
    done = custody("gate", "behavior_catalog_check", "--repo", str(repo))
    assert done.code == 1
    assert done.out.splitlines() == [
        "link  docs/behaviors/INDEX.md:3: docs/behaviors/B001-greets.md is no page of B001",
        "failed  behavior_catalog_check: 1 thing wrong",
    ]


def test_not_executed_is_not_failed(repo: Path) -> None:
    done = custody("gate", "patch_check", "--repo", str(repo), "--dir", str(repo))
    assert done.code == 1
    assert done.out.startswith("not executed  patch_check: there is no artifacts/diff.patch")
    assert "failed" not in done.out


@pytest.mark.req("C-19")
def test_as_json(repo: Path) -> None:
    (repo / layout.PLAN).write_text(PLAN)
    (repo / layout.PATCH).write_bytes(adding("secrets/s", 1))
    words = ("gate", "patch_check", "--repo", str(repo), "--dir", str(repo), "--json")
    done = custody(*words)
    said = json.loads(done.out)
    assert (done.code, said["gate"], said["result"]) == (1, "patch_check", "failed")
    assert [verdict["code"] for verdict in said["verdicts"]] == ["scope"]


def test_the_artifacts_of_a_run(repo: Path) -> None:
    runs = repo / "runs"
    (runs / "r1" / layout.ARTIFACTS).mkdir(parents=True)
    (runs / "r1" / layout.PATCH).write_bytes(adding("docs/x", 1))
    (runs / "r1" / layout.PLAN).write_text(PLAN)
    (runs / "r1" / layout.EVENTS).write_text("")
    words = ("--repo", str(repo), "--run", "r1", "--runsdir", str(runs))
    assert custody("gate", "patch_check", *words).code == 0
    both = custody("gate", "patch_check", *words, "--dir", ".")
    assert (both.code, "name two folders" in both.err) == (1, True)


def test_a_gate_that_nobody_can_ask() -> None:
    done = custody("gate", "writes")
    assert done.code == 1
    assert "one of plan_check, patch_check" in done.err


def test_commands(repo: Path) -> None:
    (repo / "custody.toml").write_text('[change]\nlite = ["test -f greet.py", "test -f gone"]\n')
    done = custody("gate", "lite", "--repo", str(repo))
    assert done.code == 1
    assert done.out.splitlines()[:2] == [
        "test -f greet.py  exit code 0",
        "test -f gone  exit code 1",
    ]
    assert done.out.endswith("failed  lite: 1 thing wrong\n")
