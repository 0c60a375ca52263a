"""Signals are let in only where a run can be left safely."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from custody.engine.interruption import Interruption


def send(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)


def wait_at_the_door(interruption: Interruption) -> None:
    with interruption.allowed():
        signal.pause()


@pytest.mark.req("G-15")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_a_note_and_interrupts_at_the_next_door(number: signal.Signals) -> None:
    with Interruption() as interruption:
        assert interruption.requested == ""
        send(number)
        assert interruption.requested == number.name
        with pytest.raises(KeyboardInterrupt), interruption.allowed():
            pytest.fail("it was let in")


def test_a_signal_interrupts_what_waits_at_an_open_door() -> None:
    with Interruption() as interruption:
        sender = threading.Timer(0.05, send, (signal.SIGTERM,))
        sender.start()
        with pytest.raises(KeyboardInterrupt):
            wait_at_the_door(interruption)
        sender.join()
        assert interruption.requested == "SIGTERM"


def test_a_door_is_shut_again() -> None:
    with Interruption() as interruption:
        with interruption.allowed():
            pass
        send(signal.SIGINT)
        assert interruption.requested == "SIGINT"


def test_the_signals_are_as_they_were_afterwards() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with Interruption():
        assert signal.getsignal(signal.SIGTERM) != before[1]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_another_thread_leaves_them_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def work() -> None:
        with Interruption() as interruption, interruption.allowed():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


@pytest.mark.req("G-15")
def test_who_ignores_the_end_of_the_terminal_goes_on() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interruption() as interruption:
            send(signal.SIGHUP)
            with interruption.allowed():
                assert interruption.requested == ""
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
