"""custody runs agent work as deterministic pipelines and leaves evidence that can be checked.

The names below are the public API; `custody.api` has the rest of what the command line uses.
They are loaded when first asked for, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from custody.api import RunResult, check, fork, load, replay, resume, run, verify
    from custody.engine.replay import Replay
    from custody.engine.verification import Mismatch, Verification
    from custody.errors import CustodyError
    from custody.executors.agents import Agent, AgentContext, AgentType
    from custody.executors.sessions import Session, SessionReply
    from custody.executors.settings import Settings, setting
    from custody.model.graph import Pipeline
    from custody.model.need import Need
    from custody.model.outcome import Outcome
    from custody.model.request import Ack, AgentRequest, Request
    from custody.model.session import SessionKind
    from custody.sandbox.stage import Stage

__all__ = [
    "Ack",
    "Agent",
    "AgentContext",
    "AgentRequest",
    "AgentType",
    "CustodyError",
    "Mismatch",
    "Need",
    "Outcome",
    "Pipeline",
    "Replay",
    "Request",
    "RunResult",
    "Session",
    "SessionKind",
    "SessionReply",
    "Settings",
    "Stage",
    "Verification",
    "check",
    "fork",
    "load",
    "replay",
    "resume",
    "run",
    "setting",
    "verify",
]

_HOMES = {
    "Ack": "custody.model.request",
    "Agent": "custody.executors.agents",
    "AgentContext": "custody.executors.agents",
    "AgentRequest": "custody.model.request",
    "AgentType": "custody.executors.agents",
    "CustodyError": "custody.errors",
    "Mismatch": "custody.engine.verification",
    "Need": "custody.model.need",
    "Outcome": "custody.model.outcome",
    "Pipeline": "custody.model.graph",
    "Replay": "custody.engine.replay",
    "Request": "custody.model.request",
    "Session": "custody.executors.sessions",
    "SessionKind": "custody.model.session",
    "SessionReply": "custody.executors.sessions",
    "Settings": "custody.executors.settings",
    "Stage": "custody.sandbox.stage",
    "Verification": "custody.engine.verification",
    "setting": "custody.executors.settings",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'custody' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "custody.api")), name)
