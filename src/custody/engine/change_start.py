"""What a change begins with: its documents, who has which role, and the commands that judge it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from custody.errors import Refused, UsageError
from custody.model import layout
from custody.model.contracts.change_settings import ChangeSettings
from custody.model.contracts.dispatch_config import (
    BY_CONTRACT,
    LIBRARIAN,
    LOCAL,
    RESEARCHER,
    ROLES,
    DispatchConfig,
)
from custody.model.graph import ROLE, Pipeline
from custody.model.record import decode, encode_pretty
from custody.pipeline.subpipeline import all_nodes

PIPELINE = "change"
GUARDRAILS = (
    b"# Guardrails\n\nfind_mode: resolver_only\nmax_files: 20\nmax_total_bytes: 200000\n"
    b"max_iterations: 3\n"
)
"""How far a change may go where the user says nothing else."""
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]+")


class WantedChange(NamedTuple):
    """What the user says about a change."""

    goal: str
    agent: str = ""
    config: bytes | None = None
    roles: Mapping[str, str] = {}
    documents: Mapping[str, bytes] = {}
    lite: Sequence[str] = ()
    full: Sequence[str] = ()
    land: str = ""


class ChangeStart(NamedTuple):
    """What the run is given."""

    documents: dict[str, bytes]
    roles: dict[str, str]
    variables: dict[str, str]
    packs: bool
    """Whether custody makes the context pack."""


def start_of(
    wanted: WantedChange, pipeline: Pipeline, settings: ChangeSettings | None = None
) -> ChangeStart:
    """Return what a run of the change is given; raises `UsageError`, or `MalformedDocument`.

    Where the user names no command of a gate, those that the repository's ``settings`` name count.
    """
    known = settings or ChangeSettings()
    lite = _commands("lite", wanted.lite or known.lite)
    full = _commands("full", wanted.full or known.full)
    if not wanted.goal.strip():
        raise UsageError("GOAL is missing", hint='custody change start "…"')
    if layout.DISPATCH_CONFIG in wanted.documents:
        what = f"{layout.DISPATCH_CONFIG} is no document to hand in"
        raise UsageError(what, hint="--config takes the file")
    if not lite:
        what = "no command judges the change"
        hint = "--lite 'make test', or lite = [\"make test\"] in [change] of custody.toml"
        raise UsageError(what, hint=hint)
    config = _config(wanted)
    named = {role for node in all_nodes(pipeline) if (role := node.text(ROLE))}
    return ChangeStart(
        documents={
            layout.GUARDRAILS: GUARDRAILS,
            **wanted.documents,
            layout.DISPATCH_CONFIG: encode_pretty(config),
        },
        roles={role: agent for role, agent in config.agents().items() if role in named},
        variables={
            "task": wanted.goal,
            "lite": "\n".join(lite),
            "full": "\n".join(full),
            "land": wanted.land,
        },
        packs=not config.manual_librarian and layout.CONTEXT_PACK not in wanted.documents,
    )


def _commands(gate: str, given: Sequence[str]) -> list[str]:
    """Return the commands of a gate; raises `UsageError` for one that no run would start."""
    from custody.checks.guards.plan import admit_required

    commands = [line.strip() for text in given for line in text.splitlines() if line.strip()]
    try:
        admit_required(commands)
    except Refused as refused:
        raise UsageError(f"the gate {gate}: {refused.what}", hint=refused.hint) from None
    return commands


def _config(wanted: WantedChange) -> DispatchConfig:
    """Return who has which role: by the options, the configuration, the agent, in this order."""
    given = wanted.config
    config = (
        DispatchConfig()
        if given is None
        else decode(given, DispatchConfig, where=layout.DISPATCH_CONFIG)
    )
    by_agent = dict.fromkeys(ROLES, wanted.agent) if wanted.agent and given is None else {}
    by_agent |= dict.fromkeys((LIBRARIAN, BY_CONTRACT, RESEARCHER), LOCAL) if by_agent else {}
    providers = {**by_agent, **config.role_providers, **wanted.roles}
    config = replace(config, role_providers=providers)
    if faults := config.faults():
        raise UsageError(
            f"{layout.DISPATCH_CONFIG}: {faults[0]}", hint=f"roles: {', '.join(ROLES)}"
        )
    return config


def slug_of(name: str) -> str:
    """Return what the folder of a repository's changes is called."""
    return _UNFIT.sub("-", name).strip("-.") or "repository"
