"""The agent ``codex``: OpenAI's Codex CLI, asked by ``codex exec --json``.

Every control is a setting: a node attribute ``codex.<name>``, else ``CUSTODY_CODEX_<NAME>``, else
the default below. Codex works with a home of its own, made for the stage and removed after it, so
that no memory, rule, session or MCP server of the user's reaches a run.
"""

from __future__ import annotations

import json
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
from custody.executors.agents.records import count, part, record_of, text
from custody.executors.agents.settings import Settings
from custody.executors.commands import CACHE_FOLDER
from custody.model.request import Ack, AgentRequest, Usage

NAME = "codex"
KEYS = ("OPENAI_API_KEY", "CODEX_API_KEY")
FIXED = (
    "exec", "--json", "--skip-git-repo-check", "--ephemeral",
    "--ignore-user-config", "--ignore-rules", "--color", "never",
    # what the model starts sees neither the key nor what the user's shell is set up with
    "-c", "allow_login_shell=false", "-c", "features.shell_snapshot=false",
    "-c", "shell_environment_policy.ignore_default_excludes=false",
    # the stage has a temporary directory of its own; others, and runs, may lie in /tmp
    "-c", "sandbox_workspace_write.exclude_slash_tmp=true",
)  # fmt: skip
DEFAULT_SANDBOX = "workspace-write"
DEFAULT_APPROVAL = "never"
DEFAULT_APPROVE_KEY = "auto_approve_commands"
HINT = "install it with `npm install -g @openai/codex`, or set codex.executable"


class CodexAgent:
    """Asks Codex."""

    def __init__(self, programs: ProgramRunner, model: str = "") -> None:
        self._programs = programs
        self._model = model

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Let Codex work on the prompt in the workspace."""
        settings = Settings(NAME, request.settings, os.environ)
        model = settings.text("model", self._model)
        reader = CodexReader(model, settings.text("sandbox", DEFAULT_SANDBOX))
        with own_home(stage, NAME) as home:
            program = Program(
                name=NAME,
                argv=arguments(settings, model, f"{stage.run.path}/{CACHE_FOLDER}"),
                limits=limits_of(settings, request),
                variables={
                    **settings.passed(*KEYS, *PROXIES),
                    **home_variables(home, os.environ),
                    "CODEX_HOME": home,
                },
                workdir=settings.folder("workdir"),
                hint=HINT,
            )
            return self._programs.work(program, request, stage, reader)


def arguments(settings: Settings, model: str, cache: str) -> tuple[str, ...]:
    """Return the command line; the prompt comes as standard input."""
    workdir = settings.folder("workdir")
    added = [
        os.path.relpath(str(folder), workdir or ".") for folder in settings.folders("add_dirs")
    ]
    words = [settings.text("executable", "codex"), *FIXED]
    words += ["--sandbox", settings.text("sandbox", DEFAULT_SANDBOX)]
    words += _override("approval_policy", settings.text("approval_policy", DEFAULT_APPROVAL))
    for folder in (*added, cache):
        words += ["--add-dir", folder]
    if model:
        words += ["--model", model]
    if commands := settings.items("auto_approve"):
        words += _override(settings.text("auto_approve_key", DEFAULT_APPROVE_KEY), list(commands))
    for override in settings.lines("config"):
        words += ["-c", override]
    return (*words, "-")


def _override(key: str, value: str | list[str]) -> list[str]:
    """Return an override; TOML writes these values as JSON does."""
    return ["-c", f"{key}={json.dumps(value)}"]


class CodexReader:
    """Reads the events of ``codex exec --json``."""

    def __init__(self, model: str = "", sandbox: str = DEFAULT_SANDBOX) -> None:
        self._model = model
        self._sandbox = sandbox
        self._said = ""
        self._error = ""
        self._completed = False
        self._input = 0
        self._output = 0
        self._commands = 0
        self._failed = 0

    def line(self, data: bytes) -> None:
        """Take one event."""
        record = record_of(data)
        if record is None:
            return
        match record.get("type"):
            case "item.completed":
                self._item(part(record, "item"))
            case "turn.completed":
                usage = part(record, "usage")
                self._completed = True
                self._error = ""
                self._input += count(usage, "input_tokens")
                self._output += count(usage, "output_tokens")
                self._model = text(usage, "model") or text(record, "model") or self._model
            case "turn.failed":
                self._error = text(part(record, "error"), "message") or "turn failed"
            case "error":
                self._error = text(record, "message") or "error"
            case _:
                return

    def _item(self, item: dict[str, object]) -> None:
        if item.get("type") == "agent_message":
            self._said = text(item, "text")
        elif item.get("type") == "command_execution":
            self._commands += 1
            self._failed += item.get("exit_code") != 0

    def reply(self) -> Reply:
        """Return the last message, the tokens of all turns, and the last error."""
        error = self._error or ("" if self._completed else "the turn was not completed")
        usage = Usage(model=self._model, input_tokens=self._input, output_tokens=self._output)
        # When its sandbox cannot work, every command fails and the turn still ends well.
        notes = (
            f"codex ran {self._commands} commands, {self._failed} of them failed;"
            f" its own sandbox: {self._sandbox}"
        )
        return Reply(text=self._said, usage=usage, error=error, notes=notes)
