"""Real agents with what their owner has set up: a login, instructions, a server of tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody.testing.model_server import ModelServer
from support.real_agents import program

AGENTS = ("codex", "claude", "opencode")
KEYS = ("OPENAI_API_KEY", "CODEX_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
TOKEN = "tok-of-a-login-0123456789"
LOGINS = {
    "codex": (".codex/auth.json", {"OPENAI_API_KEY": TOKEN, "tokens": None}),
    "claude": (
        ".claude/.credentials.json",
        {
            "claudeAiOauth": {
                "accessToken": TOKEN,
                "refreshToken": "another-token-0123456789",
                "expiresAt": 4102444800000,
                "scopes": ["user:inference", "user:profile"],
                "subscriptionType": "max",
            }
        },
    ),
    "opencode": (".local/share/opencode/auth.json", {"local": {"type": "api", "key": TOKEN}}),
}
SHOWS_LOGIN = {
    "codex": "cat $CODEX_HOME/auth.json",
    "claude": "cat $CLAUDE_CONFIG_DIR/.credentials.json",
    "opencode": "cat $XDG_DATA_HOME/opencode/auth.json",
}
TOOL = "looks-at-the-notes-of-the-user"
MCP_SERVER = f"""
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("id") is None:
        continue
    answer = {{}}
    if asked["method"] == "initialize":
        answer = {{
            "protocolVersion": asked["params"]["protocolVersion"],
            "capabilities": {{"tools": {{}}}},
            "serverInfo": {{"name": "notes", "version": "1"}},
        }}
    elif asked["method"] == "tools/list":
        schema = {{"type": "object", "properties": {{}}}}
        answer = {{"tools": [{{"name": "look", "description": "{TOOL}", "inputSchema": schema}}]}}
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": answer}}), flush=True)
"""


def point_at(server: ModelServer, monkeypatch: pytest.MonkeyPatch, *, key: bool) -> None:
    """Let every agent ask a model of this machine, with a key of its own or by its login."""
    for agent in AGENTS:
        monkeypatch.setenv(f"CUSTODY_{agent.upper()}_EXECUTABLE", program(agent))
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    by_key, by_login = 'env_key="OPENAI_API_KEY"', "requires_openai_auth=true"
    local = f'name="local", base_url="{server.url}/v1", wire_api="responses"'
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv(
        "CUSTODY_CODEX_CONFIG",
        f'model_providers.local={{{local}, {by_key if key else by_login}}}\nmodel_provider="local"',
    )
    monkeypatch.setenv("CUSTODY_CODEX_MODEL", "scripted")
    options = {"baseURL": f"{server.url}/v1", **({"apiKey": "none"} if key else {})}
    kind = "@ai-sdk/openai-compatible"
    provider = {"npm": kind, "options": options, "models": {"scripted": {}}}
    config = {"provider": {"local": provider}, "model": "local/scripted"}
    monkeypatch.setenv("CUSTODY_OPENCODE_CONFIG", json.dumps(config))
    if key:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-a")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-a")


def log_in(home: Path, agent: str) -> Path:
    """Let an agent have a login in a home; return its file."""
    name, login = LOGINS[agent]
    file = home / name
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(login))
    return file
