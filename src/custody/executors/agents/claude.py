"""The agent ``claude``: Claude Code in print mode, ``claude -p --bare``.

Settings are node attributes ``claude.<name>``, else ``CUSTODY_CLAUDE_<NAME>``, else the defaults
below. ``--bare`` leaves out hooks, skills, plugins, MCP servers, memory and CLAUDE.md; what the
user allows is added to it by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from custody.executors.agents import AgentType
from custody.executors.programs.coding_cli import CodingCli, Surroundings, added_folders
from custody.executors.programs.own_setup import LoginFile
from custody.executors.programs.reach import servers
from custody.executors.programs.reply import Reply
from custody.executors.programs.settings import CODING_SETTINGS
from custody.executors.records import Json, count, part, price, record_of, text, tokens
from custody.executors.settings import Settings, setting
from custody.model.own_settings import OwnAgent
from custody.model.request import Usage

FIXED = ("-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence")
BARE = ("--bare",)
LOGGED_IN = ("--setting-sources", "user", "--strict-mcp-config")
"""In place of ``--bare``, which reads no login: the home that the settings are in is empty."""
INSTRUCTIONS = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"
"""Lets it read CLAUDE.md of the folders that are added, with a login too."""
WAIT_FOR_SERVERS = "MCP_CONNECTION_NONBLOCKING"
"""Lets it wait for servers of tools before it asks the model for the first time."""
RETRIES = "CLAUDE_CODE_MAX_RETRIES"
"""How often it asks its server again: for three minutes if left alone, for a wrong key too."""
DEFAULT_MODE = "acceptEdits"
DEFAULT_TOOLS = "Bash,Edit,Read,Write"
SERVER = "https://api.anthropic.com"
HINT = "install it with `npm install -g @anthropic-ai/claude-code`, or set claude.executable"


def arguments(settings: Settings, model: str, around: Surroundings) -> tuple[str, ...]:
    """Return the command line; the prompt comes as standard input.

    Tools are allowed by name rather than by skipping permissions, which Claude Code refuses to
    do for root.
    """
    own = around.own
    words = [settings.text("executable", "claude"), *FIXED, *(LOGGED_IN if own.login else BARE)]
    words += ["--permission-mode", settings.text("permission_mode", DEFAULT_MODE)]
    tools = [*settings.items("allowed_tools", DEFAULT_TOOLS), *(f"mcp__{name}" for name in own.mcp)]
    words += ["--allowedTools", ",".join(tools)]
    if own.mcp:
        words += ["--mcp-config", json.dumps({"mcpServers": _servers(own)})]
    if own.instructions:
        words += ["--add-dir", "."]
    for folder in added_folders(settings):
        words += ["--add-dir", folder]
    if model:
        words += ["--model", model]
    if budget := settings.text("max_budget_usd"):
        words += ["--max-budget-usd", budget]
    return (*words, *settings.lines("arguments"))


def _servers(own: OwnAgent) -> dict[str, Json]:
    return {
        name: {"command": server.command[0], "args": list(server.command[1:])}
        for name, server in own.mcp.items()
    }


def reach(_settings: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the server of ``ANTHROPIC_BASE_URL``, else Anthropic's own."""
    return servers([environment.get("ANTHROPIC_BASE_URL") or SERVER])


def _variables(settings: Settings, home: str) -> dict[str, str]:
    tries = settings.whole("server_retries")
    retries = {} if tries is None else {RETRIES: str(tries)}
    return {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CONFIG_DIR": home} | retries


def _own_variables(_settings: Settings, own: OwnAgent) -> dict[str, str]:
    instructed = {INSTRUCTIONS: "1"} if own.instructions else {}
    return instructed | ({WAIT_FOR_SERVERS: "0"} if own.mcp else {})


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
        kind = text(result, "subtype")
        failed = result.get("is_error") is not False or kind != "success"
        kind = "" if kind == "success" else kind or "error"  # so it says where no server answered
        return Reply(
            text=said,
            usage=Usage(
                model=self._model,
                input_tokens=count(
                    used, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"
                ),
                output_tokens=count(used, "output_tokens"),
                cost_usd=price(result, "total_cost_usd"),
                cached_tokens=tokens(used, "cache_read_input_tokens"),
            ),
            error=(f"{kind}: {said}".strip(": ") or "error") if failed else "",
            notes=f"claude took {count(result, 'num_turns')} turns",
        )


CLI = CodingCli(
    hint=HINT,
    keys=("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    key_of=lambda settings, _environment: ("ANTHROPIC_API_KEY", *settings.items("env")),
    arguments=arguments,
    variables=_variables,
    own_variables=_own_variables,
    login=LoginFile("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json", ".credentials.json"),
    reader=lambda _model: ClaudeReader(),
    reach=reach,
)


AGENT = AgentType(
    name="claude",
    doc="Anthropic's Claude Code works in the workspace.",
    argument="MODEL",
    settings=(
        setting("permission_mode", "string", "Mode of permissions; default: `acceptEdits`."),
        setting("allowed_tools", "list", "Tools it may use; default: `Bash,Edit,Read,Write`."),
        setting(
            "add_dirs",
            "list",
            "Folders of the workspace it may use beside `claude.workdir`.",
            paths=True,
        ),
        setting("max_budget_usd", "string", "Most dollars that the work may cost."),
        setting(
            "server_retries",
            "integer",
            "How often its server is asked again; default: its own, for about three minutes.",
        ),
        setting("arguments", "string", "Further arguments, one a line."),
        *CODING_SETTINGS,
    ),
    make=CLI.make,
    needs=lambda _model, settings, environment: CLI.needs("claude", settings, environment),
    starts_programs=True,
)
