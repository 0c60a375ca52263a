"""A signal that comes while a module is being loaded waits until the module is there."""

from __future__ import annotations

import importlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.engine.interruption import Interruption
from custody.loading import comes_again, interrupt

LOADED = """
import os, signal, time
class Swallowing:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
class Made:
    part = Swallowing()
whole = True
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a module that is interrupted while it makes a class."""
    name = f"interrupted_{os.getpid()}_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(LOADED)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


@pytest.fixture
def _handled() -> Iterator[None]:
    """Let Ctrl-C be handled as the command line does."""
    before = signal.signal(signal.SIGINT, interrupt)
    yield
    signal.signal(signal.SIGINT, before)


def load_and_wait(module: str) -> None:
    assert importlib.import_module(module).whole
    time.sleep(5)


@pytest.mark.req("G-15")
@pytest.mark.usefixtures("_handled")
def test_ctrl_c_waits_for_the_module(module: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        load_and_wait(module)
    assert importlib.import_module(module).whole


@pytest.mark.req("G-15")
def test_so_does_what_ends_a_run(module: str) -> None:
    with (
        Interruption() as interruption,
        pytest.raises(KeyboardInterrupt),
        interruption.allowed(),
    ):
        load_and_wait(module)
    assert importlib.import_module(module).whole


@pytest.mark.usefixtures("_handled")
def test_otherwise_it_is_at_once() -> None:
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    assert not comes_again(signal.SIGINT, None)
