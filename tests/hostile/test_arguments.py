"""Places and names on the command line that make no sense: one sentence, and nothing is made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.hostile import custody, picture

PIPELINE = (
    'digraph p { start [shape=Mdiamond] done [shape=Msquare] a [prompt="x"] start -> a -> done }'
)

EMPTY_HOME = {".custody", ".custody/runs"}
"""The folder of the runs may be there, as long as no run is."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with things in it that are not what they should be."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.dot").write_text(PIPELINE)
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / os.fsdecode(b"\xff")).write_text("x")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        *(
            f"run p.dot --workdir {place}"
            for place in ("missing", "file", "loop", "odd", "p.dot/x")
        ),
        *(f"run p.dot --runsdir {place}" for place in ("file", "file/x", "loop", "/proc/x")),
        *(f"run p.dot --run-id {name}" for name in ("../x", "a/b", "last", ".x", "ä", "a" * 65)),
        *(f"run p.dot --set {word}" for word in ("x", "=", "a=1", "goal=1")),
        *(f"run {name}" for name in ("missing.dot", "folder", "loop", "file", "nope")),
        "run p.dot --agent nope",
        "run p.dot --resume",
        *(f"check {name}" for name in ("missing.dot", "folder", "loop", "/proc/self/mem")),
        *(f"resume {name}" for name in ("nope", "..", "folder", "file", "loop", "/", "last")),
        *(f"verify {name}" for name in ("nope", "folder", "dangling", "*")),
        *(f"init {place}" for place in ("file", "file/x", "dangling", "loop", "/proc/x")),
        "graph p.dot -o /proc/x",
        "schema ../x",
        "fork nope a",
    ],
)
def test_nonsense_is_told_and_changes_nothing(words: str, folder: Path) -> None:
    before = picture(folder)
    done = custody(*words.split())
    assert done.code == 1
    assert done.err.startswith("error: ") or words.startswith("check ")
    after = picture(folder)
    assert {path: after[path] for path in after if path not in EMPTY_HOME} == before


def test_an_agent_that_is_not_there_can_come_later(folder: Path) -> None:
    """Nothing is started without it, and nothing is lost when it goes away on the way."""
    words = ("run", "p.dot", "--run-id", "r1", "--agent", "fake:answers.json")
    first = custody(*words)
    assert first.code == 1
    assert first.err.startswith("error: 1 thing is missing, and nothing was started\n")
    assert not (folder / ".custody").exists()
    (folder / "answers.json").write_text('{"answers": []}')
    assert custody(*words).code == 1
    (folder / "answers.json").write_text('{"answers": [{"text": "here"}]}')
    assert custody(*words[:3], "r2", *words[4:]).code == 0
    assert custody("verify", "r2").code == 0
