"""The agent ``claude``: Claude Code in print mode, ``claude -p --bare``.

Settings are node attributes ``claude.<name>``, else ``CUSTODY_CLAUDE_<NAME>``, else the defaults
below. ``--bare`` leaves out hooks, skills, plugins, MCP servers, memory and CLAUDE.md; the folder
for its configuration is made for the stage and removed after it.
"""

from __future__ import annotations

import os

from custody.executors import Stage
from custody.executors.agents.program import (
    PROXIES,
    Program,
    ProgramRunner,
    Reply,
    home_variables,
    limits_of,
    own_home,
)
from custody.executors.agents.records import Json, count, number, part, record_of, text
from custody.executors.agents.settings import Settings
from custody.model.request import Ack, AgentRequest, Usage

NAME = "claude"
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
FIXED = (
    "-p", "--bare", "--output-format", "stream-json", "--verbose", "--no-session-persistence",
)  # fmt: skip
DEFAULT_MODE = "acceptEdits"
DEFAULT_TOOLS = "Bash,Edit,Read,Write"
HINT = "install it with `npm install -g @anthropic-ai/claude-code`, or set claude.executable"


class ClaudeAgent:
    """Asks Claude Code."""

    def __init__(self, programs: ProgramRunner, model: str = "") -> None:
        self._programs = programs
        self._model = model

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Let Claude Code work on the prompt in the workspace."""
        settings = Settings(NAME, request.settings, os.environ)
        with own_home(stage, NAME) as home:
            program = Program(
                name=NAME,
                argv=arguments(settings, settings.text("model", self._model)),
                limits=limits_of(settings, request),
                variables={
                    **settings.passed(*KEYS, *PROXIES),
                    **home_variables(home, os.environ),
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                    "CLAUDE_CONFIG_DIR": home,
                },
                workdir=settings.folder("workdir"),
                hint=HINT,
            )
            return self._programs.work(program, request, stage, ClaudeReader())


def arguments(settings: Settings, model: str) -> tuple[str, ...]:
    """Return the command line; the prompt comes as standard input.

    Tools are allowed by name rather than by skipping permissions, which Claude Code refuses to
    do for root.
    """
    workdir = settings.folder("workdir")
    words = [settings.text("executable", "claude"), *FIXED]
    words += ["--permission-mode", settings.text("permission_mode", DEFAULT_MODE)]
    words += ["--allowedTools", ",".join(settings.items("allowed_tools", DEFAULT_TOOLS))]
    for folder in settings.folders("add_dirs"):
        words += ["--add-dir", os.path.relpath(str(folder), workdir or ".")]
    if model:
        words += ["--model", model]
    if budget := settings.text("max_budget_usd"):
        words += ["--max-budget-usd", budget]
    return (*words, *settings.lines("arguments"))


class ClaudeReader:
    """Reads ``--output-format stream-json``, which ends with a result record."""

    def __init__(self) -> None:
        self._model = ""
        self._result: Json | None = None

    def line(self, data: bytes) -> None:
        """Take one record."""
        record = record_of(data)
        if record is None:
            return
        if record.get("type") == "system" and record.get("subtype") == "init":
            self._model = text(record, "model")
        elif record.get("type") == "result":
            self._result = record

    def reply(self) -> Reply:
        """Return what the result record says."""
        result = self._result
        if result is None:
            return Reply(error="there is no result record")
        used = part(result, "usage")
        said = text(result, "result")
        failed = result.get("is_error") is not False or result.get("subtype") != "success"
        return Reply(
            text=said,
            usage=Usage(
                model=self._model,
                input_tokens=count(
                    used, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"
                ),
                output_tokens=count(used, "output_tokens"),
                cost_usd=round(number(result, "total_cost_usd"), 6),
            ),
            error=f"{text(result, 'subtype') or 'error'}: {said}".strip(": ") if failed else "",
            notes=f"claude took {count(result, 'num_turns')} turns",
        )
