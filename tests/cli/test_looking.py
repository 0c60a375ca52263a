"""Commands that look at a run and change nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.shell import Shell

REFUSED = """
digraph refused {
    start [shape=Mdiamond]
    work  [prompt="Work.", allowed_write_paths="other.txt"]
    done  [shape=Msquare]
    start -> work -> done
}
"""


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "words",
    [
        ["show", "r1"],
        ["show", "r1", "write"],
        ["log", "r1"],
        ["log", "r1", "-f"],
        ["diff", "r1"],
        ["diff", "r1", "write"],
        ["replay", "r1"],
        ["verify", "r1"],
        ["runs"],
    ],
)
def test_nothing_is_written(sample: Shell, words: list[str]) -> None:
    before = tree(sample.folder)
    assert sample(*words).code == 0
    asked = sample(*words, "--json")
    assert asked.code == 0
    assert (
        [json.loads(line) for line in asked.out.splitlines()] if words[0] == "log" else asked.data
    )
    assert tree(sample.folder) == before


@pytest.mark.parametrize("name", ["r1", "r", "last", ".custody/runs/r1"])
def test_a_run_has_many_names(sample: Shell, name: str) -> None:
    assert sample("show", name).out.startswith("PASS  greeting  run r1\n")


def test_no_such_run(sample: Shell) -> None:
    done = sample("show", "r9", "--json")
    assert (done.code, done.data["error_type"]) == (1, "RUN_NOT_FOUND")


@pytest.mark.req("P-05")
def test_a_refused_change_is_shown_as_undone(sample: Shell) -> None:
    sample.write("refused.dot", REFUSED)
    done = sample("run", "refused.dot", "--run-id", "r2")
    assert done.code == 1
    assert "greeting.txt" in done.out
    assert sample("diff", "r2").out == "nothing was changed\n"
    assert "(refused and undone)" in sample("diff", "r2", "work").out
    page = sample("show", "r2", "work").out
    assert "  refused: " in page
    assert "── changed: 1 path, refused and undone" in page
