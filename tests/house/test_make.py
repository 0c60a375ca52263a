"""What `make test` fetches may be out of reach: then it says so and goes on, save in CI."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.programs import needs
from support.shell import Done

TOOLS = ("bash", "env", "id", "make", "sh")


def without(place: Path, root: Path, *words: str, ci: str = "") -> Done:
    """Call a program of the checkout where only its tools, and an npm that fails, are to be had."""
    programs = place / "programs"
    programs.mkdir()
    for name in TOOLS:
        os.symlink(shutil.which(name) or "", programs / name)
    (programs / "npm").write_text("#!/bin/sh\necho unreachable >&2\nexit 1\n")
    (programs / "npm").chmod(0o755)
    shutil.copy(root / "Makefile", place)
    done = subprocess.run(
        [shutil.which(words[0]) or words[0], *words[1:]],
        cwd=place,
        env={"PATH": str(programs), "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@needs("make")
@pytest.mark.req("G-30")
@pytest.mark.parametrize(("ci", "refused"), [("", False), ("true", True)])
def test_agents_that_cannot_be_installed(
    tmp_path: Path, root: Path, ci: str, *, refused: bool
) -> None:
    done = without(tmp_path, root, "make", "agents", ci=ci)
    assert (done.code != 0) == refused
    assert "could not install the agents: tests that run them will be skipped" in done.err


@pytest.mark.req("G-30")
@pytest.mark.parametrize(("ci", "code"), [("", 0), ("true", 1)])
def test_packages_that_cannot_be_installed(tmp_path: Path, root: Path, ci: str, code: int) -> None:
    script = str(root / "scripts" / "system_packages.sh")
    done = without(tmp_path, root, script, "sh:dash", "strace:strace", "ps:procps", ci=ci)
    assert done.code == code
    told = "could not install strace procps: tests that need one of them will be skipped"
    assert told in done.err
