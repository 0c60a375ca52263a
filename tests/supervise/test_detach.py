"""A process just forked holds nothing of the one it came from."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import threading
from contextlib import suppress
from typing import Any

import pytest

from custody.supervise import detach
from custody.supervise.spawn import IGNORED
from support.forking import fork
from support.overlay import in_child


def descriptors() -> set[int]:
    """Return what is open; the one that lists them is not."""
    listed = [int(name) for name in os.listdir("/proc/self/fd")]
    return {number for number in listed if os.path.exists(f"/proc/self/fd/{number}")}


def state() -> dict[str, Any]:
    """Return what a process can have from the one it came from."""
    return {
        "descriptors": sorted(descriptors()),
        "standard": [os.readlink(f"/proc/self/fd/{number}") for number in range(3)],
        "leads its session": os.getsid(0) == os.getpid(),
        "blocked signals": len(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "ignored": all(signal.getsignal(number) == signal.SIG_IGN for number in IGNORED),
        "mask": os.umask(0),
        "folder": os.getcwd(),
        "dumps": resource.getrlimit(resource.RLIMIT_CORE),
    }


def test_a_process_of_its_own_keeps_what_it_is_given_and_no_more() -> None:
    reader, writer = os.pipe()
    child = fork()
    if child == 0:
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            os.umask(0o077)
            kept = detach.let_go_of_everything_but(writer, reader)
            os.write(kept[0], json.dumps({**state(), "kept": sorted(kept)}).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        found = json.loads(pipe.read())
    os.waitpid(child, 0)
    kept = found.pop("kept")
    assert len(kept) == 2
    small = 0 if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0 else 1
    assert found == {
        "descriptors": [0, 1, 2, *kept],
        "standard": ["/dev/null"] * 3,
        "leads its session": True,
        "blocked signals": 0,
        "ignored": True,
        "mask": 0o022,
        "folder": "/",
        "dumps": [small, small],
    }


def test_everything_else_is_closed() -> None:
    reader, writer = os.pipe()
    child = fork()
    if child == 0:
        kept = {writer, *os.pipe()}
        os.pipe()
        detach.close_all_but(kept)
        os.write(writer, json.dumps([sorted(descriptors()), sorted(kept)]).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        left, kept = json.loads(pipe.read())
    os.waitpid(child, 0)
    assert left == kept


def test_a_thread_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> str:
        monkeypatch.setattr(detach, "_THREAD_PATIENCE", 0.05)
        go_on = threading.Event()
        thread = threading.Thread(target=go_on.wait)
        thread.start()
        try:
            detach.wait_for_threads()
        except OSError as error:
            told = errno.errorcode[error.errno or 0]
        go_on.set()
        detach.wait_for_threads()
        return told

    assert in_child(work) == "EBUSY"


def fill_descriptors() -> list[int]:
    """Take every descriptor that there is to have."""
    taken = []
    with suppress(OSError):
        while True:
            taken.append(os.dup(0))
    return taken


def test_two_pipes_or_none() -> None:
    def work() -> int:
        most = max(descriptors()) + 16
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        down, up = detach.two_pipes()
        assert len({*down, *up}) == 4
        limit = max(map(int, os.listdir("/proc/self/fd"))) + 8
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        for descriptor in fill_descriptors()[:3]:
            os.close(descriptor)
        with pytest.raises(OSError) as refused:
            detach.two_pipes()
        assert refused.value.errno == errno.EMFILE
        return len(fill_descriptors())

    assert in_child(work) == 3, "one was left open"


def test_the_end_of_a_child_is_heard() -> None:
    def work() -> int:
        heard = detach.wake_on_child_exit()
        child = fork()
        if child == 0:
            os._exit(0)
        number = os.read(heard, 10)[0]
        os.waitpid(child, 0)
        return number

    assert in_child(work) == signal.SIGCHLD


def test_one_descriptor_is_free_for_a_while() -> None:
    def work() -> bool:
        with detach.one_descriptor_free():
            assert os.open("/", os.O_RDONLY) == 0
            os.close(0)
        return os.readlink("/proc/self/fd/0") == os.devnull

    assert in_child(work)
