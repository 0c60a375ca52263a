"""Crashes that leave no dump: neither as a file nor with a program of the machine's.

Many machines have the kernel hand dumps to a program, which runs outside of any sandbox, as root,
and keeps what it gets. A limit of 0 bytes keeps files away and no more: the program is started all
the same. At a limit of 1 byte, into which no dump fits either, it is not.
"""

from __future__ import annotations

import resource

_TOO_SMALL = 1


def end_dumps() -> None:
    """Let neither this process nor its children be dumped.

    Who may have no dump at all can have no other limit, and is left as it is.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    limit = min(_TOO_SMALL, hard) if hard != resource.RLIM_INFINITY else _TOO_SMALL
    resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))
