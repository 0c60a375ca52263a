"""The journal: durable or poisoned, torn tails cut, everything else refused."""

from __future__ import annotations

import errno
import hashlib
import math
import os
import re
import resource
import signal
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import JournalBroken, MalformedDocument, PathRefused, StorageFailed
from custody.model.event import GENESIS, PipelineStarted, StageCompleted
from custody.model.layout import EVENTS
from custody.model.outcome import Outcome
from custody.model.record import NESTING_LIMIT, encode
from custody.store.journal import Journal, read_lines, timestamp, verify_journal
from custody.store.limits import TEXT_LIMIT, capped
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from support.journals import recover

RUN_ID = "run_1"

Record = Callable[..., Journal]
Completed = Callable[..., StageCompleted]
Case = Callable[[str], dict[str, Any]]


def fact_of(notes: str = "", **context: Any) -> StageCompleted:
    outcome = Outcome(status="success", notes=notes, context_updates=context)
    return StageCompleted(node="a", visit=1, attempt=1, outcome=outcome)


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
def file_size_limit(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.req("P-11", "C-23")
class TestWriting:
    def test_lines_say_who_what_when(self, run: RunDirectory, started: PipelineStarted) -> None:
        journal = Journal.create(run.root, RUN_ID, clock=lambda: 1_700_000_000_123_456_789)
        first = journal.append(started, role="engine", path="pipeline.dot")
        second = journal.append(fact_of("hi"), role="tool", path="nodes/a/1.1")
        journal.commit()
        assert list(read_lines(run.root, run_id=RUN_ID)) == [first, second]
        assert (first.seq, first.prev, first.node, first.level) == (0, GENESIS, None, "info")
        assert (second.seq, second.node, second.path) == (1, "a", "nodes/a/1.1")
        assert second.prev == hashlib.sha256(encode(first)).hexdigest()
        assert second.ts == "2023-11-14T22:13:20.123456Z"
        assert second.fact() == fact_of("hi")
        assert first.fact() == started

    def test_count_head_and_offset_are_those_of_the_file(
        self, run: RunDirectory, record: Record
    ) -> None:
        journal = record(run.root, lines=20)
        data = run.root.read(EVENTS)
        assert journal.count == 20
        assert journal.offset == len(data)
        assert journal.head == hashlib.sha256(data.split(b"\n")[-2]).hexdigest()

    def test_nothing_is_written_before_commit(self, run: RunDirectory, record: Record) -> None:
        journal = record(run.root)
        size = run.root.stat(EVENTS).st_size
        add(journal, fact_of())
        assert run.root.stat(EVENTS).st_size == size
        journal.commit()
        assert run.root.stat(EVENTS).st_size == journal.offset
        journal.commit()

    def test_there_is_one_journal_per_run(self, run: RunDirectory, record: Record) -> None:
        record(run.root)
        with pytest.raises(PathRefused) as caught:
            Journal.create(run.root, RUN_ID)
        assert caught.value.code == "exists"

    def test_log_010_a_line_separator_in_a_text(
        self, run: RunDirectory, record: Record, hostile: Case
    ) -> None:
        text = hostile("log-010")["input"]["event"]["message"] + "\n\r\x0b\x0c\x85\u2029"
        journal = record(run.root)
        add(journal, fact_of(text))
        journal.commit()
        *_, last = read_lines(run.root)
        assert last.fact() == fact_of(text)
        assert len(run.root.read(EVENTS).decode().splitlines()) == journal.count

    def test_log_012_nan(self, run: RunDirectory, record: Record, hostile: Case) -> None:
        code = str(hostile("log-012")["expect"]).removeprefix("reject:")
        journal = record(run.root)
        for value in (math.nan, math.inf, [{"x": (-math.inf,)}]):
            with pytest.raises(MalformedDocument) as caught:
                add(journal, fact_of(x=value))
            assert caught.value.code == code
        add(journal, fact_of(x=None, y="null"))
        journal.commit()
        assert verify_journal(run.root, run_id=RUN_ID, count=11, head=journal.head) == []

    @pytest.mark.parametrize("value", ["\ud800", object(), {("a", "b"): 1}, ...])
    def test_what_json_cannot_say(self, run: RunDirectory, record: Record, value: Any) -> None:
        journal = record(run.root)
        with pytest.raises(MalformedDocument) as caught:
            add(journal, fact_of(x=value))
        assert caught.value.code == "json"

    def test_what_is_nested_without_end(self, run: RunDirectory, record: Record) -> None:
        value: list[Any] = []
        value.append(value)
        with pytest.raises(MalformedDocument) as caught:
            add(record(run.root), fact_of(x=value))
        assert caught.value.code == "json"

    @pytest.mark.req("G-19")
    def test_what_another_python_could_not_read(self, run: RunDirectory, record: Record) -> None:
        """Python 3.14 encodes far deeper than 3.11 decodes."""
        journal = record(run.root)
        value: list[Any] = []
        for _ in range(NESTING_LIMIT):
            value = [value]
        with pytest.raises(MalformedDocument, match="recursion depth") as caught:
            add(journal, fact_of(x=value))
        assert caught.value.code == "json"
        add(journal, fact_of(x=[[1]] * NESTING_LIMIT))

    def test_log_013_the_clock_goes_back(
        self, run: RunDirectory, record: Record, hostile: Case
    ) -> None:
        assert hostile("log-013")["expect"] == "accept:seq"
        hour = 3_600_000_000_000
        moments = iter(range(100 * hour, 0, -hour))
        record(run.root, clock=lambda: next(moments))
        lines = list(read_lines(run.root))
        assert [line.seq for line in lines] == list(range(10))
        assert [line.ts for line in lines] == sorted((line.ts for line in lines), reverse=True)

    @given(st.integers(0, 4_000_000_000_000_000_000))
    def test_timestamps_have_one_form(self, moment: int) -> None:
        text = timestamp(moment)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", text)
        assert text <= timestamp(moment + 1000)


class TestLongTexts:
    def test_log_011_ten_megabytes(self, run: RunDirectory, record: Record, hostile: Case) -> None:
        assert hostile("log-011")["expect"] == "accept:capped"
        text = "é" * 5_000_000
        journal = record(run.root)
        add(journal, fact_of(text, deep=[{"er": text}], short="x"))
        journal.commit()
        *_, last = read_lines(run.root)
        fact = last.fact()
        assert isinstance(fact, StageCompleted)
        digest = hashlib.sha256(text.encode()).hexdigest()
        for kept in (fact.outcome.notes, fact.outcome.context_updates["deep"][0]["er"]):
            assert len(kept.encode()) <= TEXT_LIMIT
            assert kept.startswith("é" * 30_000)
            assert kept.endswith(f"… [cut: 10000000 bytes, sha256 {digest}]")
        assert fact.outcome.context_updates["short"] == "x"
        assert fact == capped(fact_of(text, deep=[{"er": text}], short="x"))


@pytest.mark.req("P-11")
class TestPoison:
    def test_a_write_that_fails_half_way(self, run: RunDirectory, record: Record) -> None:
        journal = record(run.root)
        whole = run.root.read(EVENTS)
        add(journal, fact_of("x" * 5000))
        with file_size_limit(len(whole) + 1000), pytest.raises(StorageFailed) as failed:
            journal.commit()
        assert failed.value.where.endswith(EVENTS)
        assert failed.value.hint
        assert run.root.read(EVENTS) == whole
        assert_poisoned(journal)
        assert run.root.read(EVENTS) == whole

    def test_a_full_device(self, run: RunDirectory, record: Record) -> None:
        journal = record(run.root)
        with replaced(journal, "/dev/full"):
            add(journal, fact_of())
            with pytest.raises(StorageFailed) as failed:
                journal.commit()
            assert failed.value.what == os.strerror(errno.ENOSPC).lower()
        assert_poisoned(journal)
        recover_after(run.root, lines=10)

    def test_a_sync_that_fails(self, run: RunDirectory, record: Record) -> None:
        journal = record(run.root)
        source, sink = os.pipe()  # takes the bytes, but cannot sync them
        try:
            with replaced(journal, f"/proc/self/fd/{sink}"):
                add(journal, fact_of())
                with pytest.raises(StorageFailed):
                    journal.commit()
            assert os.read(source, 100_000)
        finally:
            os.close(source)
            os.close(sink)
        assert_poisoned(journal)
        recover_after(run.root, lines=10)

    def test_an_interruption_in_the_middle(self, run: RunDirectory, record: Record) -> None:
        journal = record(run.root)
        whole = run.root.read(EVENTS)
        add(journal, fact_of())
        before = signal.signal(signal.SIGXFSZ, signal.default_int_handler)
        try:
            with file_size_limit(len(whole) + 10), pytest.raises(KeyboardInterrupt):
                journal.commit()
        finally:
            signal.signal(signal.SIGXFSZ, before)
        assert_poisoned(journal)
        recover_after(run.root, lines=10)

    def test_what_was_refused_does_not_poison(self, run: RunDirectory, record: Record) -> None:
        journal = record(run.root)
        with pytest.raises(MalformedDocument):
            add(journal, fact_of(x=math.nan))
        add(journal, fact_of())
        journal.commit()
        assert len(list(read_lines(run.root))) == 11

    def test_somebody_else_writes_to_it(self, run: RunDirectory, record: Record) -> None:
        journal = record(run.root)
        with open_end(run.root) as end:
            os.write(end, b"{}\n")
        add(journal, fact_of())
        with broken("chain_broken"):
            journal.commit()
        assert_poisoned(journal)

    def test_a_closed_journal(self, run: RunDirectory, record: Record) -> None:
        journal = record(run.root)
        add(journal, fact_of())
        journal.close()
        journal.close()
        assert_poisoned(journal)
        assert len(list(read_lines(run.root))) == 10


@pytest.mark.req("P-11")
def test_memory_is_flat_however_long_the_journal_is(run: RunDirectory, record: Record) -> None:
    record(run.root, lines=20_000).close()
    size = run.root.stat(EVENTS).st_size
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_lines(run.root, run_id=RUN_ID)) == 20_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000 < size


