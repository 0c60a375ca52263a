"""The first process of a sandbox does one thing, and never goes on as the server."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

from custody.sandbox.apply import CannotConfine
from custody.sandbox.confinement import Confinement
from custody.supervise.children import Children
from custody.supervise.command_list import End
from custody.supervise.protocol import Channel, Done, Stop
from custody.supervise.sandbox_init import Inside, Spare, fork_inside
from support.overlay import in_child
from support.sandboxes import Site


def echo(channel: Channel) -> NoReturn:
    """Say as what one was asked, and end."""
    channel.receive()
    channel.send(Done(End(os.getpid()), 0, 0))
    os._exit(0)


def fail(_: Channel) -> NoReturn:
    raise RuntimeError("whatever it is")


def exit_code(inside: Inside) -> int:
    inside.channel.close()
    return os.waitstatus_to_exitcode(os.waitpid(inside.first, 0)[1])


def test_it_is_asked_and_answers_as_the_first_process(site: Site) -> None:
    base = site.confinement("L3").base

    def work() -> tuple[object, ...]:
        inside = fork_inside(base, echo)
        inside.channel.send(Stop(kill=False))
        answer = inside.channel.receive()
        assert isinstance(answer, Done)
        return answer.end.exit_code, inside.base == base, exit_code(inside)

    assert in_child(work) == (1, True, 0)


def test_what_fails_in_it_ends_there(site: Site) -> None:
    base = site.confinement("L3").base

    def work() -> tuple[object, int]:
        inside = fork_inside(base, fail)
        return inside.channel.receive(), exit_code(inside)

    assert in_child(work) == (None, 1)


def test_it_notices_that_the_server_is_gone(site: Site) -> None:
    """No end of the pipe to it is left in the process itself."""
    base = site.confinement("L3").base

    def work() -> int:
        def wait(channel: Channel) -> NoReturn:
            os._exit(5 if channel.receive() is None else 6)

        return exit_code(fork_inside(base, wait))

    assert in_child(work) == 5


def test_no_descriptor_is_left_when_there_is_no_sandbox(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> int:
        raise CannotConfine("no namespaces")

    monkeypatch.setattr("custody.sandbox.apply.clone_inside", refuse)
    base = site.confinement("L3").base

    def work() -> tuple[str, bool]:
        before = os.listdir("/proc/self/fd")
        try:
            fork_inside(base, echo)
        except CannotConfine as error:
            return str(error), os.listdir("/proc/self/fd") == before
        return "", False

    assert in_child(work) == ("no namespaces", True)


def test_a_spare_is_made_once_and_given_to_whom_it_suits(site: Site) -> None:
    base, other = site.confinement("L3").base, site.confinement("L3", network="loopback").base

    def fork(wanted: Confinement) -> Inside:
        return fork_inside(wanted, echo)

    def work() -> tuple[object, ...]:
        children = Children()
        spare = Spare(children)
        nothing = spare.take(base)
        spare.make(base, fork)
        first = children.spared
        spare.make(base, fork)
        unchanged = children.spared == first
        taken = spare.take(base)
        assert taken is not None
        spare.make(other, fork)
        refused = spare.take(base)
        return nothing, unchanged, taken.first == first, refused, children.spared, children.reap()

    assert in_child(work) == (None, True, True, None, 0, False)


def test_where_there_can_be_no_spare_there_is_none(site: Site) -> None:
    base = site.confinement("L3").base

    def refuse(_: Confinement) -> Inside:
        raise CannotConfine("no namespaces")

    def work() -> tuple[object, int]:
        children = Children()
        spare = Spare(children)
        spare.make(base, refuse)
        return spare.take(base), children.spared

    assert in_child(work) == (None, 0)
