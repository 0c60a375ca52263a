from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.errors import JournalBroken
from custody.model.change import Tree
from custody.model.event import AnyFact, PipelineCompleted, PipelineStarted
from custody.model.layout import EVENTS
from custody.model.process_event import RunInterrupted, RunResumed
from custody.store.follow import follow
from custody.store.journal import Journal
from custody.store.root import Root

STARTED = PipelineStarted(
    pipeline="p", pipeline_sha256="", decided_as="r1", goal="", variables={}, agent="stub",
    workdir="", workspace=Tree(sha256="", entries=0, bytes=0), versions={},
)  # fmt: skip


class Writer:
    """Writes a journal step by step, one step for each time that the reader waits."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self.journal = Journal.create(root, "r1")
        self.write(STARTED)
        self.steps: Iterator[AnyFact | bytes] = iter(())

    def write(self, *facts: AnyFact) -> None:
        for fact in facts:
            self.journal.append(fact, role="engine", path="")
        self.journal.commit()

    def wait(self) -> None:
        step = next(self.steps)
        if isinstance(step, bytes):
            with Path(self.root.path, EVENTS).open("ab") as file:
                file.write(step)
        else:
            self.write(step)

    def follow(self, *steps: AnyFact | bytes) -> list[str]:
        self.steps = iter(steps)
        return [line.event for line in follow(self.root, wait=self.wait)]


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    with Root.open(str(tmp_path)) as root:
        writer = Writer(root)
        yield writer
        writer.journal.close()


def test_lines_are_yielded_as_they_come(writer: Writer) -> None:
    assert writer.follow(RunResumed(), PipelineCompleted(node="x")) == [
        "PipelineStarted",
        "RunResumed",
        "PipelineCompleted",
    ]


def test_an_interruption_ends_it_unless_the_run_was_resumed(writer: Writer) -> None:
    writer.write(RunInterrupted(reason="SIGINT"))
    assert writer.follow() == ["PipelineStarted", "RunInterrupted"]
    writer.write(RunResumed())
    assert writer.follow(PipelineCompleted(node="x"))[-2:] == ["RunResumed", "PipelineCompleted"]


def test_half_a_line_is_waited_for(writer: Writer, tmp_path: Path) -> None:
    path = tmp_path / EVENTS
    whole = path.read_bytes()
    writer.write(PipelineCompleted(node="x"))
    last = path.read_bytes().removeprefix(whole)
    path.write_bytes(whole)
    assert writer.follow(last[:20], last[20:]) == ["PipelineStarted", "PipelineCompleted"]


@pytest.mark.parametrize(("line", "code"), [(b"{}\n", "json"), (b"\xff\n", "json")])
def test_what_is_no_line_is_refused(writer: Writer, line: bytes, code: str) -> None:
    with pytest.raises(JournalBroken) as caught:
        writer.follow(line)
    assert caught.value.code == code


def test_a_line_that_does_not_follow_is_refused(writer: Writer, tmp_path: Path) -> None:
    first = (tmp_path / EVENTS).read_bytes()
    with pytest.raises(JournalBroken) as caught:
        writer.follow(first)
    assert caught.value.code == "chain_broken"
