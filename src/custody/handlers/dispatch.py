"""What a role is told beside its task: budgets, and the briefs of a provider. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.errors import MalformedDocument
from custody.handlers import Situation
from custody.handlers.rounds import document, guardrails
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.record import decode

if TYPE_CHECKING:
    from custody.model.contracts.dispatch_config import DispatchConfig

BRIEFED = frozenset({"command", "api_agent"})
"""Agents that get the four briefs."""
_CONTEXT_LIMIT = 64 << 10
_PLANS = frozenset({layout.PLAN, layout.PLAN_DRAFT, layout.ANALYSIS})


def dispatched(settings: dict[str, str], target: str, situation: Situation) -> dict[str, str]:
    """Return the settings of an agent with the budgets of the change, where it says none."""
    known = {f"outbox.{name}": value for name, value in _budgets(situation)}
    return {**known, **by_target(target), **settings}


def by_target(target: str) -> dict[str, str]:
    """Return which command line asks for a document, as a setting; none for most."""
    kind = "patch" if target == layout.PATCH else "plan" if target in _PLANS else ""
    return {"command.target": kind} if kind else {}


def _budgets(situation: Situation) -> Iterator[tuple[str, str]]:
    rules = guardrails(situation)
    if rules is not None:
        yield "max_files", str(rules.max_files)
        yield "max_total_bytes", str(rules.max_total_bytes)
        yield "max_iterations", str(rules.max_iterations)
    config = dispatch_config(situation)
    if config is not None:
        yield "max_outbox_prompts", str(config.budgets.max_outbox_prompts)


def dispatch_config(situation: Situation) -> DispatchConfig | None:
    """Return the configuration that the change was started with; None without a sound one."""
    data = document(situation, layout.DISPATCH_CONFIG)
    if data is None:
        return None
    from custody.model.contracts.dispatch_config import DispatchConfig

    try:
        return decode(data, DispatchConfig, where=layout.DISPATCH_CONFIG)
    except MalformedDocument:
        return None  # `change start` has refused it, so nobody is asked by it


def briefs_for(agent: str, target: str, situation: Situation) -> tuple[Evidence, ...]:
    """Return the briefs that a provider gets before it is asked; none for the others."""
    if agent.partition(":")[0] not in BRIEFED:
        return ()
    failure, _ = situation.last_failure()
    texts = (
        _quoted(situation, layout.CONTEXT_PACK, "There is no context pack yet."),
        "\n".join(
            (
                f"- Answer with the content of {target} and nothing else.",
                "- Do not modify repository files.",
                *(
                    ("- A unified diff only, beginning with `diff --git`: no prose.",)
                    if target == layout.PATCH
                    else ()
                ),
                "",
                _quoted(situation, layout.GUARDRAILS, "There are no guardrails."),
                _quoted(situation, layout.PLAN, "There is no signed plan yet."),
            )
        ),
        f"{failure or 'Nothing has failed.'}\n\n"
        + _quoted(situation, layout.REVIEW_PATCH, "No patch was rejected."),
        _quoted(situation, layout.FIND_WEB, "Nothing from outside was looked up."),
    )
    return tuple(
        Evidence.of_text(path, f"{text.rstrip()}\n")
        for path, text in zip(layout.BRIEFS, texts, strict=True)
    )


def _quoted(situation: Situation, path: str, missing: str) -> str:
    data = document(situation, path)
    if data is None:
        return f"{missing}\n"
    text = data[:_CONTEXT_LIMIT].decode(errors="replace")
    cut = f"\n… [cut: {len(data)} bytes]" if len(data) > _CONTEXT_LIMIT else ""
    return f"## {path}\n\n{text.rstrip()}{cut}\n"
