"""The agent ``codex``: OpenAI's Codex CLI, asked by ``codex exec --json``.

Every control is a setting: a node attribute ``codex.<name>``, else ``CUSTODY_CODEX_<NAME>``, else
the default below.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from custody.executors.agents import AgentType
from custody.executors.programs.coding_cli import (
    CodingCli,
    Surroundings,
    added_folders,
    program_of,
)
from custody.executors.programs.own_setup import LoginFile
from custody.executors.programs.reach import named, servers
from custody.executors.programs.reply import Reply
from custody.executors.programs.settings import CODING_SETTINGS
from custody.executors.records import count, part, record_of, text, tokens
from custody.executors.settings import Settings, setting
from custody.model.request import Usage

FIXED = (
    "exec", "--json", "--skip-git-repo-check", "--ephemeral",
    "--ignore-user-config", "--ignore-rules", "--color", "never",
    # what the model starts sees neither the key nor what the user's shell is set up with
    "-c", "allow_login_shell=false", "-c", "features.shell_snapshot=false",
    "-c", "shell_environment_policy.ignore_default_excludes=false",
    # the stage has a temporary directory of its own; others, and runs, may lie in /tmp
    "-c", "sandbox_workspace_write.exclude_slash_tmp=true",
)  # fmt: skip
SANDBOXES = ("read-only", "workspace-write", "danger-full-access")
APPROVALS = ("untrusted", "on-request", "never")
DEFAULT_SANDBOX = "workspace-write"
NO_SANDBOX = "danger-full-access"
DEFAULT_APPROVAL = "never"
DEFAULT_APPROVE_KEY = "auto_approve_commands"
HINT = "install it with `npm install -g @openai/codex`, or set codex.executable"
SERVERS = ("api.openai.com:443", "chatgpt.com:443")
"""Which of the two is asked depends on the key."""


def own_sandbox(settings: Settings, confined: bool) -> str:
    """Return the mode that Codex is told: its own sandbox cannot work inside of ours."""
    return NO_SANDBOX if confined else settings.text("sandbox", DEFAULT_SANDBOX)


def changeable(settings: Settings) -> tuple[str, ...]:
    """Return what the mode lets it change; where Codex is confined it is we who see to that."""
    match settings.text("sandbox", DEFAULT_SANDBOX):
        case "read-only":
            return ()
        case "danger-full-access":
            return ("",)
        case _:
            return settings.own_folders()


def arguments(settings: Settings, model: str, around: Surroundings) -> tuple[str, ...]:
    """Return the command line; the prompt comes as standard input."""
    words = [program_of(settings, "codex"), *FIXED]
    words += ["--sandbox", own_sandbox(settings, around.confined)]
    words += _override("approval_policy", settings.text("approval_policy", DEFAULT_APPROVAL))
    for folder in (*added_folders(settings), around.cache):
        words += ["--add-dir", folder]
    if model:
        words += ["--model", model]
    if commands := settings.items("auto_approve"):
        words += _override(settings.text("auto_approve_key", DEFAULT_APPROVE_KEY), list(commands))
    for override in settings.lines("config"):
        words += ["-c", override]
    if not around.own.instructions:
        words += ["-c", "project_doc_max_bytes=0"]
    for name, server in around.own.mcp.items():
        words += _override(f"mcp_servers.{name}.command", server.command[0])
        words += _override(f"mcp_servers.{name}.args", list(server.command[1:]))
        words += _override(f"mcp_servers.{name}.env_vars", list(server.env))
    return (*words, "-")


def _override(key: str, value: str | list[str]) -> list[str]:
    """Return an override; TOML writes these values as JSON does."""
    return ["-c", f"{key}={json.dumps(value)}"]


def reach(settings: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the servers of every ``base_url`` that is set, else OpenAI's own."""
    urls = [url for line in settings.lines("config") for url in named(_read(line), "base_url")]
    urls += filter(None, [environment.get("OPENAI_BASE_URL")])
    return servers(urls) or SERVERS


def _read(override: str) -> dict[str, Any]:
    """Return an override as Codex reads it: its value is TOML, else a text."""
    import tomllib

    key, _, value = override.partition("=")
    try:
        return {key.strip(): tomllib.loads(f"value = {value}")["value"]}
    except (tomllib.TOMLDecodeError, RecursionError):
        return {key.strip(): value.strip()}


class CodexReader:
    """Reads the events of ``codex exec --json``."""

    def __init__(self, model: str = "") -> None:
        self._model = model
        self._said = ""
        self._error = ""
        self._completed = False
        self._input = 0
        self._output = 0
        self._cached: int | None = None
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
                if (cached := tokens(usage, "cached_input_tokens")) is not None:
                    self._cached = (self._cached or 0) + cached
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
        usage = Usage(
            model=self._model,
            input_tokens=self._input,
            output_tokens=self._output,
            cached_tokens=self._cached,
        )
        # When its own sandbox cannot work, every command fails and the turn still ends well.
        notes = f"codex ran {self._commands} commands, {self._failed} of them failed"
        return Reply(text=self._said, usage=usage, error=error, notes=notes)


KEYS = ("OPENAI_API_KEY", "CODEX_API_KEY")


def key_of(settings: Settings, _environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return OpenAI's keys, or that of another provider; none where it needs none."""
    overrides = [_read(line) for line in settings.lines("config")]
    named_keys = tuple(key for one in overrides for key in named(one, "env_key"))
    if named_keys or any(key == "model_provider" for one in overrides for key in one):
        return named_keys[:1]
    return KEYS


CLI = CodingCli(
    hint=HINT,
    keys=KEYS,
    key_of=key_of,
    arguments=arguments,
    variables=lambda _settings, home: {"CODEX_HOME": home},
    login=LoginFile("CODEX_HOME", ".codex", "auth.json", "auth.json"),
    reader=CodexReader,
    reach=reach,
    own_sandbox=own_sandbox,
    changeable=changeable,
    blocked_by="ATTRACTOR_CODEX_BLOCK_READ_PATHS",
)


AGENT = AgentType(
    name="codex",
    doc="OpenAI's Codex CLI works in the workspace.",
    argument="MODEL",
    settings=(
        setting("sandbox", "string", "Codex's own sandbox.", choices=SANDBOXES),
        setting(
            "approval_policy",
            "string",
            "When Codex would ask; nobody answers, so `never`.",
            choices=APPROVALS,
        ),
        setting(
            "add_dirs",
            "list",
            "Folders of the workspace it may write beside `codex.workdir`.",
            paths=True,
        ),
        setting("config", "string", "Raw overrides `key=value`, one a line, each given by `-c`."),
        setting("auto_approve", "list", "Commands that need no approval."),
        setting("auto_approve_key", "string", "Codex's setting that takes `codex.auto_approve`."),
        *CODING_SETTINGS,
    ),
    make=CLI.make,
    needs=lambda _model, settings, environment: CLI.needs("codex", settings, environment),
    starts_programs=True,
)
