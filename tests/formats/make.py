"""Make samples of the run directories that the code at hand writes.

    python tests/formats/make.py VERSION [NAME …] [--home DIR]

Each page ``tests/formats/VERSION/NAME.md`` says how its run is made: its files are written and
its commands run, in a folder that tells nothing about the machine but what custody writes. What
comes of it are ``NAME.tar.gz``, the run directory, and ``NAME.json``, what the code at hand says
about it and how it goes on with it. An archive that is there is never made again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

import walkthrough  # noqa: E402  # found by the line above
from support.formats import RUNS, goes_on, looks, pack, sample_of, unpack  # noqa: E402

HOME = "/tmp/custody-formats"
SYSTEM = "/usr/local/bin:/usr/bin:/bin"
"""Where the programs of the stages are looked for."""

AGAIN = ("--run-id", "again")
APPROVED = "Verdict: APPROVE\n\n```text file=NOTES.md\nVersion 2 is out.\n```\n"
MENDED = """digraph two {
    graph [goal="Two files"]
    start  [shape=Mdiamond]
    first  [type=tool, tool_command="sh -c 'echo first > first.txt'"]
    second [type=tool, tool_command="sh -c 'echo whole > second.txt'"]
    done   [shape=Msquare]
    start -> first -> second -> done
}
"""
CHANGED = ("resume", "interrupted", "--pipeline", "mended.dot")
PUBLISHED = ("--resume", "--publish", "out")
STEPS: dict[str, tuple[dict[str, Any], ...]] = {
    "answered": ({"words": ["resume", "answered"]},),
    "arrived": (
        {"words": ["answer", "pages.1.ask/1.1", "--file", "-"], "stdin": "Said.\n"},
        {"words": ["resume", "arrived"]},
    ),
    "changed": ({"words": ["fork", "changed", "third", *AGAIN], "run": "again"},),
    "changed_by_patch": ({"words": ["fork", "changed_by_patch", "stop", *AGAIN], "run": "again"},),
    "documents": (
        {"words": ["task", "self_critique", "--run-id", "documents", *PUBLISHED]},
        {
            "words": ["fork", "documents", "final", *AGAIN, "--agent", "fake:self_critique"],
            "run": "again",
        },
    ),
    "fix_test": ({"words": ["fork", "fix_test", "report", *AGAIN], "run": "again"},),
    "forked": ({"words": ["fork", "forked", "count", *AGAIN], "run": "again"},),
    "given": ({"words": ["fork", "given", "note", *AGAIN], "run": "again"},),
    "interrupted": (
        {"words": [*CHANGED], "files": {"mended.dot": MENDED}},
        {"words": [*CHANGED, "--accept-pipeline-change"]},
    ),
    "killed": ({"words": ["resume", "killed"]},),
    "lenient": ({"words": ["fork", "lenient", "hook", *AGAIN], "run": "again"},),
    "packet": ({"words": ["fork", "packet", "judge", *AGAIN], "run": "again"},),
    "refused": ({"words": ["fork", "refused", "check", *AGAIN], "run": "again"},),
    "team": ({"words": ["task", "team", "--run-id", "team", *PUBLISHED]},),
    "torn": ({"words": ["resume", "torn"]},),
    "tries": ({"words": ["fork", "tries", "verify", *AGAIN], "run": "again"},),
    "waiting": (
        {"words": ["resume", "waiting"]},
        {"words": ["answer", "review/1.1", "--file", "-"], "stdin": APPROVED},
        {"words": ["resume", "waiting"]},
    ),
}
"""How each sample is gone on with; the others have ended for good."""


def main() -> None:
    """Make the samples that are asked for and not there yet."""
    parser = argparse.ArgumentParser()
    parser.add_argument("version", help="folder of the pages, from here on")
    parser.add_argument("names", nargs="*", help="which (default: all)")
    parser.add_argument(
        "--home", type=Path, default=HOME, help=f"made to work in, then removed ({HOME})"
    )
    options = parser.parse_args()
    folder = Path(__file__).parent / options.version
    names = options.names or [page.stem for page in sorted(folder.glob("[!R]*.md"))]
    with workplace(options.home) as programs:
        for archive in [folder / f"{name}.tar.gz" for name in names]:
            if not archive.exists():
                make(archive, options.home, programs)
                print(f"{archive}: {archive.stat().st_size} bytes")  # noqa: T201


@contextmanager
def workplace(home: Path) -> Iterator[str]:
    """Lay out a place to work in, and remove it in the end; yield where programs are found."""
    home.mkdir()
    try:
        os.umask(0o022)
        shutil.copytree(ROOT / "examples", home / "examples")
        program = home / "bin" / "custody"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m custody "$@"\n')
        program.chmod(0o755)
        yield f"{program.parent}:{SYSTEM}"
    finally:
        shutil.rmtree(home)


def make(archive: Path, home: Path, programs: str) -> None:
    """Make one sample, by the page beside it."""
    name = sample_of(archive)
    (home / name).mkdir()
    wrong = walkthrough.follow(archive.parent / f"{name}.md", home / name, programs=programs)
    assert not wrong, "\n".join(wrong)
    pack(home / name / RUNS / name, archive)
    said = json.dumps(said_about(archive), indent=1)
    (archive.parent / f"{name}.json").write_text(f"{said}\n")


def said_about(archive: Path) -> dict[str, Any]:
    """Return what the code at hand says about a sample, and how it goes on with it."""
    name = sample_of(archive)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        looked = looks(unpack(archive, Path(one)), name)
        custody = unpack(archive, Path(other))
        steps = [{"run": name, **step} for step in STEPS.get(name, ())]
        gone_on = [{**step, "then": goes_on(custody, step)} for step in steps]
        return {"looks": looked, "goes_on": gone_on}


if __name__ == "__main__":
    main()
