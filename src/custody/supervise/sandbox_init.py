"""The first process of a sandbox, as its server sees it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from custody.sandbox import apply
from custody.sandbox.confinement import Confinement
from custody.supervise.children import Children
from custody.supervise.detach import two_pipes, wait_for_threads
from custody.supervise.protocol import Channel


class Inside(NamedTuple):
    """The first process of a sandbox, and how to talk to it."""

    first: int
    channel: Channel
    base: Confinement


def fork_inside(base: Confinement, be_first: Callable[[Channel], NoReturn]) -> Inside:
    """Fork the first process of a sandbox, which does ``be_first`` and nothing else.

    Raises `apply.CannotConfine`, and never in the child.
    """
    server = os.getpid()
    with apply.telling():
        wait_for_threads()
        down, up = two_pipes()
    try:
        first = apply.clone_inside(base)
        if first == 0:
            os.close(down[1])  # or it would never see that the server is gone
            os.close(up[0])
            be_first(Channel(down[0], up[1]))
    except apply.CannotConfine:
        os.close(down[1])
        os.close(up[0])
        raise
    finally:
        if os.getpid() != server:
            os._exit(1)  # whatever happens in the child, it must not go on as the server
        os.close(down[0])
        os.close(up[1])
    return Inside(first, Channel(up[0], down[1]), base)


class Spare:
    """The first process of the next sandbox, forked before anybody has asked for one."""

    def __init__(self, children: Children) -> None:
        self._children = children
        self._inside: Inside | None = None

    def make(self, base: Confinement, fork: Callable[[Confinement], Inside]) -> None:
        """Have one, unless there is one."""
        if self._children.spared:
            return
        self._drop()
        try:
            self._inside = fork(base)
        except apply.CannotConfine:
            return  # the next line tries again and tells why
        self._children.spared = self._inside.first

    def take(self, base: Confinement) -> Inside | None:
        """Return the one that there is, if it shows what is asked for; else end it."""
        self._children.reap()  # it is not spared any more when it has ended
        there, self._children.spared = self._children.spared, 0
        if self._inside is not None and there and self._inside.base == base:
            spare, self._inside = self._inside, None
            return spare
        self._drop()
        self._children.kill()
        return None

    def _drop(self) -> None:
        if self._inside is not None:
            self._inside.channel.close()
            self._inside = None
