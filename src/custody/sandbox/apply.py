"""Puts a process into its confinement, between fork and exec.

Either everything that the confinement asks for holds, or `CannotConfine` says what does not
and nothing is started.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from custody.model.limits import StageLimits
from custody.sandbox import kernel, landlock, mount_list, namespaces, rootfs, seccomp
from custody.sandbox.confinement import Confinement
from custody.sandbox.landlock import CHANGE, DEVICE, READ, Rule
from custody.sandbox.listeners import Opened, hand_over, open_listeners


class CannotConfine(Exception):
    """The confinement cannot be had; says why in a few words."""


@contextmanager
def telling() -> Iterator[None]:
    """Turn whatever goes wrong inside into `CannotConfine`."""
    try:
        yield
    except OSError as error:
        raise CannotConfine(error.strerror or str(error)) from None
    except (ValueError, LookupError) as error:
        raise CannotConfine(f"{type(error).__name__}: {error}") from None


def clone_inside(base: Confinement) -> int:
    """Fork the first process of an L3 sandbox; return 0 in it."""
    with telling():
        _require(landlock.ABI_WITH_MOVES)
        return namespaces.clone(base.network)


def is_current(base: Confinement) -> bool:
    """Whether a sandbox that this process has laid out before shows what is there now."""
    return rootfs.is_current(base)


def die_with_parent() -> None:
    """Let the first process of a sandbox end with the process server that forked it."""
    with telling():
        namespaces.die_with_parent()


class LaidOut(NamedTuple):
    """What the first process of a sandbox holds when it has laid it out."""

    listeners: Opened
    """Those of its network, open."""
    processes: int
    """Shows every process of the sandbox, see `rootfs.lay_out`."""
    mounts: mount_list.Namespaces


def lay_out(base: Confinement, user: int, group: int) -> LaidOut:
    """Do in that process what needs no workspace; it stays the same user and group outside."""
    with telling():
        namespaces.take_identity(user, group)
        namespaces.hide_memory()
        if base.network == "loopback" or base.listeners:
            namespaces.bring_up_loopback()
        mounts = mount_list.make_empty(rootfs.STAND)
        processes = rootfs.lay_out(base)
        return LaidOut(open_listeners(base.listeners), processes, mounts)


def move_in(confinement: Confinement, laid_out: LaidOut, handover: int) -> None:
    """Do the rest; from here on nothing that is not named can be reached.

    The listeners go out by ``handover``, which is of no use to anybody afterwards.
    """
    with telling():
        hand_over(laid_out.listeners, handover)
        os.close(handover)
        rootfs.move_in(confinement)
        mount_list.leave_the_list(laid_out.mounts)
        lower_limits(confinement.limits, alone=True)
        namespaces.drop_capabilities()
        ruleset = landlock.make_ruleset(
            rootfs.rules(confinement),
            network=confinement.network != "none",
            ports=_ports(confinement),
        )
        landlock.restrict(ruleset)
        os.close(ruleset)
        seccomp.restrict(confinement)


def prepare(confinement: Confinement) -> int:
    """Return the ruleset of an L2 confinement, made once for all its processes."""
    with telling():
        _require(landlock.ABI_WITH_MOVES)
        if confinement.network == "loopback":
            raise CannotConfine("a network of loopback alone needs L3")
        if confinement.layers or confinement.cache_layers:
            raise CannotConfine("layers need L3")
        if confinement.listeners and landlock.abi() < landlock.ABI_WITH_TCP:
            raise CannotConfine(
                f"a closed network with servers in reach needs Landlock ABI {landlock.ABI_WITH_TCP}"
                " at L2"
            )
        if confinement.home:
            os.makedirs(confinement.home, exist_ok=True)
        return landlock.make_ruleset(
            _rules(confinement),
            network=confinement.network == "host",
            ports=_ports(confinement),
        )


def restrict(confinement: Confinement, ruleset: int) -> int:
    """Put this thread, and what it starts, under an L2 confinement.

    Returns the descriptor by which it asks for memory and sockets; -1 for none.
    """
    with telling():
        if confinement.user is not None and os.geteuid() == 0:
            namespaces.become(confinement.user)
        namespaces.drop_capabilities()
        landlock.restrict(ruleset)
        return seccomp.restrict(confinement)


def _require(version: int) -> None:
    if not kernel.is_known_machine():
        raise CannotConfine(f"the calls of {kernel.MACHINE} are not known")
    if (found := landlock.abi()) < version:
        raise CannotConfine(
            f"Landlock ABI {version} is needed, and the kernel has {found or 'none'}"
        )


def _ports(confinement: Confinement) -> set[int]:
    return {listener.port for listener in confinement.listeners}


def _rules(confinement: Confinement) -> list[Rule]:
    changeable = confinement.changed(confinement.workspace)
    changeable += [*filter(None, [confinement.cache]), *confinement.writable]
    return [
        *(Rule(path, READ) for path in (*rootfs.readable(confinement), confinement.workspace)),
        *(Rule(path, CHANGE) for path in changeable),
        *(Rule(f"/dev/{name}", DEVICE) for name in rootfs.DEVICES),
    ]


def lower_limits(limits: StageLimits, *, alone: bool) -> None:
    """Lower what the kernel lets this process and its children have; it never raises a limit.

    Processes are counted by user, everywhere on the machine; but in a user namespace of its own,
    ``alone``, just those that are in it. Root of the machine is not held to it even there.
    """
    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_NOFILE: limits.open_files + 1}
    if alone:  # this process is one of them, and one more shows that the limit was exceeded
        wanted[resource.RLIMIT_NPROC] = limits.processes + 2
    for kind, value in wanted.items():
        soft, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (_lower(value, soft), _lower(value, hard)))


def _lower(wanted: int, now: int) -> int:
    return wanted if now == resource.RLIM_INFINITY else min(wanted, now)
