"""custody runs agent work as deterministic pipelines and leaves evidence that can be checked.

The names below are the public API; `custody.api` has the rest of what the command line uses.
They are loaded when first asked for, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from custody.api import RunResult, check, fork, load, replay, resume, run, verify
    from custody.engine.replay import Replay
    from custody.engine.verify import Mismatch, Verification
    from custody.errors import CustodyError

__all__ = [
    "CustodyError",
    "Mismatch",
    "Replay",
    "RunResult",
    "Verification",
    "check",
    "fork",
    "load",
    "replay",
    "resume",
    "run",
    "verify",
]

_HOMES = {
    "CustodyError": "custody.errors",
    "Mismatch": "custody.engine.verify",
    "Replay": "custody.engine.replay",
    "Verification": "custody.engine.verify",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'custody' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "custody.api")), name)
