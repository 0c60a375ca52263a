"""The first process of a sandbox, as its server sees it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from custody.sandbox import apply
from custody.sandbox.confinement import Confinement
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
