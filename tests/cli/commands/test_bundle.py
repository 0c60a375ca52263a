"""Bundles from the command line."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from support.changing import BLOCK, Change, answers
from support.shell import Here


@pytest.fixture
def flow(tmp_path: Path) -> Change:
    flow = Change(tmp_path)
    flow.start(answers(review_cost=BLOCK))
    return flow


def test_the_bundle_of_a_run_is_written_and_can_be_looked_into(flow: Change) -> None:
    custody = Here(flow.home)
    done = custody("bundle", "c", "--runsdir", str(flow.runs), "-o", "why.zip")
    assert done.code == 0
    assert (flow.home / "why.zip").read_bytes() == flow.path("failure_bundle.zip").read_bytes()
    listed = custody("bundle", "--check", "why.zip")
    assert listed.code == 0
    assert "artifacts/verify_report.json" in listed.out


def test_one_that_could_harm_is_refused(flow: Change) -> None:
    with zipfile.ZipFile(flow.home / "bad.zip", "w") as made:
        made.writestr("../../x", b"")
    done = Here(flow.home)("bundle", "--check", "bad.zip")
    assert done.code != 0
    assert "a .. component leaves the directory" in done.err


@pytest.mark.parametrize("words", [(), ("c", "--check", "x.zip")])
def test_a_run_or_a_file_must_be_named(flow: Change, words: tuple[str, ...]) -> None:
    assert Here(flow.home)("bundle", *words).code == 1
