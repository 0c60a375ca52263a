"""Whatever is named as an input, nothing hangs and nothing ends as an error of custody's own."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from custody.store.index import new_run_id
from custody.store.journal import timestamp
from support.hostile import custody

pytestmark = [pytest.mark.req("G-15"), pytest.mark.timeout(120)]

HEAD = "digraph p { start [shape=Mdiamond] done [shape=Msquare] "
PLAIN = HEAD + "start -> done }"
ASKS = HEAD + 'ask [prompt="x"] start -> ask -> done }'
DEEP = "[" * 100_000
ODD = ("fifo", "/dev/zero", "/dev/null", "/dev/tty", ".", "missing", "socket\u202e")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder to work in, with a pipe to which nobody writes."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    Path("plain.dot").write_text(PLAIN)
    Path("asks.dot").write_text(ASKS)
    return tmp_path


@pytest.mark.parametrize("name", ODD)
def test_an_odd_file(here: Path, name: str) -> None:
    assert here.exists()
    for words in (
        ("check", name), ("run", name), ("run", "asks.dot", "--agent", f"fake:{name}"),
        ("run", "plain.dot", "--workdir", name if name != "." else "fifo"), ("ingest", name),
        ("scenario", "lint", name), ("runs", "--runsdir", "fifo"), ("verify", name),
        ("run", "plain.dot", "--runsdir", "fifo"),
    ):  # fmt: skip
        custody(*words)
    assert custody("run", name).code == 1


def test_a_pipe_that_somebody_writes_to(here: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, PLAIN.encode())
    os.close(writer)
    assert custody("check", f"/dev/fd/{reader}").code == 0
    os.close(reader)
    assert here.exists()


@pytest.mark.parametrize(
    "text",
    ["a = " + DEEP, 'runsdir = "a\\u0000b"', 'agent = "fake:\\u0000"', "\0", 'runsdir = "\\u009b"'],
)
def test_settings(here: Path, text: str) -> None:
    (here / "custody.toml").write_text(text)
    for words in (("run", "plain.dot"), ("doctor",), ("runs",)):
        assert custody(*words).code == 1


@pytest.mark.parametrize(
    "text", [PLAIN.replace("p {", "p {" + "subgraph x {" * 20_000), PLAIN.replace("p {", "p\0 {"),
             ASKS.replace('"x"', '"x\0y"'), ASKS.replace('"x"', '"x", agent="fake:a\0b"'),
             HEAD + 'a [type=tool, tool_command="echo a\0b"] start -> a -> done }']
)  # fmt: skip
def test_a_pipeline(here: Path, text: str) -> None:
    (here / "odd.dot").write_text(text)
    assert custody("check", "odd.dot").code == 1
    assert custody("run", "odd.dot").code == 1


@pytest.mark.parametrize("text", [DEEP, '{"a":' * 50_000, "\0", "{}", "\ufeff{}"])
def test_recorded_answers(here: Path, text: str) -> None:
    (here / "book.json").write_text(text)
    assert custody("run", "asks.dot", "--agent", "fake:book.json").code == 1


def nested(path: Path) -> None:
    path.unlink()
    path.write_text('{"a":' * 50_000)


def piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def zeros(path: Path) -> None:
    path.write_bytes(bytes(5000))


@pytest.mark.parametrize("spoil", [nested, piped, device, zeros])
@pytest.mark.parametrize(
    "name", ["manifest.json", "events.jsonl", "checkpoint.json", "pipeline.dot", "summary.json"]
)
def test_a_run_directory(here: Path, name: str, spoil: Callable[[Path], None]) -> None:
    assert custody("run", "plain.dot", "--run-id", "r1").code == 0
    spoil(here / ".custody/runs/r1" / name)
    for words in (("runs",), ("show", "r1"), ("verify", "r1"), ("log", "r1"), ("inbox",),
                  ("replay", "r1"), ("diff", "r1"), ("resume", "r1")):  # fmt: skip
        custody(*words)


@pytest.mark.parametrize("editor", ["nothing-of-that-name", "'", "false"])
def test_an_editor_that_does_not_start(
    here: Path, editor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "asks.dot").write_text(ASKS.replace('"x"', '"x", agent=outbox'))
    assert custody("run", "asks.dot").code == 3
    monkeypatch.setenv("VISUAL", editor)
    assert custody("answer", "ask/1.1", "--edit").code == 1
    assert custody("answer", "ask/1.1", "--file", "fifo").code == 1
    assert custody("answer", "ask/1.1", "--file", "/dev/zero").code == 1


@pytest.mark.parametrize("when", [-(2**31), -1, 0, 2**33, 2**34 - 1])
def test_files_of_another_time(here: Path, when: int) -> None:
    source = here / "source"
    source.mkdir()
    (source / "file").write_text("x")
    os.utime(source / "file", (when, when))
    os.utime(source, (when, when))
    for _ in range(2):
        assert custody("run", "plain.dot", "--workdir", "source").code == 0
        assert custody("verify", "last").code == 0


@pytest.mark.parametrize("moment", ["junk", "0001-01-01T00:00:00Z", "2026-01-01", "9" * 400])
def test_a_run_that_began_at_no_moment(here: Path, moment: str) -> None:
    source = here / "source"
    source.mkdir()
    (source / "file").write_text("x")
    assert custody("run", "plain.dot", "--workdir", "source", "--run-id", "r1").code == 0
    journal = here / ".custody/runs/r1/events.jsonl"
    first, rest = journal.read_text().split("\n", 1)
    line = json.loads(first)
    journal.write_text(first.replace(line["ts"], moment) + "\n" + rest)
    for words in (("show", "r1"), ("verify", "r1"), ("log", "r1"), ("resume", "r1")):
        custody(*words)
    journal.write_text(first.replace(line["ts"], moment) + "\n")
    assert custody("run", "plain.dot", "--workdir", "source").code == 0


@pytest.mark.parametrize("seconds", [-(2**33), -1, 0, 2**33])
def test_a_clock_far_off(seconds: int) -> None:
    assert timestamp(seconds * 10**9).endswith(".000000Z")
    assert new_run_id(float(seconds))
    assert time.gmtime(seconds).tm_year
