"""Domains of the kernel's Landlock, in which whatever a stage starts has to live.

Whatever is started enters one that keeps sockets and signals inside, at any level: nothing that a
stage holds open, such as a descriptor of a file in its workspace, can be handed to a process
that outlives it that way. From L2 on it says which files can be reached, too. There is one domain
and no second around it: each would have to allow that files are moved between folders, and one
made outside of a sandbox knows none of the folders in there.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from collections.abc import Iterable
from typing import NamedTuple

from custody.sandbox import kernel
from custody.store.identities import Identity

ABI_WITH_SCOPES = 6
ABI_WITH_TCP = 4
ABI_WITH_MOVES = 2
"""Before it, no file could be moved from one folder to another."""

_GET_ABI = 1
_PATH_BENEATH, _NETWORK_PORT = 1, 2
_SET_NO_NEW_PRIVS = 38
_SCOPES = 0b11
_CONNECT_AND_BIND, _CONNECT = 0b11, 0b10

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MOVE, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15
_DEVICES = 1 << 6 | 1 << 11
"""Making character and block devices."""
_RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15}
_ALL_RIGHTS = (1 << 16) - 1
_OF_A_FILE = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL

_LEADS_NOWHERE = {errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP}

READ = _EXECUTE | _READ | _LIST
CHANGE = _ALL_RIGHTS & ~_DEVICES & ~_IOCTL
DEVICE = _READ | _WRITE | _IOCTL


class Rule(NamedTuple):
    """What may be done to a file, or to all below a folder."""

    path: str
    rights: int


class _RulesetAttributes(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathAttributes(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


class _PortAttributes(ctypes.Structure):
    _fields_ = (("allowed_access", ctypes.c_uint64), ("port", ctypes.c_uint64))


def abi() -> int:
    """Return which Landlock this kernel has; 0 for none."""
    try:
        return kernel.call("landlock_create_ruleset", 0, 0, _GET_ABI)
    except (OSError, KeyError):
        return 0


def refusal() -> int:
    """Return what asking for Landlock fails with, as an error number; 0 for nothing."""
    try:
        kernel.call("landlock_create_ruleset", 0, 0, _GET_ABI)
    except OSError as error:
        return error.errno or errno.ENOSYS
    except KeyError:
        return errno.ENOSYS
    return 0


def has_scopes() -> bool:
    """Whether this kernel can keep sockets and signals inside a domain."""
    return abi() >= ABI_WITH_SCOPES


def make_domain() -> int | None:
    """Return the ruleset of a domain that keeps sockets and signals inside; None without scopes.

    A domain lets no file be moved or linked from one folder to another unless it says so.
    """
    if not has_scopes():
        return None
    ruleset = _create(_RulesetAttributes(handled_access_fs=_MOVE, scoped=_SCOPES))
    _add(ruleset, Rule("/", _MOVE), _MOVE)
    return ruleset


def make_ruleset(rules: Iterable[Rule], *, network: bool, ports: Iterable[int] = ()) -> int:
    """Return a ruleset: nothing but ``rules`` can be reached; no TCP unless ``network``.

    Connections to ``ports`` can be made nevertheless, whatever the address.
    """
    version = abi()
    keeps_tcp = version >= ABI_WITH_TCP and not network
    ruleset = _create(
        _RulesetAttributes(
            handled_access_fs=_handled(version),
            handled_access_net=_CONNECT_AND_BIND if keeps_tcp else 0,
            scoped=_SCOPES if version >= ABI_WITH_SCOPES else 0,
        )
    )
    add_rules(ruleset, rules)
    for port in ports if keeps_tcp else ():
        door = _PortAttributes(_CONNECT, port)
        kernel.call("landlock_add_rule", ruleset, _NETWORK_PORT, ctypes.byref(door), 0)
    return ruleset


def add_rules(ruleset: int, rules: Iterable[Rule]) -> tuple[Identity, ...]:
    """Let more be reached, by whoever enters the ruleset's domain from now on.

    Returns what each rule is about; nothing else gets its number as long as there is the ruleset.
    """
    handled = _handled(abi())
    return tuple([_add(ruleset, rule, handled) for rule in rules])


def _handled(version: int) -> int:
    """Return the rights to files that a version of Landlock knows."""
    return (1 << _RIGHTS_BY_ABI.get(version, 16)) - 1


def restrict(ruleset: int) -> None:
    """Enter the domain that a ruleset describes; no program started gains rights any more."""
    kernel.prctl(_SET_NO_NEW_PRIVS, 1)
    kernel.call("landlock_restrict_self", ruleset, 0)


def _create(attributes: _RulesetAttributes) -> int:
    size = ctypes.sizeof(attributes)
    while True:
        try:
            return kernel.call("landlock_create_ruleset", ctypes.byref(attributes), size, 0)
        except OSError as error:
            # An older kernel knows fewer fields; those that are not used can be left away.
            if error.errno != errno.E2BIG or size == ctypes.sizeof(ctypes.c_uint64):
                raise
            size -= ctypes.sizeof(ctypes.c_uint64)


def _add(ruleset: int, rule: Rule, handled: int) -> Identity:
    try:
        target = os.open(rule.path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in _LEADS_NOWHERE:
            return None  # what is not there cannot be reached
        raise
    try:
        about = os.fstat(target)
        rights = (
            rule.rights & handled & (_ALL_RIGHTS if stat.S_ISDIR(about.st_mode) else _OF_A_FILE)
        )
        attributes = _PathAttributes(rights, target)
        kernel.call("landlock_add_rule", ruleset, _PATH_BENEATH, ctypes.byref(attributes), 0)
        return about.st_dev, about.st_ino
    finally:
        os.close(target)
