"""Which processes have been started, and how they are ended."""

from __future__ import annotations

import os
import signal

_ROUNDS = 20
"""After as many looks for new descendants those that there are have to do."""
_USER_TICKS = 11
"""Where the time stands that a process has computed, counted from its state on."""
_CHILDREN_TICKS = 13
"""Where that of its children stands which it has waited for."""


def children(process: int) -> list[int]:
    """Return the children of a process, those that have ended included."""
    try:
        tasks = [f"/proc/{process}/task/{task}" for task in os.listdir(f"/proc/{process}/task")]
        listed = b" ".join(read(f"{task}/children") for task in tasks)
    except (FileNotFoundError, ProcessLookupError):
        # No list is kept, or a thread has ended meanwhile; or all of it has.
        return children_by_search(process) if _stat(process) else []
    return [int(pid) for pid in listed.split()]


def children_by_search(process: int) -> list[int]:
    """Do the same by looking at every process, for kernels that keep no list."""
    everybody = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [other for other in everybody if parent(other) == process]


def descendants(process: int) -> list[int]:
    """Return the children of a process, and theirs."""
    found: list[int] = []
    waiting = [process]
    while waiting:
        below = children(waiting.pop())
        found += below
        waiting += below
    return found


def marked(mark: bytes, *, without: bytes) -> list[int]:
    """Return the processes that were started with one text in their environment, not another.

    Those of other users cannot be asked, and are left out.
    """
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = read(f"/proc/{name}/environ")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        if mark in environment and without not in environment:
            found.append(int(name))
    return found


def process_state(process: int) -> tuple[str, float]:
    """Return the kernel's letter for what a process does, and the seconds it has computed.

    The letter is ``X`` for one that is gone.
    """
    fields = _stat(process)
    if not fields:
        return "X", 0.0
    ticks = int(fields[_USER_TICKS]) + int(fields[_USER_TICKS + 1])
    return fields[0].decode(), ticks / os.sysconf("SC_CLK_TCK")


def computed_below(process: int) -> float:
    """Return the seconds that everything below a process has computed, what has ended included.

    What the process itself computes is not counted.
    """
    ticks = _ticks(process, _CHILDREN_TICKS)
    for below in descendants(process):
        ticks += _ticks(below, _USER_TICKS) + _ticks(below, _CHILDREN_TICKS)
    return ticks / os.sysconf("SC_CLK_TCK")


def _ticks(process: int, where: int) -> int:
    return sum(map(int, _stat(process)[where : where + 2]))


def parent(process: int) -> int:
    """Return the parent of a process; 0 for one that is gone."""
    fields = _stat(process)
    return int(fields[1]) if fields else 0


def _stat(process: int) -> list[bytes]:
    """Return what the kernel says of a process, from its state on; nothing when it is gone."""
    try:
        # The name of the program stands in brackets and may hold anything.
        return read(f"/proc/{process}/stat").rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def read(path: str) -> bytes:
    """Return what a file below /proc says."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = b""
        while part := os.read(file, 65536):
            data += part
        return data
    finally:
        os.close(file)


def send_end(child: int, *, kill: bool) -> None:
    """End a child and its group.

    With SIGKILL the group is read after the signal: a process about to die changes its group
    no more. With SIGTERM only a group that the child leads is reached. Either way the number
    of the group belongs to nobody else until the child has been waited for.
    """
    try:
        if kill:
            os.kill(child, signal.SIGKILL)
            group = os.getpgid(child)
            if group != os.getpgrp():  # one just forked may not have left the caller's yet
                os.killpg(group, signal.SIGKILL)
        elif os.getpgid(child) == child:
            os.killpg(child, signal.SIGTERM)
        else:
            os.kill(child, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return  # it has ended, or runs as another user now and will be told as a survivor


def freeze(server: int) -> None:
    """Stop every descendant, so that none can fork out of the way of what follows.

    A number that was given away meanwhile is of somebody else: it is held by a descriptor first,
    and signalled only when it is a descendant's still. The first process of a sandbox has no need
    of this: it can end all at once.
    """
    if server == 1:
        return
    stopped: set[int] = set()
    for _ in range(_ROUNDS):
        new = set(descendants(server)) - stopped
        if not new:
            return
        for process in new:
            _stop(process, server)
        stopped |= new


def _stop(process: int, server: int) -> None:
    try:
        door = os.pidfd_open(process)
    except OSError:
        return  # it is gone
    try:
        if _is_below(process, server):
            signal.pidfd_send_signal(door, signal.SIGSTOP)
    except (ProcessLookupError, PermissionError):
        return
    finally:
        os.close(door)


def _is_below(process: int, server: int) -> bool:
    while process > 1:
        process = parent(process)
        if process == server:
            return True
    return False


def kill_all(left: list[int]) -> None:
    """Kill children; from the first process of a sandbox, everything in it at once."""
    if os.getpid() != 1:
        for child in left:
            send_end(child, kill=True)
        return
    try:
        os.kill(-1, signal.SIGKILL)  # nobody can fork out of the way of this
    except ProcessLookupError:
        return