def assert_poisoned(journal: Journal) -> None:
    for call in (partial(add, journal, fact_of()), journal.commit):
        with pytest.raises(StorageFailed) as failed:
            call()
        assert "resume" in failed.value.hint


def recover_after(root: Root, *, lines: int) -> None:
    journal, _ = recover(root, RUN_ID)
    assert journal.count == lines
    add(journal, fact_of())
    journal.commit()
    journal.close()
    assert len(list(read_lines(root, run_id=RUN_ID))) == lines + 1


@contextmanager
def open_end(root: Root) -> Iterator[int]:
    descriptor = root.open_fd(EVENTS, os.O_WRONLY | os.O_APPEND)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def replaced(journal: Journal, path: str) -> Iterator[None]:
    """Let the journal write to another file without knowing."""
    kept = os.dup(journal._descriptor)
    other = os.open(path, os.O_WRONLY)
    os.dup2(other, journal._descriptor, inheritable=False)
    os.close(other)
    try:
        yield
    finally:
        os.dup2(kept, journal._descriptor, inheritable=False)
        os.close(kept)


def test_a_journal_that_was_changed_is_read_up_to_there(run: RunDirectory, record: Record) -> None:
    record(run.root)
    whole = run.root.read(EVENTS)
    lines = whole.splitlines(keepends=True)
    run.root.write(EVENTS, b"".join([*lines[:3], lines[3].replace(b"seq", b"sed"), *lines[4:]]))
    with pytest.raises(JournalBroken):
        list(read_lines(run.root, run_id=RUN_ID))
