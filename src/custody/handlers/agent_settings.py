"""The settings of the built-in agents that a node may give, and how they reach the agent."""

from __future__ import annotations

from collections.abc import Iterator

from custody.errors import PathRefused
from custody.model.finding import Finding
from custody.model.graph import AttributeKind, AttributeRule, Node
from custody.model.relpath import RelPath

AGENTS = ("api", "claude", "codex", "command", "local_exec", "ollama_agent", "opencode")
WITHOUT_PROGRAMS = frozenset(
    {"api", "fake", "manual_outbox", "ollama_agent", "outbox", "replay", "stub"}
)
"""Agents that start nothing."""
PREFIXES = ("test.", "outbox.", "replay.", *(f"{name}." for name in AGENTS))
FOLDERS = ("workdir", "add_dirs", "block_read_paths")
SANDBOXES = ("read-only", "workspace-write", "danger-full-access")
APPROVALS = ("untrusted", "on-request", "never")


def _rules(agent: str, *rules: tuple[str, AttributeKind, str]) -> tuple[AttributeRule, ...]:
    return tuple(AttributeRule(name=f"{agent}.{name}", kind=kind, doc=d) for name, kind, d in rules)


_LIMITS: tuple[tuple[str, AttributeKind, str], ...] = (
    ("timeout", "duration", "Time for the whole work; default: `timeout` of the node."),
    ("inactivity", "duration", "Time without output, after the first; `0` for no limit."),
    ("heartbeat", "duration", "Time between two lines of its log that say it still works."),
    ("env", "list", "Variables of yours that the agent may see too."),
)
_REACH: tuple[str, AttributeKind, str] = (
    "reach",
    "list",
    "Servers it may reach, each as `host:port`; default: those that its configuration names.",
)
_SEES: tuple[tuple[str, AttributeKind, str], ...] = (
    ("allow_read_scenarios", "boolean", "Let it see `scripts/scenarios/`, which is hidden else."),
    ("block_read_paths", "list", "Further paths of the workspace that are hidden from it."),
)
_PROGRAM: tuple[tuple[str, AttributeKind, str], ...] = (
    ("executable", "string", "The program; default: the agent's name, found on PATH."),
    ("model", "string", "Which model; default: the agent's own choice."),
    ("workdir", "string", "Where it works, relative to the workspace."),
    ("strict_read_scope", "boolean", "Hide all of the workspace but `workdir` and `add_dirs`."),
    *_SEES,
    _REACH,
    *_LIMITS,
)
_CHAT: tuple[tuple[str, AttributeKind, str], ...] = (
    ("base_url", "string", "Address of the server, up to and with `/v1`."),
    ("model", "string", "Which model; it must be named here or behind the agent's name."),
    ("key_env", "string", "The variable that holds the key."),
    ("system", "string", "What the model is told first; default: how it can change files."),
    ("temperature", "float", "Sent as it is; default: the server's."),
    ("top_p", "float", "Sent as it is; default: the server's."),
    ("max_tokens", "integer", "Most tokens of the answer; default: the server's."),
    ("seed", "integer", "Sent as it is, for servers that can repeat an answer."),
    ("parameters", "string", "Further fields of the request, as a JSON object."),
    ("retries", "integer", "How often to ask again when the server is busy or not there."),
    *_LIMITS[:3],
)

RULES: tuple[AttributeRule, ...] = (
    AttributeRule(name="test.*", kind="string", doc="Script of the fake agent."),
    AttributeRule(name="outbox.*", kind="integer", doc="Budgets of the outbox agent."),
    *_rules(
        "codex",
        ("sandbox", "string", f"Codex's own: {', '.join(f'`{s}`' for s in SANDBOXES)}."),
        ("approval_policy", "string", "When Codex would ask; nobody answers, so `never`."),
        ("add_dirs", "list", "Folders of the workspace it may write beside `codex.workdir`."),
        ("config", "string", "Raw overrides `key=value`, one a line, each given by `-c`."),
        ("auto_approve", "list", "Commands that need no approval."),
        ("auto_approve_key", "string", "Codex's setting that takes `codex.auto_approve`."),
        *_PROGRAM,
    ),
    *_rules(
        "claude",
        ("permission_mode", "string", "Mode of permissions; default: `acceptEdits`."),
        ("allowed_tools", "list", "Tools it may use; default: `Bash,Edit,Read,Write`."),
        ("add_dirs", "list", "Folders of the workspace it may use beside `claude.workdir`."),
        ("max_budget_usd", "string", "Most dollars that the work may cost."),
        ("arguments", "string", "Further arguments, one a line."),
        *_PROGRAM,
    ),
    *_rules(
        "opencode",
        ("config", "string", "Its configuration, as JSON."),
        *_PROGRAM,
    ),
    *_rules(
        "command",
        ("argv", "string", "The command line; default: `SDDAI_AGENT_CMD` and its kin."),
        ("target", "string", "What is asked for: `plan`, `patch`, or nothing of the two."),
        *_SEES,
        _REACH,
        *_LIMITS,
    ),
    *_rules("local_exec", ("argv", "string", "The command line."), *_SEES, _REACH, *_LIMITS),
    *_rules("api", *_CHAT),
    *_rules("ollama_agent", *_CHAT),
    *_rules(
        "replay",
        ("strict", "boolean", "Whether a prompt that differs from the recorded one fails."),
    ),
)

_CHOICES: dict[str, tuple[str, ...]] = {
    "codex.sandbox": SANDBOXES,
    "codex.approval_policy": APPROVALS,
    "command.target": ("plan", "patch", ""),
}


def settings_of(node: Node) -> dict[str, str]:
    """Return the attributes that are meant for agents, and the node's own time limit."""
    return {
        name: str(attribute.value)
        for name, attribute in node.attributes.items()
        if name.startswith(PREFIXES) or name == "timeout"
    }


def check_settings(node: Node) -> Iterator[Finding]:
    """Find values that no agent can work with."""
    for name, choices in _CHOICES.items():
        attribute = node.attributes.get(name)
        if attribute is not None and attribute.value not in choices:
            known = ", ".join(filter(None, choices))
            yield attribute.finding("attribute", f"{name} is one of {known}")
    for agent in AGENTS:
        for folder in FOLDERS:
            yield from _check_folders(node, f"{agent}.{folder}")


def _check_folders(node: Node, name: str) -> Iterator[Finding]:
    attribute = node.attributes.get(name)
    if attribute is None:
        return
    for entry in node.items(name):
        try:
            RelPath.parse(entry.rstrip("/"))
        except PathRefused as refused:
            yield attribute.finding(refused.code, f"{name}: {refused.what}")
