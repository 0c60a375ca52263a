"""A watcher is started so that nobody has to wait for it, and ended when it must be."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.executors.sessions.generation import Generation
from custody.executors.sessions.launch import Launched
from custody.model.session import SessionKind, SessionOrder
from custody.store.root import Root
from support.agent_run import wait_for
from support.processes import is_alive
from support.remains import Remains


def kind(launcher: tuple[str, ...] = (), *, shell: bool = False) -> SessionKind:
    """Return a session whose program stays."""
    return SessionKind(
        name="s", argv=("sleep", "600"), beat=0.05, grace=1.0, launcher=launcher,
        launcher_shell=shell,
    )  # fmt: skip


@pytest.fixture
def generation(tmp_path: Path) -> Iterator[Generation]:
    """Return the folder of a session whose program stays; nothing runs afterwards."""
    with Remains() as remains, Root.open(str(tmp_path)) as root:
        yield Generation.create(root, SessionOrder(token=1, level="L1", kind=kind()))
        assert remains.trouble(tmp_path) == ""


def test_it_holds_nothing_open_that_others_wait_for(generation: Generation, tmp_path: Path) -> None:
    reader, writer = os.pipe2(0)  # as a shell hands them down
    launched = Launched.start(kind(), str(tmp_path), generation)
    os.close(writer)
    wait_for(lambda: generation.beat() is not None)
    assert select.select([reader], [], [], 10)[0]
    assert os.read(reader, 1) == b"", "the end of the pipe is seen although the watcher lives"
    os.close(reader)
    generation.ask_to_close()
    launched.end(30)


def test_it_leads_a_session_of_its_own(generation: Generation, tmp_path: Path) -> None:
    launched = Launched.start(kind(), str(tmp_path), generation)
    wait_for(lambda: generation.beat() is not None)
    beat = generation.beat()
    assert beat is not None
    assert os.getsid(beat.watcher) == beat.watcher != os.getsid(0)
    assert not launched.gone()
    generation.ask_to_close()
    launched.end(30)
    assert launched.gone()
    assert generation.ended() is not None


def test_one_that_does_not_end_is_killed(generation: Generation, tmp_path: Path) -> None:
    launched = Launched.start(kind(), str(tmp_path), generation)
    wait_for(lambda: (beat := generation.beat()) is not None and beat.program > 0)
    beat = generation.beat()
    assert beat is not None
    launched.end(0.0)
    wait_for(lambda: not is_alive(beat.program))
    assert generation.ended() is None


def test_what_it_prints_is_kept(generation: Generation, tmp_path: Path) -> None:
    says = (sys.executable, "-c", "print('no node is free')")
    launched = Launched.start(kind(says), str(tmp_path), generation)
    wait_for(launched.gone)
    assert (tmp_path / generation.path / "watcher.log").read_text() == "no node is free\n"


def test_a_launcher_that_is_not_there(generation: Generation, tmp_path: Path) -> None:
    closed = PermissionError  # where PATH has a folder that this user may not look into
    with pytest.raises((FileNotFoundError, closed)):
        Launched.start(kind(("no-such-launcher",)), str(tmp_path), generation)


def test_a_launcher_that_hands_its_words_to_a_shell(tmp_path: Path) -> None:
    odd = tmp_path / "a folder; exit 3"
    odd.mkdir()
    with Remains() as remains, Root.open(str(odd)) as root:
        generation = Generation.create(root, SessionOrder(token=1, level="L1", kind=kind()))
        joins = kind(("sh", "-c", 'exec sh -c "$*"', "sh"), shell=True)
        launched = Launched.start(joins, str(odd), generation)
        wait_for(lambda: generation.beat() is not None)
        generation.ask_to_close()
        launched.end(30)
        assert generation.ended() is not None
        assert remains.trouble(tmp_path) == ""


TAKES_ITS_JOB_BACK = "trap 'echo taken back; exit 1' TERM; echo begun; sleep 600 & wait"
LEAVES_ONE = "(trap '' TERM; echo begun; exec sleep 600) & wait"
IGNORES = "trap '' TERM; echo begun; sleep 600; sleep 600"


def test_a_launcher_is_asked_to_end_before_it_is_killed(
    generation: Generation, tmp_path: Path
) -> None:
    log = tmp_path / generation.path / "watcher.log"
    launched = Launched.start(kind(("sh", "-c", TAKES_ITS_JOB_BACK)), str(tmp_path), generation)
    wait_for(lambda: log.read_text() == "begun\n")
    assert launched.said() == ""
    launched.end(0.0)
    assert log.read_text() == "begun\ntaken back\n"
    assert launched.said() == "exit code 1"


@pytest.mark.parametrize(("text", "said"), [(IGNORES, "signal 9"), (LEAVES_ONE, "signal 15")])
def test_what_does_not_end_is_killed_with_what_it_has_started(
    generation: Generation, tmp_path: Path, text: str, said: str
) -> None:
    launched = Launched.start(kind(("sh", "-c", text)), str(tmp_path), generation)
    wait_for(lambda: (tmp_path / generation.path / "watcher.log").read_text() == "begun\n")
    launched.end(0.0)
    assert launched.said() == said
