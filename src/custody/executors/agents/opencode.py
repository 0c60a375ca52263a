"""The agent ``opencode``: ``opencode run --format json``.

Settings are node attributes ``opencode.<name>``, else ``CUSTODY_OPENCODE_<NAME>``. Its
configuration is the setting ``config``, a JSON text; all its folders lie in its home.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from custody.executors.agents import AgentType
from custody.executors.programs.coding_cli import CodingCli, Surroundings
from custody.executors.programs.own_setup import LoginFile
from custody.executors.programs.reach import named, servers
from custody.executors.programs.reply import Reply
from custody.executors.programs.settings import CODING_SETTINGS
from custody.executors.records import count, number, part, record_of, text, tokens
from custody.executors.settings import Settings, setting
from custody.model.own_settings import OwnAgent
from custody.model.request import Usage

FIXED = ("run", "--format", "json", "--auto", "--pure")
"""``--auto`` answers what nobody is there to answer, ``--pure`` leaves plugins out."""
DEFAULT_CONFIG = '{"autoupdate": false, "share": "disabled"}'
SERVERS = {
    "OPENAI_API_KEY": "https://api.openai.com",
    "ANTHROPIC_API_KEY": "https://api.anthropic.com",
}
"""Where the model is, by the key that is there."""
CATALOGUE = "https://models.dev"
"""Where opencode looks up what models there are; it works without."""
NO_INSTRUCTIONS = {"OPENCODE_DISABLE_PROJECT_CONFIG": "1", "OPENCODE_DISABLE_CLAUDE_CODE": "1"}
"""AGENTS.md, CLAUDE.md and what else a project would tell it are not read."""
HINT = "install it with `npm install -g opencode-ai`, or set opencode.executable"


def arguments(settings: Settings, model: str, _around: Surroundings) -> tuple[str, ...]:
    """Return the command line; the prompt comes as standard input."""
    words = (settings.text("executable", "opencode"), *FIXED)
    return (*words, "--model", model) if model else words


def reach(settings: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the servers of its configuration, else those its keys are for, and its catalogue."""
    try:
        config = json.loads(settings.text("config", DEFAULT_CONFIG))
    except (ValueError, RecursionError):
        config = {}
    by_key = (url for key, url in SERVERS.items() if key in environment)
    return servers([*(tuple(named(config, "baseURL")) or by_key), CATALOGUE])


def _config(settings: Settings, own: OwnAgent) -> str:
    """Return its configuration, with the servers of tools that its owner names."""
    text = settings.text("config", DEFAULT_CONFIG)
    if not own.mcp:
        return text
    try:
        config = json.loads(text)
    except (ValueError, RecursionError):
        return text  # it says so itself
    added = {
        name: {"type": "local", "command": list(server.command), "enabled": True}
        for name, server in own.mcp.items()
    }
    return json.dumps({**config, "mcp": {**config.get("mcp", {}), **added}})


def _variables(_settings: Settings, home: str) -> dict[str, str]:
    kinds = ("CACHE", "CONFIG", "DATA", "STATE")
    return {
        **{f"XDG_{kind}_HOME": f"{home}/{kind.lower()}" for kind in kinds},
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    }


def _own_variables(settings: Settings, own: OwnAgent) -> dict[str, str]:
    config = {"OPENCODE_CONFIG_CONTENT": _config(settings, own)}
    return config if own.instructions else config | NO_INSTRUCTIONS


class OpencodeReader:
    """Reads the events of ``opencode run --format json``."""

    def __init__(self, model: str = "") -> None:
        self._model = model
        self._said = ""
        self._error = ""
        self._finished = False
        self._input = 0
        self._output = 0
        self._cached: int | None = None
        self._cost = 0.0

    def line(self, data: bytes) -> None:
        """Take one event."""
        record = record_of(data)
        if record is None:
            return
        body = part(record, "part")
        match record.get("type"):
            case "text":
                self._said = text(body, "text")
            case "step_finish":
                used = part(body, "tokens")
                cache = part(used, "cache")
                self._finished = text(body, "reason") != "tool-calls"
                self._input += count(used, "input") + count(cache, "read", "write")
                if (cached := tokens(cache, "read")) is not None:
                    self._cached = (self._cached or 0) + cached
                self._output += count(used, "output", "reasoning")
                self._cost += number(body, "cost")
            case "error":
                error = part(record, "error")
                self._error = text(part(error, "data"), "message") or text(error, "name") or "error"
            case _:
                return

    def reply(self) -> Reply:
        """Return the last text and what all steps cost."""
        error = self._error or ("" if self._finished else "the work was not finished")
        return Reply(
            text=self._said,
            usage=Usage(
                model=self._model,
                input_tokens=self._input,
                output_tokens=self._output,
                # It says 0 for a model whose price it does not know.
                cost_usd=round(self._cost, 6) or None,
                cached_tokens=self._cached,
            ),
            error=error,
        )


def key_of(settings: Settings, _environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys it knows; none where its configuration names a server, or a key itself."""
    names_server = "provider" in settings.text("config", DEFAULT_CONFIG)
    return () if names_server else (*SERVERS, *settings.items("env"))


CLI = CodingCli(
    hint=HINT,
    keys=tuple(SERVERS),
    key_of=key_of,
    arguments=arguments,
    variables=_variables,
    own_variables=_own_variables,
    login=LoginFile(
        "XDG_DATA_HOME", ".local/share", "opencode/auth.json", "data/opencode/auth.json"
    ),
    reader=OpencodeReader,
    reach=reach,
)


AGENT = AgentType(
    name="opencode",
    doc="opencode works in the workspace.",
    argument="MODEL",
    settings=(
        setting("config", "string", "Its configuration, as JSON."),
        *CODING_SETTINGS,
    ),
    make=CLI.make,
    needs=lambda _model, settings, environment: CLI.needs("opencode", settings, environment),
    starts_programs=True,
)
