"""The settings that agents which are programs share."""

from __future__ import annotations

from custody.executors.settings import setting

LIMITS = (
    setting("timeout", "duration", "Time for the whole work; default: `timeout` of the node."),
    setting(
        "inactivity",
        "duration",
        "Time without output, processor time or traffic, after the first output; default: `15m`, "
        "`0` for no limit.",
    ),
    setting("heartbeat", "duration", "Time between two lines of its log that say it still works."),
)
PROGRAM_SETTINGS = (
    setting(
        "allow_read_scenarios", "boolean", "Let it see `scripts/scenarios/`, which is hidden else."
    ),
    setting(
        "allow_read_secrets",
        "list",
        "Files that hold secrets and that it may see nevertheless, such as `.env.test`.",
    ),
    setting(
        "block_read_paths",
        "list",
        "Further paths of the workspace that are hidden from it.",
        paths=True,
    ),
    setting(
        "reach",
        "list",
        "Servers it may reach, each as `host:port`; default: those that its configuration names.",
    ),
    *LIMITS,
    setting("env", "list", "Variables of yours that the agent may see too."),
)
"""Of every agent that starts a program."""
CODING_SETTINGS = (
    setting("executable", "string", "The program; default: the agent's name, found on PATH."),
    setting("model", "string", "Which model; default: the agent's own choice."),
    setting("workdir", "string", "Where it works, relative to the workspace.", paths=True),
    setting(
        "strict_read_scope", "boolean", "Hide all of the workspace but `workdir` and `add_dirs`."
    ),
    *PROGRAM_SETTINGS,
)
"""Of every coding agent."""
