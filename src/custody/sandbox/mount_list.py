"""Keeps the list of mounts from programs: it tells where on this machine lies what they are shown.

The kernel lists the mounts of the namespace that a process is in, as far as they lie below its
root. So programs are in a namespace of which nothing can be reached, with their root in another: to
them nothing is mounted.

But only the mounts of one's own namespace hold the folders in place that they are on. So the
namespace of the programs has every mount once more, out of reach: otherwise whoever may change the
folder above could move one away, and put something else there.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from custody.sandbox import kernel
from custody.sandbox.namespaces import CLONE_NEW_MOUNTS

_OWN = "/proc/self/ns/mnt"
_READ = os.O_RDONLY | os.O_CLOEXEC
_FLAGS = 0b1111
"""Of the empty root: nothing in it is written, run, or a device."""


class Namespaces(NamedTuple):
    """Two mount namespaces, each by a descriptor."""

    first: int
    """The one that everything is mounted in. It is there as long as this is open."""
    empty: int


def make_empty(stand: str) -> Namespaces:
    """Make a namespace with nothing in it, and come back; ``stand`` is any folder."""
    first = os.open(_OWN, _READ)
    kernel.call("unshare", CLONE_NEW_MOUNTS)
    empty = os.open(_OWN, _READ)
    kernel.mount("empty", stand, "tmpfs", _FLAGS)
    os.chdir(stand)
    kernel.call("pivot_root", b".", b".")
    kernel.detach(".")
    kernel.call("setns", first, CLONE_NEW_MOUNTS)
    return Namespaces(first, empty)


def leave_the_list(namespaces: Namespaces) -> None:
    """Go on in the empty namespace, with the root that this process has in the first one."""
    root = os.open("/", os.O_PATH | os.O_CLOEXEC)
    again = kernel.call("open_tree", root, b"", kernel.CLONE_TREE | kernel.AT_EMPTY_PATH)
    kernel.call("setns", namespaces.empty, CLONE_NEW_MOUNTS)
    kernel.put_tree(again, "/")
    os.fchdir(root)
    kernel.call("chroot", b".")
    os.close(root)
    os.close(namespaces.empty)
