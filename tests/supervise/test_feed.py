"""An input is a pipe of the program's own, filled as it is read."""

from __future__ import annotations

import os
import select
import stat
from pathlib import Path

import pytest

from custody.model.request import Command, CommandLine
from custody.supervise.feed import NOTHING, Feed
from custody.supervise.supervisor import Limits
from support.processes import Bench

MUCH = 3 << 20


def opened(file: Path, data: bytes) -> int:
    file.write_bytes(data)
    return os.open(file, os.O_RDONLY)


@pytest.mark.req("G-05")
def test_no_input_is_an_empty_pipe() -> None:
    reader = Feed(select.poll()).open(NOTHING)
    assert stat.S_ISFIFO(os.fstat(reader).st_mode)
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_what_does_not_fit_into_a_pipe_comes_after(tmp_path: Path) -> None:
    poll = select.poll()
    feed = Feed(poll)
    source = opened(tmp_path / "input", os.urandom(MUCH))
    reader = feed.open(source)
    found = b""
    while data := os.read(reader, 1 << 20):
        found += data
        feed.serve(poll.poll(0))
    assert found == (tmp_path / "input").read_bytes()
    os.close(reader)
    os.close(source)


def test_nobody_waits_for_a_reader_that_is_gone(tmp_path: Path) -> None:
    poll = select.poll()
    feed = Feed(poll)
    source = opened(tmp_path / "input", bytes(MUCH))
    os.close(feed.open(source))
    feed.serve(poll.poll(1000))
    assert poll.poll(0) == []
    left = feed.open(source)
    feed.close()
    assert poll.poll(0) == []
    os.close(left)
    os.close(source)


def test_each_pipe_of_a_chain_reads_all_of_it(bench: Bench) -> None:
    file = bench.home / "input"
    file.write_bytes(bytes(MUCH))
    commands = (
        Command(argv=("head", "-c", "1")),
        Command(argv=("wc", "-c"), joined_by="|"),
        Command(argv=("wc", "-c"), joined_by="&&"),
        Command(argv=("wc", "-c"), joined_by=";"),
    )
    line = CommandLine(text="…", commands=commands)
    ran = bench.run_line(line, Limits(60), stdin=str(file))
    assert [int(word) for word in ran.stdout.split()] == [1, MUCH, MUCH]
