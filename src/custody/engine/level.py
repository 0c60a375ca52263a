"""How the programs of a run are confined: chosen once, before the first of them is started.

The best level that the machine has is taken, but never none at all: a run goes unconfined only
when it is asked for by name. A level that was chosen holds for the whole run. A machine that has
it no more refuses to go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from custody.errors import ConfinementMissing, UsageError
from custody.handlers import handlers
from custody.model.confinement import LEVELS, ChosenLevel, Level
from custody.model.graph import Pipeline, agent_of_role
from custody.pipeline.subpipeline import all_nodes

if TYPE_CHECKING:
    from custody.supervise.probe import Offer

UNCONFINED: Level = "L1"


def choose(
    pipeline: Pipeline,
    agent: str,
    roles: Mapping[str, str] = MappingProxyType({}),
    *,
    asked: str,
    folder: str,
) -> ChosenLevel | None:
    """Return the level for a run in ``folder``; None when none of its stages starts a program.

    ``asked`` is the name of a level, or empty for the best one. Raises `ConfinementMissing`.
    """
    if asked and asked not in LEVELS:
        raise UsageError(f"no level named {asked!r}", hint=f"one of {', '.join(LEVELS)}")
    if not asked and not starts_programs(pipeline, agent, roles):
        return None
    if asked == UNCONFINED:
        return ChosenLevel(level=UNCONFINED, asked=True)
    from custody.supervise.probe import offered

    return pick(offered(folder), asked)


def pick(offer: Offer, asked: Level | Literal[""]) -> ChosenLevel:
    """Return what is taken of an offer; raises `ConfinementMissing` when it has no such thing."""
    level = asked or offer.level
    if level == UNCONFINED or not offer.has(level):
        raise _missing(asked, offer.reasons)
    return ChosenLevel(level=level, asked=bool(asked), reasons=offer.reasons)


def require(chosen: ChosenLevel | None, *, folder: str) -> None:
    """Raise `ConfinementMissing` when this machine does not have the level of a run."""
    if chosen is None or chosen.level == UNCONFINED:
        return
    from custody.supervise.probe import offered

    offer = offered(folder)
    if not offer.has(chosen.level):
        raise _missing(chosen.level, offer.reasons)


def starts_programs(
    pipeline: Pipeline, agent: str, roles: Mapping[str, str] = MappingProxyType({})
) -> bool:
    """Whether a stage of this pipeline may start a program."""
    known = handlers()
    return any(
        known[node.type].starts_programs(node, agent_of_role(node, agent, roles))
        for node in all_nodes(pipeline)
    )


def _missing(level: str, reasons: dict[str, str]) -> ConfinementMissing:
    from custody.supervise.obstacles import obstacles, surroundings

    found = obstacles(reasons, surroundings())
    whys = [f"{name}: {reason}" for name, reason in reasons.items()]
    why = "; ".join([*whys, *(obstacle.what for obstacle in found)])
    what = f"this machine cannot confine programs{f' at {level}' if level else ''} ({why})"
    hints = [obstacle.hint for obstacle in found] or ["`custody doctor` says more"]
    unconfined = f"--confinement {UNCONFINED} runs them unconfined, and the record says so"
    return ConfinementMissing(what, hint="; ".join([*hints, unconfined]))
