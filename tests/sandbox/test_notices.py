"""A process that asks gets the answer that was given, and nobody minds one that is gone."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from custody.sandbox import kernel, notices
from custody.sandbox.notices import Notice
from support.filters import asker, ended


def errno_of(work: Callable[[], object]) -> int:
    try:
        work()
    except OSError as error:
        return error.errno or 0
    return 0


@pytest.mark.parametrize(
    ("say", "code"),
    [
        (notices.answer, 0),
        (notices.let_go_on, errno.ENOENT),
        (lambda notice: notices.refuse(notice, errno.EXDEV), errno.EXDEV),
    ],
)
def test_an_answer(say: Callable[[Notice], None], code: int) -> None:
    with asker(lambda: os._exit(errno_of(lambda: os.unlink("/no/such/file")))) as (listener, child):
        notice = notices.receive(listener)
        assert notice is not None
        assert (notice.call, notice.process) == (CALL, child)
        say(notice)
        assert ended(child) == code


CALL = "unlink" if "unlink" in kernel.NUMBERS[kernel.MACHINE] else "unlinkat"


@pytest.mark.parametrize("close_on_exec", [True, False])
def test_a_descriptor(tmp_path: Path, close_on_exec: bool) -> None:
    (tmp_path / "given").write_text("given")

    def work() -> None:
        file = os.open("/dev/shm/x", os.O_RDONLY | os.O_NOFOLLOW)
        os._exit(os.read(file, 9) != b"given" or os.get_inheritable(file) is close_on_exec)

    with asker(work) as (listener, child):
        notice = notices.receive(listener)
        assert notice is not None
        assert notice.call == "openat"
        given = os.open(tmp_path / "given", os.O_RDONLY)
        notices.hand_over(notice, given, close_on_exec=close_on_exec)
        os.close(given)
        assert ended(child) == 0


def test_one_that_is_gone() -> None:
    with asker(lambda: os.unlink("/no/such/file")) as (listener, child):
        notice = notices.receive(listener)
        assert notice is not None
        os.kill(child, 9)
        ended(child)
        for say in (notices.answer, notices.let_go_on):
            say(notice)
        notices.refuse(notice, errno.EPERM)
        with pytest.raises(OSError, match=os.strerror(errno.ENOENT)):
            notices.hand_over(notice, listener, close_on_exec=True)
        assert notices.receive(listener) is None
