"""The variables of the environment that custody reads, and what each is for.

Help lists them from here, and a test finds a variable that is read anywhere and not told here.
"""

from __future__ import annotations

LOG = "CUSTODY_LOG"
STREAM = "FACTORY_LOG_CODEX_STREAM"

VARIABLES = {
    "CUSTODY_PIPELINE": "what `custody run` runs",
    "CUSTODY_WORKDIR": "folder to copy into the workspace",
    "CUSTODY_RUNSDIR": "folder of the runs",
    "CUSTODY_AGENT": "agent of stages that name none",
    "CUSTODY_CONFINEMENT": "level of confinement",
    "CUSTODY_INGEST": "true writes the fenced files of documents into the workspace",
    "CUSTODY_OUTPUT_LIMIT": "how much of a command's output a prompt shows",
    "CUSTODY_EXCLUDE": "patterns of what a run does not copy, with colons between them",
    "CUSTODY_LOGBOOK": "the logbook: a file, or postgresql://…",
    "CUSTODY_ARTIFACTS": "where the bytes of the logbook are stored: a folder, or s3://…",
    "CUSTODY_TOOLCHAINS": "further folders that every stage may read, with colons between them",
    "CUSTODY_WEB_SEARCH": "address of a web search, with {query} in it, for nodes that may use it",
    "CUSTODY_EMBEDDER": "where the vectors of the search come from: lsa, http, wordllama or none",
    "CUSTODY_LAUNCHER": "what starts the tools of skills: local, dsub-i, srun or one of yours",
    "CUSTODY_LAUNCHER_<NAME>": "the command line of one of them, as CUSTODY_LAUNCHER_SRUN",
    "CUSTODY_DOCS_ROOT": "folder of memory://docs, if not the current repository",
    LOG: "1 logs what agents do on standard error",
    STREAM: "1 logs what agents print as well",
    "CUSTODY_<AGENT>_<SETTING>": "a setting of an agent: CUSTODY_CODEX_MODEL for codex.model",
    "ATTRACTOR_CODEX_BLOCK_READ_PATHS": "paths that no agent may read, besides the holdouts",
    "SDDAI_AGENT_CMD": "command line of the agent `command`",
    "SDDAI_PLAN_CMD": "the same for `command:plan`",
    "SDDAI_PATCH_CMD": "the same for `command:patch`",
    "OPENAI_API_KEY": "key of the agents api, codex and opencode",
    "OPENAI_BASE_URL": "server of the agents api and codex",
    "CODEX_API_KEY": "key of the agent codex",
    "ANTHROPIC_API_KEY": "key of the agents claude and opencode",
    "ANTHROPIC_BASE_URL": "server of the agent claude",
    "OLLAMA_HOST": "server of the agent ollama_agent",
    "HTTPS_PROXY": "proxy to reach servers through; HTTP_PROXY for those without TLS",
    "NO_PROXY": "servers to reach without the proxy",
    "XDG_CONFIG_HOME": "folder of the user's custody/custody.toml, if not ~/.config",
    "XDG_DATA_HOME": "folder of the runs of changes and of the logbook, if not ~/.local/share",
    "USER": "name of the user in the manifest of a job",
    "VISUAL": "editor of `custody answer REQUEST --edit`",
    "EDITOR": "the same, if VISUAL is not set",
    "NO_COLOR": "any value switches colour off",
    "TERM": "dumb switches colour and the picture of a run off",
    "COLUMNS": "width to use instead of the terminal's own",
}
"""Each with a few words; those that programs of stages get stand in `custody.sandbox`."""
