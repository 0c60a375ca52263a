"""Agents that are any command: ``command``, also called ``api_agent``, and ``local_exec``.

A command line is a template: it is cut into words first and filled in afterwards, so that nothing
which is filled in can become a second word, an option of the shell or a second command. It gets
the prompt as standard input and as a file:

    {PROMPT_PATH}   the file of the prompt
    {WORKSPACE}     where it works

What it prints is the response, and may hold edits (`custody.executors.agents.edits`); it may as
well change the workspace itself. For the target ``patch`` the response must be a patch.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from custody.errors import UsageError
from custody.executors import Stage
from custody.executors.agents.edits import apply_response
from custody.executors.agents.program import (
    LINE_LIMIT,
    Program,
    ProgramRunner,
    Reply,
    ack_of,
    limits_of,
)
from custody.executors.agents.reach import reached
from custody.executors.agents.read_scope import read_scope
from custody.executors.agents.settings import Settings
from custody.executors.commands import seen_workspace
from custody.model.request import Ack, AgentRequest

TEMPLATES = {"plan": "SDDAI_PLAN_CMD", "patch": "SDDAI_PATCH_CMD", "": "SDDAI_AGENT_CMD"}
"""The variable that holds the template for each target; the last serves all."""
PATCH_START = "diff --git"
_PLACEHOLDER = re.compile(r"\{([A-Z_]+)\}")


class CommandAgent:
    """Asks a command."""

    def __init__(self, programs: ProgramRunner, name: str, template: str = "") -> None:
        self._programs = programs
        self._name = name
        self._template = template

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Run the command and carry out what its answer asks for."""
        settings = Settings(self._name, request.settings, os.environ)
        target = settings.text("target")
        passed = settings.passed()
        program = Program(
            name=self._name,
            argv=fill(self._find(settings, target), _values(request, stage)),
            limits=limits_of(settings, request),
            variables=passed,
            reach=reached(settings, passed, reach),
            sees=read_scope(settings, os.environ),
            readable=(f"{stage.run.path}/{request.prompt.path}",),
        )
        reader = TextReader(must_start=PATCH_START if target == "patch" else "")
        finished = self._programs.run(program, request, stage, reader)
        ack = ack_of(finished, program, request)
        if ack.status != "ok" or request.output_path:
            return ack
        return apply_response(ack, finished.reply.text, stage)

    def _find(self, settings: Settings, target: str) -> str:
        template = settings.text("argv", self._template)
        if not template and self._name == "command":
            names = (TEMPLATES.get(target, ""), TEMPLATES[""])
            template = next(filter(None, (os.environ.get(name, "") for name in names)), "")
        if not template.strip():
            variable = TEMPLATES[""] if self._name == "command" else "CUSTODY_LOCAL_EXEC_ARGV"
            raise UsageError(
                f"the agent {self._name} has no command line",
                hint=f"set {self._name}.argv on the node, or {variable} in the environment",
            )
        return template


def reach(_settings: Settings, _environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return no server: nobody knows which a command needs."""
    return ()


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
        "PROMPT_PATH": f"{stage.run.path}/{request.prompt.path}",
        "WORKSPACE": seen_workspace(stage),
    }


class TextReader:
    """Takes the whole output as the response."""

    def __init__(self, *, must_start: str = "") -> None:
        self._must_start = must_start
        self._lines: list[bytes] = []
        self._size = 0

    def line(self, data: bytes) -> None:
        """Take one line."""
        self._size += len(data) + 1
        if self._size <= LINE_LIMIT:
            self._lines.append(data)

    def reply(self) -> Reply:
        """Return the text, and what is wrong with it."""
        text = b"\n".join((*self._lines, b"")).decode(errors="replace")
        error = ""
        if self._size > LINE_LIMIT:
            error = f"the response is longer than {LINE_LIMIT} bytes"
        elif not text.startswith(self._must_start):
            error = f"a patch must start with {self._must_start!r}"
        return Reply(text=text, error=error)
