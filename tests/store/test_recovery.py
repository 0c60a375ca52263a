"""A journal that a process left: torn tails cut, everything else refused, nothing lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from custody.errors import JournalBroken
from custody.model.event import StageCompleted
from custody.model.journal_version import VERSIONS
from custody.model.layout import EVENTS
from custody.store.chain import Link
from custody.store.journal import Journal, read_lines, verify_journal
from custody.store.recovery import Recovery
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from support.journals import recover

RUN_ID = "run_1"

Record = Callable[..., Journal]
Completed = Callable[..., StageCompleted]
Case = Callable[[str], dict[str, Any]]


def add(journal: Journal, *facts: StageCompleted) -> None:
    for fact in facts:
        journal.append(fact, role="tool", path="nodes/a/1.1")


@contextmanager
def broken(code: str) -> Iterator[None]:
    with pytest.raises(JournalBroken) as caught:
        yield
    assert caught.value.code == code
    assert caught.value.where


@contextmanager
def open_end(root: Root) -> Iterator[int]:
    descriptor = root.open_fd(EVENTS, os.O_WRONLY | os.O_APPEND)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@pytest.mark.req("P-11")
class TestRecovering:
    def test_log_001_a_torn_tail_is_cut(
        self, run: RunDirectory, record: Record, completed: Completed, hostile: Case
    ) -> None:
        assert hostile("log-001")["expect"] == "recover:truncate_tail"
        journal = record(run.root)
        whole = run.root.read(EVENTS)
        head, count = journal.head, journal.count
        add(journal, completed())
        journal.commit()
        journal.close()
        longer = run.root.read(EVENTS)
        for size in range(len(whole), len(longer)):
            run.root.write(EVENTS, longer[:size])
            if size > len(whole):
                with broken("torn"):
                    list(read_lines(run.root))
                assert len(list(read_lines(run.root, torn_ok=True))) == count
            taken_up, torn = recover(run.root, RUN_ID)
            assert (taken_up.count, taken_up.head, taken_up.offset) == (count, head, len(whole))
            assert torn == size - len(whole)
            assert run.root.read(EVENTS) == whole
            taken_up.close()
        assert run.root.names() == [EVENTS]

    def test_it_can_be_written_on(
        self, run: RunDirectory, record: Record, completed: Completed
    ) -> None:
        record(run.root).close()
        with open_end(run.root) as end:
            os.write(end, b'{"seq":10')
        journal, torn = recover(run.root, RUN_ID)
        assert torn == 9
        add(journal, completed(), completed())
        journal.commit()
        assert verify_journal(run.root, run_id=RUN_ID, count=12, head=journal.head) == []

    def test_the_good_lines_are_in_a_new_file(self, run: RunDirectory, record: Record) -> None:
        record(run.root).close()
        before = run.root.stat(EVENTS).st_ino
        with open_end(run.root):
            recover(run.root, RUN_ID)[0].close()
            assert run.root.stat(EVENTS).st_ino != before

    def test_blocks_that_never_arrived(self, run: RunDirectory, record: Record) -> None:
        journal = record(run.root)
        whole = run.root.read(EVENTS)
        for tail in (bytes(4096), bytes(40) + b'"x"}\n', b'{"seq":10' + bytes(9) + b"}\n\0\n"):
            run.root.write(EVENTS, whole + tail)
            taken_up, torn = recover(run.root, RUN_ID)
            assert (torn, taken_up.head) == (len(tail), journal.head)
            taken_up.close()

    def test_a_long_journal(self, run: RunDirectory, record: Record) -> None:
        journal = record(run.root, lines=3000)
        journal.close()
        taken_up, torn = recover(run.root, RUN_ID)
        assert (torn, taken_up.count, taken_up.head) == (0, 3000, journal.head)

    def test_it_goes_on_in_its_own_version(
        self, run: RunDirectory, record: Record, completed: Completed
    ) -> None:
        record(run.root, version=VERSIONS["1.0"]).close()
        taken_up, _ = recover(run.root, RUN_ID)
        add(taken_up, completed())
        taken_up.commit()
        taken_up.close()
        assert {line.schema_version for line in read_lines(run.root)} == {"1.0"}

    def test_anything_else_is_left_as_it_is(self, run: RunDirectory, record: Record) -> None:
        record(run.root).close()
        changed = run.root.read(EVENTS).replace(b'"n3"', b'"n4"')
        run.root.write(EVENTS, changed)
        with broken("chain_broken"):
            recover(run.root, RUN_ID)
        assert run.root.read(EVENTS) == changed
        assert run.root.names() == [EVENTS]

    def test_the_journal_of_another_run(self, run: RunDirectory, record: Record) -> None:
        record(run.root, run_id="another").close()
        with broken("job_mismatch"):
            recover(run.root, RUN_ID)
        with broken("job_mismatch"):
            list(read_lines(run.root, run_id=RUN_ID))
        assert len(list(read_lines(run.root))) == 10

    def test_a_run_that_never_began(self, run: RunDirectory) -> None:
        Journal.create(run.root, RUN_ID).close()
        with broken("empty"):
            recover(run.root, RUN_ID)

    def test_no_journal(self, run: RunDirectory) -> None:
        with broken("missing"):
            recover(run.root, RUN_ID)
        os.symlink("/etc/passwd", f"{run.path}/{EVENTS}")
        with broken("symlink"):
            list(read_lines(run.root))


class TestUntilItIsSettled:
    def test_every_line_is_told(self, run: RunDirectory, record: Record) -> None:
        record(run.root).close()
        told: list[Link] = []
        with Recovery(run.root, RUN_ID, told.append):
            assert [link.line for link in told] == list(read_lines(run.root))
            assert [link.fact for link in told] == [link.line.fact() for link in told]

    def test_the_old_file_stays_as_it_is(self, run: RunDirectory, record: Record) -> None:
        record(run.root).close()
        with open_end(run.root) as end:
            os.write(end, b'{"seq":10')
        before = run.root.read(EVENTS), run.root.stat(EVENTS).st_ino
        with Recovery(run.root, RUN_ID, lambda _: None) as recovery:
            assert (recovery.torn, recovery.holes) == (9, False)
        assert (run.root.read(EVENTS), run.root.stat(EVENTS).st_ino) == before
        assert run.root.names() == [EVENTS]

    def test_who_hears_may_refuse(self, run: RunDirectory, record: Record) -> None:
        record(run.root).close()
        before = run.root.stat(EVENTS).st_ino

        def refuse(link: Link) -> None:
            raise JournalBroken("seq", "no", line=link.line.seq)

        with pytest.raises(JournalBroken), Recovery(run.root, RUN_ID, refuse):
            pass
        assert run.root.stat(EVENTS).st_ino == before
        assert run.root.names() == [EVENTS]

    @pytest.mark.parametrize(
        ("tail", "torn", "holes"),
        [(b"", 0, False), (b"{", 1, False), (b"\0\n", 2, True), (b"\0\n{", 3, True)],
    )
    def test_holes_are_told_apart(
        self, run: RunDirectory, record: Record, tail: bytes, torn: int, holes: bool
    ) -> None:
        record(run.root).close()
        run.root.write(EVENTS, run.root.read(EVENTS) + tail)
        with Recovery(run.root, RUN_ID, lambda _: None) as recovery:
            assert (recovery.torn, recovery.holes) == (torn, holes)
