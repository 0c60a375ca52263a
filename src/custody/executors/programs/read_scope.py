"""What of the workspace an agent may see: everything but the holdouts, or only its own folders.

    <agent>.allow_read_scenarios   shows it the scenarios, which are hidden else
    <agent>.allow_read_secrets     shows it files that hold secrets, by name; they are hidden else
    <agent>.block_read_paths       hides more
    <agent>.strict_read_scope      shows it only ``workdir`` and ``add_dirs``, and its program

Nothing is moved away for it: what is hidden is not there in what the agent works on.
"""

from __future__ import annotations

from typing import NamedTuple

from custody.executors.settings import Settings, own_program
from custody.model.holdouts import SCENARIOS


class ReadScope(NamedTuple):
    """What an agent sees."""

    hidden: tuple[str, ...] = (SCENARIOS,)
    scope: tuple[str, ...] | None = None
    """Folders beside which it sees nothing; None shows all."""
    shown_secrets: tuple[str, ...] = ()
    """Files with secrets that it sees; see `custody.model.secret_files`."""


def read_scope(settings: Settings, blocked: str = "") -> ReadScope:
    """Return what the settings of an agent let it see; raises `UsageError` for a wrong path.

    ``blocked`` are further paths that are hidden, written as in the setting.
    """
    hidden = [] if settings.flag("allow_read_scenarios") else [SCENARIOS]
    hidden += map(str, settings.folders("block_read_paths"))
    if blocked:
        also = Settings(settings.agent, {f"{settings.agent}.block_read_paths": blocked}, {})
        hidden += map(str, also.folders("block_read_paths"))
    shown = settings.items("allow_read_secrets")
    if not settings.flag("strict_read_scope"):
        return ReadScope(tuple(hidden), None, shown)
    program = own_program(settings)
    return ReadScope(tuple(hidden), (*settings.own_folders(), *filter(None, [program])), shown)
