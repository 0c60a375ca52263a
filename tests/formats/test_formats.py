"""Run directories that earlier code wrote are read, checked and gone on with as they were then."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.formats import RUNS, goes_on, looks, sample_of, tree, unpack
from support.sweep import some

HERE = Path(__file__).parent
ARCHIVES = sorted(HERE.glob("*/*.tar.gz"))
VIEWS = (
    *("trace.jsonl", "summary.json", "summary.md", "nodes/*/*/status.json", "evidence/*"),
    *("job_*", "debug_bundle/*.*"),
)
"""Documents of an ended run that are made from its journal alone."""
SMALL = 60_000
ELSEWHERE = re.compile(rb"/(?:home|root|Users)/")
"""Where somebody works; the samples were made below /tmp."""


def said(archive: Path) -> dict[str, Any]:
    """Return what the code that made a sample said about it."""
    found: dict[str, Any] = json.loads((archive.parent / f"{sample_of(archive)}.json").read_text())
    return found


def name(archive: Path) -> str:
    return f"{archive.parent.name}-{sample_of(archive)}"


ENDED = [one for one in ARCHIVES if said(one)["looks"]["show"]["status"] != "RUNNING"]
GOING_ON = [one for one in ARCHIVES if said(one)["goes_on"]]


@pytest.mark.req("S-18")
@pytest.mark.parametrize("archive", ARCHIVES, ids=name)
def test_it_says_what_it_said(archive: Path, tmp_path: Path) -> None:
    custody = unpack(archive, tmp_path)
    before = tree(tmp_path)
    assert looks(custody, sample_of(archive)) == said(archive)["looks"]
    assert tree(tmp_path) == before, "looking has changed something"


@pytest.mark.parametrize("archive", some("formats: printed", ARCHIVES, 10), ids=name)
def test_its_journal_is_printed_byte_for_byte(archive: Path, tmp_path: Path) -> None:
    printed = unpack(archive, tmp_path)("log", sample_of(archive), "--json").out
    journal = (tmp_path / RUNS / sample_of(archive) / "events.jsonl").read_text()
    assert printed == journal[: journal.rfind("\n") + 1]


@pytest.mark.req("S-18")
@pytest.mark.parametrize("archive", GOING_ON, ids=name)
def test_it_goes_on_as_it_did(archive: Path, tmp_path: Path) -> None:
    custody = unpack(archive, tmp_path)
    for step in said(archive)["goes_on"]:
        assert goes_on(custody, step) == step["then"], step["words"]


@pytest.mark.parametrize("archive", some("formats: ended", ENDED, 10), ids=name)
def test_an_ended_run_stays_as_it_is(archive: Path, tmp_path: Path) -> None:
    custody = unpack(archive, tmp_path)
    before = tree(tmp_path)
    done = custody("resume", sample_of(archive))
    passed = said(archive)["looks"]["show"]["status"] == "PASS"
    assert (done.code, tree(tmp_path)) == (0 if passed else 1, before)


@pytest.mark.parametrize("archive", some("formats: views", ENDED, 10), ids=name)
def test_its_views_are_made_again(archive: Path, tmp_path: Path) -> None:
    custody = unpack(archive, tmp_path)
    run = tmp_path / RUNS / sample_of(archive)
    before = tree(run)
    for view in [path for pattern in VIEWS for path in run.glob(pattern)]:
        if ".lost." not in str(view):
            view.unlink()
    assert custody("verify", sample_of(archive)).code == 1
    assert custody("verify", sample_of(archive), "--rebuild").code == 0
    assert tree(run) == before


@pytest.mark.parametrize("archive", some("formats: changed", ARCHIVES, 10), ids=name)
def test_a_changed_word_is_found(archive: Path, tmp_path: Path) -> None:
    custody = unpack(archive, tmp_path)
    journal = tmp_path / RUNS / sample_of(archive) / "events.jsonl"
    journal.write_text(journal.read_text().replace("StageCompleted", "StageCompletes", 1))
    assert custody("verify", sample_of(archive)).code == 1


def test_every_page_has_its_archive() -> None:
    pages = {page.with_suffix("") for page in HERE.glob("*/[!R]*.md")}
    assert pages == {archive.with_suffix("").with_suffix("") for archive in ARCHIVES}


@pytest.mark.parametrize("archive", ARCHIVES, ids=name)
def test_an_archive_is_small_and_tells_nothing_of_where_it_was_made(archive: Path) -> None:
    assert archive.stat().st_size < SMALL
    assert ELSEWHERE.search(gzip.decompress(archive.read_bytes())) is None


def test_samples_of_the_code_at_hand_are_made_once(tmp_path: Path) -> None:
    shutil.copy(HERE / "1.0" / "answered.md", tmp_path)
    make = [sys.executable, str(HERE / "make.py"), str(tmp_path), "--home", str(tmp_path / "home")]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL, timeout=120)
    archive = tmp_path / "answered.tar.gz"
    made = archive.read_bytes()
    assert said(archive)["looks"]["verify"]["exit"] == 0
    assert [step["then"]["status"] for step in said(archive)["goes_on"]] == ["PASS"]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL, timeout=120)
    assert archive.read_bytes() == made
    assert not (tmp_path / "home").exists()
