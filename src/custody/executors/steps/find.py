"""Finds the workflow that fits a goal, and, where the guardrails allow it, pages of the web."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec.structs import replace

from custody.errors import MalformedDocument, UsageError
from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.contracts.change_settings import ChangeSettings
from custody.model.record import encode_pretty
from custody.model.request import Ack
from custody.pipeline.contracts.guardrails import Guardrails, read_guardrails
from custody.pipeline.workflows import choose
from custody.store.change_settings import change_settings
from custody.store.own_settings import own_settings
from custody.store.root import Root
from custody.workspace.workflow_files import workflow_files

if TYPE_CHECKING:
    from custody.executors.web.find import FoundPages

_NO_SEARCH = "no search is set up (CUSTODY_WEB_SEARCH): only pages that are named are read"


def carry_out(step: StepWork) -> Ack:
    """Write the result of the registry, and that of the web where it may be asked."""
    goal = step.settings.get("goal", "")
    root = step.stage.workspace.root
    settings, trouble = _settings(root)
    result = choose(goal, workflow_files(root, settings.workflows))
    step.write(layout.FIND_RESULT, encode_pretty(result))
    notes = [f"selected {result.selected_workflow_id}", *trouble]
    given = step.read("guardrails")
    rails = None if given is None else read_guardrails(given).sound
    if rails is not None and rails.web:
        found = _look_around(step, goal, rails)
        step.write(layout.FIND_WEB, encode_pretty(found.document))
        notes += found.notes
    return step.done("; ".join(notes))


def _look_around(step: StepWork, goal: str, rails: Guardrails) -> FoundPages:
    """Ask the web; how, the user's own configuration says, and nothing of the repository."""
    from custody.executors.web.find import find_web
    from custody.executors.web.provider import HttpProvider

    own = own_settings(os.environ).web
    urls = step.settings.get("urls", "").split()
    trouble = [] if own.search else [_NO_SEARCH]
    try:
        provider = HttpProvider(own, rails.allow_domains)
    except UsageError as error:
        trouble.append(str(error))
        provider = HttpProvider(replace(own, search=""), rails.allow_domains)
    found = find_web(goal, rails, urls, provider, step.request.timeout)
    return found._replace(notes=[*trouble, *found.notes])


def _settings(root: Root) -> tuple[ChangeSettings, list[str]]:
    """Return what the repository says; settings that make no sense are told, and say nothing."""
    try:
        return change_settings(root), []
    except MalformedDocument as error:
        return ChangeSettings(), [str(error)]
