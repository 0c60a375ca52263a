"""The follower: beside the engine, complete when it is waited for, honest about failures."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from custody.errors import CustodyError
from custody.model.event import AnyFact, JournalLine, Position
from custody.store.journal import read_lines
from custody.store.rundir import RunDirectory
from custody.views.follower import Follower
from custody.views.writer import ViewWriter
from support.bench import Bench

Lines = list[tuple[JournalLine, AnyFact]]


@pytest.fixture
def recorded(bench: Bench) -> tuple[Path, Lines]:
    """Return a run and its lines."""
    bench.run('a [prompt="x"]\nstart -> a -> done')
    path = bench.path("")
    with RunDirectory.open(str(path), write=False) as run:
        return path, [(line, line.fact()) for line in read_lines(run.root)]


END = Position(events=1, offset=1, head="head")


def follower_of(run: RunDirectory) -> Follower:
    return Follower(ViewWriter(run, lambda _answered: ()))


def tell(follower: Follower, lines: Lines) -> None:
    for line, fact in lines:
        follower.hear(line, fact)
    follower.committed(END)


def follow(path: Path, *batches: Lines) -> None:
    with (
        RunDirectory.open(str(path), write=True) as run,
        closing(follower_of(run)) as follower,
    ):
        for lines in batches:
            tell(follower, lines)
        follower.catch_up()


def views(path: Path) -> dict[str, bytes]:
    wanted = [*path.glob("nodes/**/*"), path / "trace.jsonl"]
    return {str(p.relative_to(path)): p.read_bytes() for p in wanted if p.is_file()}


def test_it_writes_what_the_run_wrote(recorded: tuple[Path, Lines]) -> None:
    path, lines = recorded
    before = views(path)
    assert "nodes/a/1.1/prompt.md" in before
    for batches in ([lines], [[line] for line in lines]):
        shutil.rmtree(path / "nodes")
        (path / "trace.jsonl").unlink()
        follow(path, *batches)
        assert views(path) == before


def test_what_was_heard_of_a_record_is_written_although_nothing_is_committed(
    recorded: tuple[Path, Lines],
) -> None:
    """A resume that is refused after it has caught up leaves the views whole."""
    path, lines = recorded
    before = views(path)
    shutil.rmtree(path / "nodes")
    (path / "trace.jsonl").unlink()
    with RunDirectory.open(str(path), write=True) as run:
        follower = follower_of(run)
        for line, fact in lines:
            follower.hear(line, fact)
        follower.close()
    assert views(path) == before


def test_nothing_is_lost_when_it_is_closed_at_once(recorded: tuple[Path, Lines]) -> None:
    path, lines = recorded
    before = views(path)
    shutil.rmtree(path / "nodes")
    (path / "trace.jsonl").unlink()
    with RunDirectory.open(str(path), write=True) as run:
        follower = follower_of(run)
        tell(follower, lines)
        follower.close()
    assert views(path) == before


def test_a_failure_is_raised_where_the_engine_asks(recorded: tuple[Path, Lines]) -> None:
    path, lines = recorded
    shutil.rmtree(path / "nodes")
    (path / "nodes").write_text("in the way")
    with pytest.raises(CustodyError, match="not a directory"):
        follow(path, lines)
    with RunDirectory.open(str(path), write=True) as run, closing(follower_of(run)) as follower:
        tell(follower, lines)
        with pytest.raises(CustodyError, match="not a directory"):
            follower.catch_up()
        with pytest.raises(CustodyError, match="not a directory"):
            tell(follower, lines)
