"""Requests and acks are each written once, whoever writes them and whatever is killed."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import PathRefused
from custody.store.mailbox import (
    FILE_LIMIT,
    FIRST_PAUSE,
    LONGEST_PAUSE,
    Box,
    Mailbox,
    box_of,
)
from custody.store.root import Root

RACE = """
import sys
from custody.store.mailbox import Box
from custody.store.root import Root
box = Box(Root.open(sys.argv[1]), "ack", ".json")
sys.stdin.readline()
print(sum(box.put(f"r{number}", sys.argv[2].encode() * 1000) for number in range(200)))
"""
KILLED = """
import os, sys
from custody.store import create_once, files
from custody.store.mailbox import Box
from custody.store.root import Root
def killed(folder, name, data, mode, *, sync):
    files.write_new(folder, files.temporary_name(), data[:3], mode, sync=sync)
    os.kill(os.getpid(), 9)
create_once.create = killed
Box(Root.open(sys.argv[1]), "ack", ".json").put("r1", b"half")
"""


@pytest.fixture
def acks(tree: Root) -> Box:
    """Return a box."""
    return Box(tree, "ack", ".json")


def folder_of(tree: Root) -> Path:
    return Path(tree.path) / "ack"


def test_the_first_ack_stays(acks: Box) -> None:
    assert acks.get("r1") is None
    assert not acks.has("r1")
    assert acks.put("r1", b"first")
    assert not acks.put("r1", b"second")
    assert acks.has("r1")
    assert acks.get("r1") == acks.glance("r1") == b"first"
    assert acks.stands("r1")
    assert acks.glance("r2") is None
    assert not acks.stands("r2")


def test_keys_stand_for_files_and_files_for_keys(acks: Box) -> None:
    assert acks.path("a/1.1") == "ack/a/1.1.json"
    assert acks.key("ack/a/1.1.json") == "a/1.1"
    for path in ("ack/a.md", "other/a.json", "ack/../a.json", "ack/.json"):
        with pytest.raises(PathRefused):
            acks.key(path)


def test_a_path_leads_to_its_box(tree: Root) -> None:
    box, key = box_of(tree, "inbox/ask/1.1.abc.md")
    assert key == "ask/1.1.abc"
    assert box.put(key, b"yes")
    assert tree.read("inbox/ask/1.1.abc.md") == b"yes"
    for path in ("inbox/../a.md", "a.md", "../inbox/a.md", ""):
        with pytest.raises(PathRefused):
            box_of(tree, path)[0].path(box_of(tree, path)[1])


@pytest.mark.parametrize(
    "key", ["", ".", "..", "../r1", "a/../b", "/etc/x", "a//b", "a/", ".tmp.1.1", "-r", "a b", "ä"]
)
def test_what_is_no_key_is_refused(acks: Box, key: str) -> None:
    with pytest.raises(PathRefused) as refused:
        acks.put(key, b"")
    assert refused.value.code == "request_id"


@given(st.text())
def test_no_text_leads_out_of_the_folder(text: str) -> None:
    box = Box(Root(-1, "/nowhere"), "ack", "")
    try:
        parts = box.path(text).split("/")
    except PathRefused:
        return
    assert parts[0] == "ack"
    assert all(part and part not in {".", ".."} for part in parts)


def test_keys_are_listed_in_order_without_what_is_none(acks: Box, tree: Root) -> None:
    assert acks.keys() == []
    for key in ("b", "a", "a.2", "c"):
        acks.put(key, b"")
    for name in (".tmp.1.1", "d.json.part", "e f.json", ".json"):
        (folder_of(tree) / name).write_bytes(b"")
    assert acks.keys() == ["a", "a.2", "b", "c"]


def test_what_was_asked_is_found_by_its_bytes(acks: Box) -> None:
    acks.put("a", b"one")
    acks.put("b", b"two")
    assert acks.holding(b"two") == "b"
    assert acks.holding(b"tw") == ""


def test_of_two_writers_one_succeeds(acks: Box, tree: Root) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, tree.path, mark],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for mark in ("a", "b")
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    won = [int(writer.communicate(timeout=60)[0]) for writer in writers]
    assert sum(won) == 200
    assert len(acks.keys()) == 200
    assert {acks.get(key) for key in acks.keys()} <= {b"a" * 1000, b"b" * 1000}  # noqa: SIM118
    assert sorted(os.listdir(folder_of(tree))) == [f"{key}.json" for key in acks.keys()]  # noqa: SIM118


def test_a_writer_that_is_killed_half_way_has_written_nothing(acks: Box, tree: Root) -> None:
    folder_of(tree).mkdir()
    done = subprocess.run([sys.executable, "-c", KILLED, tree.path], check=False, timeout=60)
    assert done.returncode == -9
    assert len(os.listdir(folder_of(tree))) == 1
    assert acks.keys() == []
    assert acks.get("r1") is None
    assert acks.put("r1", b"whole")


def test_a_writer_that_links_may_be_killed_before_it_removes_its_first_name(
    acks: Box, tree: Root
) -> None:
    folder_of(tree).mkdir()
    (folder_of(tree) / "part.r1").write_bytes(b"whole")
    os.link(folder_of(tree) / "part.r1", folder_of(tree) / "r1.json")
    assert acks.get("r1") == b"whole"
    os.link(folder_of(tree) / "part.r1", folder_of(tree) / "third")
    with pytest.raises(PathRefused) as refused:
        acks.get("r1")
    assert refused.value.code == "hardlink"


@pytest.mark.parametrize("kind", ["symlink", "fifo", "folder", "large"])
def test_only_plain_files_of_some_size_are_read(acks: Box, tree: Root, kind: str) -> None:
    folder_of(tree).mkdir()
    path = folder_of(tree) / "r1.json"
    match kind:
        case "symlink":
            path.symlink_to("/etc/hostname")
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case _:
            path.write_bytes(b"")
            os.truncate(path, FILE_LIMIT + 1)
    with pytest.raises(PathRefused):
        acks.get("r1")


class TestWaiting:
    @pytest.fixture
    def mailbox(self, tree: Root) -> Mailbox:
        return Mailbox(Box(tree, "queue", ".json"), Box(tree, "ack", ".json"))

    def test_an_ack_that_comes(self, mailbox: Mailbox) -> None:
        writer = threading.Timer(0.05, mailbox.acks.put, ("r1", b"yes"))
        writer.start()
        assert mailbox.wait("r1", 30) == b"yes"
        writer.join()

    def test_it_is_looked_for_ever_less_often(
        self, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pauses: list[float] = []
        monkeypatch.setattr(time, "sleep", pauses.append)
        clock = itertools.count(0.0, 0.001)
        monkeypatch.setattr(time, "monotonic", lambda: next(clock) + sum(pauses))
        assert mailbox.wait("r1", 3.0) is None
        assert pauses[0] == FIRST_PAUSE
        assert pauses[:-1] == sorted(pauses[:-1])
        assert max(pauses) == LONGEST_PAUSE

    def test_a_folder_that_is_long_in_being_listed_is_listed_less_often(
        self, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        listings: list[str] = []
        names = Root.names

        def slow(root: Root, path: str = "") -> list[str]:
            listings.append(path)
            time.sleep(0.01)
            return names(root, path)

        monkeypatch.setattr(Root, "names", slow)
        assert mailbox.wait("r1", 0.6) is None
        assert listings == ["ack", "ack"]  # the first look, and the last

    def test_none_in_time(self, mailbox: Mailbox) -> None:
        before = time.monotonic()
        assert mailbox.wait("r1", 0.05) is None
        assert 0.05 <= time.monotonic() - before < 10

    def test_somebody_says_that_none_will_come(self, mailbox: Mailbox) -> None:
        looks = iter([True, True, False])
        assert mailbox.wait("r1", 60, lambda: next(looks)) is None

    def test_the_last_word_may_come_while_it_is_said(self, mailbox: Mailbox) -> None:
        assert mailbox.wait("r1", 60, lambda: not mailbox.acks.put("r1", b"yes")) == b"yes"

    def test_ctrl_c_gets_through(self, mailbox: Mailbox) -> None:
        def interrupt() -> bool:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            mailbox.wait("r1", 60, interrupt)
