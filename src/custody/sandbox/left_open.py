"""What L2 leaves open: the whole list, as the tests find it and `custody doctor` prints it.

L2 has neither namespaces nor mounts of its own. Landlock knows of opening files and of little else,
and the filter of system calls sees numbers but no path.
"""

from __future__ import annotations

from typing import NamedTuple


class Opening(NamedTuple):
    """Something that programs at L2 can do although it is no business of theirs."""

    name: str
    what: str


LEFT_OPEN = (
    Opening(
        "names",
        "names, sizes, owners, modes, times and attributes of files outside can be seen, where"
        " links lead, and how full a disk is; changes of files can be watched",
    ),
    Opening(
        "modes",
        "mode, times and group of files that belong to the user can be changed, of devices and of"
        " the folders shown too; what is in them cannot",
    ),
    Opening(
        "arguments",
        "the machine's processes can be listed, with the arguments, state, limits, mounts and"
        " control groups of each, and the end of each waited for",
    ),
    Opening(
        "machine",
        "what /proc tells of the machine can be read: mounts, locks, sockets and connections, names"
        " of keys, of segments of memory and of control groups; by root also how the kernel uses"
        " its memory",
    ),
    Opening("run directory", "the path of the run directory is part of the workspace's"),
    Opening("hidden paths", "nothing of the workspace can be hidden: a stage that must is refused"),
)
"""With the Landlock of Linux 6.12 (ABI 6) or later."""

OLDER = (
    (6, Opening("signals", "processes of the same user can be signalled")),
    (
        6,
        Opening(
            "abstract sockets", "with network=host, sockets without a path can be connected to"
        ),
    ),
    (4, Opening("reach", "single servers cannot be put in reach: such a stage is refused")),
)
"""What more is open, or missing, before an ABI of Landlock."""


def left_open(abi: int) -> tuple[Opening, ...]:
    """Return what L2 leaves open on a kernel whose Landlock has that ABI."""
    return (*LEFT_OPEN, *(opening for first, opening in OLDER if abi < first))
