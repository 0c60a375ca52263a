"""Choosing one of several designs, on a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.jobs import JobSite
from support.shell import Shell
from support.terminal import screen

pytestmark = [pytest.mark.req("S-11"), pytest.mark.timeout(120)]


@pytest.fixture
def site(tmp_path: Path) -> JobSite:
    site = JobSite(tmp_path)
    for folder in ("a", "b"):
        site.design("twin", folder=folder, cells="7" if folder == "b" else "1")
    return site


def run(site: JobSite, keys: str) -> tuple[int, list[str]]:
    shell = Shell(site.home)
    words = ("skill", "run", "count", "--design", "twin", "--adapter", "local", "-q")
    with screen(shell, *words, columns=200, XDG_CONFIG_HOME=str(site.config)) as shown:
        shown.until(lambda lines: any("which design is twin?" in line for line in lines))
        shown.type(keys)
        return shown.ended()


def test_the_one_that_is_chosen_is_taken(site: JobSite) -> None:
    code, lines = run(site, "2\n")
    assert code == 0
    assert any(f"{site.home}/a/twin.enc" in line for line in lines)
    assert (site.last() / "reports" / "cells.rpt").read_text() == "cells 7\n"


@pytest.mark.parametrize("keys", ["\n", "first\n", "\x04"])
def test_whoever_chooses_none_gets_a_job_that_says_so(site: JobSite, keys: str) -> None:
    code, lines = run(site, keys)
    assert code == 1
    assert any("LOCATOR_FAIL" in line for line in lines)


def test_without_a_terminal_nobody_is_asked(site: JobSite) -> None:
    job = site.run("twin")
    assert job.verdict == ("FAIL", "LOCATOR_FAIL")
