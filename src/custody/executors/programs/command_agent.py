"""Asking a command line, which is a template.

It is cut into words first and filled in afterwards, so that nothing which is filled in can become
a second word, an option of the shell or a second command. The command gets the prompt as standard
input and as a file:

    {PROMPT_PATH}   a copy of it among the caches of the attempt
    {WORKSPACE}     where it works

What it prints is the response, and may hold edits (`custody.executors.edits`); it may as well
change the workspace itself. For the target ``patch`` the response must be a patch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from custody.errors import UsageError
from custody.executors import Stage
from custody.executors.agents import AgentContext, Needs
from custody.executors.commands import seen_workspace
from custody.executors.edits import apply_response
from custody.executors.programs.program import ack_of, plain_program
from custody.executors.programs.reply import TextReader
from custody.executors.settings import Settings
from custody.model import layout
from custody.model.need import Need
from custody.model.request import Ack, AgentRequest

PATCH_START = "diff --git"
_PLACEHOLDER = re.compile(r"\{([A-Z_]+)\}")


class CommandAgent:
    """Asks a command."""

    def __init__(
        self, template: str, context: AgentContext, variables: Mapping[str, str] | None = None
    ) -> None:
        """``variables`` name further variables that hold a template, by target; ``""`` for any."""
        self._template = template
        self._context = context
        self._variables = variables or {}
        self._programs = context.programs()

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Run the command and carry out what its answer asks for."""
        settings = self._context.settings(request)
        target = settings.text("target")
        template = find_template(
            self._template, settings, self._context.environment, self._variables
        )
        argv = fill(template, _values(request, stage))
        program = plain_program(argv, request, self._context)
        reader = TextReader(must_start=PATCH_START if target == "patch" else "")
        finished = self._programs.run(program, request, stage, reader)
        ack = ack_of(finished, program, request, stage.sandbox.confined)
        if ack.status != "ok" or request.output_path:
            return ack
        return apply_response(ack, finished.reply.text, stage)


def find_template(
    default: str,
    settings: Settings,
    environment: Mapping[str, str],
    variables: Mapping[str, str],
) -> str:
    """Return the command line that is meant; raises `UsageError` when there is none."""
    names = (variables.get(settings.text("target"), ""), variables.get("", ""))
    held = (environment.get(name, "") for name in names)
    template = settings.text("argv", default) or next(filter(None, held), "")
    if not template.strip():
        agent = settings.agent
        variable = variables.get("", f"CUSTODY_{agent}_ARGV".upper())
        raise UsageError(
            f"the agent {agent} has no command line",
            hint=f"set {agent}.argv on the node, or {variable} in the environment",
        )
    return template


def command_needs(variables: Mapping[str, str]) -> Needs:
    """Return what says which program the command of an agent needs."""

    def needs(argument: str, settings: Settings, environment: Mapping[str, str]) -> Iterator[Need]:
        template = find_template(argument, settings, environment, variables)
        words = fill(template, {"PROMPT_PATH": ".", "WORKSPACE": "."})
        hint = "install it, or add its folder to PATH"
        yield Need(kind="program", names=words[:1], hint=hint)

    return needs


def fill(template: str, values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words of a template, filled in; raises `UsageError` when it cannot be read."""
    import shlex

    try:
        words = shlex.split(template)
    except ValueError as error:
        raise UsageError(f"{error} in {template!r}", where="command line of the agent") from None
    return tuple(_PLACEHOLDER.sub(lambda match: _value(match[1], values), w) for w in words)


def _value(name: str, values: Mapping[str, str]) -> str:
    if name not in values:
        known = ", ".join(f"{{{known}}}" for known in values)
        raise UsageError(f"{{{name}}} stands for nothing", hint=f"there are {known}")
    return values[name]


def _values(request: AgentRequest, stage: Stage) -> dict[str, str]:
    return {
        "PROMPT_PATH": _copied_prompt(request, stage),
        "WORKSPACE": seen_workspace(stage),
    }


def _copied_prompt(request: AgentRequest, stage: Stage) -> str:
    """Put a copy of the prompt where the command can read it, and return where that is.

    The file itself lies in the run directory, of which nothing is shown.
    """
    data = stage.run.read_evidence(request.prompt)
    return stage.sandbox.caches.give(stage.sandbox.level, layout.PROMPT, data)
