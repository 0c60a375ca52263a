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
from custody.sandbox.dumps import end_dumps
from custody.sandbox.landlock import CHANGE, READ, Rule
from custody.sandbox.listeners import Opened, hand_over, open_listeners
from custody.store.identities import LedTo


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


def die_with_parent() -> None:
    """Let the first process of a sandbox end with the process server that forked it."""
    with telling():
        namespaces.die_with_parent()


class LaidOut(NamedTuple):
    """What the first process of a sandbox holds when it has laid it out."""

    listeners: Opened
    """Those of its network, open."""
    root: rootfs.LaidRoot
    mounts: mount_list.Namespaces
    ruleset: int
    """What Landlock allows, the workspace and the caches aside."""

    def is_current(self) -> bool:
        """Whether it shows what is there now."""
        return self.root.shown.holds()


def lay_out(base: Confinement, user: int, group: int) -> LaidOut:
    """Do in that process what needs no workspace; it stays the same user and group outside.

    Nobody waits for this, as a rule; for what `move_in` does, somebody does.
    """
    with telling():
        namespaces.take_identity(user, group)
        namespaces.hide_memory()
        if base.network == "loopback" or base.listeners:
            namespaces.bring_up_loopback()
        mounts = mount_list.make_empty(rootfs.STAND)
        root = rootfs.lay_out(base)
        ruleset = landlock.make_ruleset(
            rootfs.base_rules(base), network=base.network != "none", ports=_ports(base)
        )
        seccomp.program(base, memory=False)  # which remembers it
        return LaidOut(open_listeners(base.listeners), root, mounts, ruleset)


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
        landlock.add_rules(laid_out.ruleset, rootfs.stage_rules(confinement))
        landlock.restrict(laid_out.ruleset)
        os.close(laid_out.ruleset)
        seccomp.restrict(confinement)


class Groundwork(NamedTuple):
    """The part of an L2 confinement's ruleset that is the same for every workspace."""

    base: Confinement
    ruleset: int
    reached: LedTo
    """What its rules are about."""

    def suits(self, confinement: Confinement) -> bool:
        """Whether it is what this confinement begins with, and is about what is there now."""
        return self.base == confinement.base and self.reached.holds()


def lay_groundwork(base: Confinement) -> Groundwork:
    """Do for an L2 confinement what needs no workspace; most of it, since most rules do not."""
    with telling():
        _require(landlock.ABI_WITH_MOVES)
        if base.network == "loopback":
            raise CannotConfine("a network of loopback alone needs L3")
        if base.listeners and landlock.abi() < landlock.ABI_WITH_TCP:
            raise CannotConfine(
                f"a closed network with servers in reach needs Landlock ABI {landlock.ABI_WITH_TCP}"
                " at L2"
            )
        ruleset = landlock.make_ruleset((), network=base.network == "host", ports=_ports(base))
        try:
            return Groundwork(base, ruleset, rootfs.allow_base(ruleset, base))
        except OSError:
            os.close(ruleset)
            raise


def prepare(confinement: Confinement, groundwork: Groundwork | None = None) -> int:
    """Return the ruleset of an L2 confinement, made once for all its processes.

    It is that of the ``groundwork``, which must suit; by default another is laid.
    """
    with telling():
        if confinement.layers or confinement.cache_layers:
            raise CannotConfine("layers need L3")
        ruleset = (groundwork or lay_groundwork(confinement.base)).ruleset
        try:
            if confinement.home:
                os.makedirs(confinement.home, exist_ok=True)
            landlock.add_rules(ruleset, _stage_rules(confinement))
        except OSError:
            os.close(ruleset)
            raise
        return ruleset


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


def _stage_rules(confinement: Confinement) -> list[Rule]:
    changeable = confinement.changed(confinement.workspace)
    changeable += filter(None, [confinement.cache])
    return [Rule(confinement.workspace, READ), *(Rule(path, CHANGE) for path in changeable)]


def lower_limits(limits: StageLimits, *, alone: bool) -> None:
    """Lower what the kernel lets this process and its children have; it never raises a limit.

    Processes are counted by user, everywhere on the machine; but in a user namespace of its own,
    ``alone``, just those that are in it. Root of the machine is not held to it even there.
    """
    end_dumps()
    wanted = {resource.RLIMIT_NOFILE: limits.open_files + 1}
    if alone:  # this process is one of them, and one more shows that the limit was exceeded
        wanted[resource.RLIMIT_NPROC] = limits.processes + 2
    for kind, value in wanted.items():
        soft, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (_lower(value, soft), _lower(value, hard)))


def _lower(wanted: int, now: int) -> int:
    return wanted if now == resource.RLIM_INFINITY else min(wanted, now)
