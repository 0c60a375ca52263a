"""A domain of the kernel's Landlock, in which whatever a stage starts has to live.

Programs in it can neither reach abstract sockets nor signal processes outside it, and none of
them can gain privileges by starting another. So nothing that a stage holds open, such as a
descriptor of a file in its workspace, can be handed to a process that outlives it that way.
"""

from __future__ import annotations

import ctypes
import os

_CREATE_RULESET = 444
_RESTRICT_SELF = 446
_GET_ABI = 1
_ABI_WITH_SCOPES = 6
_SCOPE_ABSTRACT_UNIX_SOCKET = 1
_SCOPE_SIGNAL = 2
_SET_NO_NEW_PRIVS = 38

_libc = ctypes.CDLL(None, use_errno=True)


class _RulesetAttributes(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


def has_scopes() -> bool:
    """Whether this kernel can keep sockets and signals inside a domain."""
    return bool(_libc.syscall(_CREATE_RULESET, None, 0, _GET_ABI) >= _ABI_WITH_SCOPES)


def enter_domain() -> bool:
    """Put this process and all its children to come into a domain; False where there is none."""
    if not has_scopes():
        return False
    attributes = _RulesetAttributes(scoped=_SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL)
    ruleset = _checked(
        _libc.syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.sizeof(attributes), 0)
    )
    try:
        _checked(_libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        _checked(_libc.syscall(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)
    return True


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
