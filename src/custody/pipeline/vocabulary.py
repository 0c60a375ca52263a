"""The names that the language knows, whatever node types a catalog adds."""

from __future__ import annotations

from typing import Final

import msgspec

from custody.model.graph import AttributeKind, AttributeRule
from custody.model.limits import PREFIX, SIZES, Limit, StageLimits, size_text
from custody.model.output import DEFAULT_LIMIT
from custody.pipeline.graphviz import EVERYWHERE

TYPES: Final = frozenset(
    (
        *("start", "exit", "codergen", "agent_task", "write_file", "tool", "verification", "each"),
        *("context_pack", "find", "gate", "review", "patch", "skill"),
        *("artifact", "survey", "verify", "stop", "bundle"),
    )
)
"""Node types of the language; a catalog may lack some of them."""

SHAPES: Final = {
    "Mdiamond": "start",
    "Msquare": "exit",
    "box": "codergen",
    "parallelogram": "tool",
}
"""Shapes, and the types of the language that they stand for; a catalog may say more."""

LATER_SHAPES: Final = {
    "diamond": "conditional",
    "component": "parallel",
    "tripleoctagon": "parallel.fan_in",
    "hexagon": "wait.human",
    "house": "stack.manager_loop",
}
"""Shapes, and the types they stand for, of a later version of the language."""
LATER_TYPES: Final = frozenset(LATER_SHAPES.values())

WARN: Final = "warn"
"""What ``unknown_attributes`` says of a graph that may have them."""

DEFAULT_TYPE: Final = "codergen"
DEFAULT_SHAPE: Final = "box"

BUDGETS = frozenset({"max_cost", "max_tokens", "max_seconds"})
"""Attributes of a graph or a node that bound what may be spent."""

RANGES: Final = {
    "max_visits": (1, 1_000_000),
    "max_steps": (1, 10_000_000),
    "max_retries": (0, 100),
    "max_cost": (0, 1_000_000_000.0),
    "max_tokens": (0, 1_000_000_000_000),
    "max_seconds": (0.001, 365 * 86_400.0),
    "timeout": (0.001, 30 * 86_400.0),
    "retry_delay": (0, 86_400.0),
    "output_limit": (0, 1 << 20),
    "ingest.max_files": (0, 1_000_000),
    "ingest.max_bytes": (0, 1 << 30),
    "ingest.max_total_bytes": (0, 1 << 40),
    "limits.processes": (1, 4_000_000),
    "limits.memory": (1 << 20, 1 << 50),
    "limits.open_files": (256, 1_000_000_000),
    "limits.file_size": (0, 1 << 60),
    "limits.written": (0, 1 << 60),
    "limits.files": (0, 1_000_000_000),
}
"""Smallest and largest value; of durations in seconds."""


def _rule(name: str, kind: AttributeKind, doc: str) -> AttributeRule:
    return AttributeRule(name=name, kind=kind, doc=doc)


_BUDGETS: Final = (
    _rule("max_cost", "float", "US dollars that agents may spend; no stage begins after more."),
    _rule("max_tokens", "integer", "Tokens that agents may use, of input and output together."),
    _rule("max_seconds", "duration", "Active time; the last stage gets what is left of it."),
)
"""What may be spent: on the graph by the run, on a node by all of its visits."""

INGEST: Final = (
    _rule("ingest", "boolean", "Whether blocks of the document become files; default: the run's."),
    _rule("ingest.max_files", "integer", "How many files one document may write."),
    _rule("ingest.max_bytes", "integer", "Bytes that one of them may have."),
    _rule("ingest.max_total_bytes", "integer", "Bytes that all of them together may have."),
)
"""What is done with a document: on the node that writes it, or on the graph for all."""


def _limit(limit: Limit, doc: str) -> AttributeRule:
    default: int = getattr(StageLimits(), limit)
    kind: AttributeKind = "size" if limit in SIZES else "integer"
    shown = size_text(default) if limit in SIZES else str(default)
    return _rule(f"{PREFIX}{limit}", kind, f"{doc}; default: {shown}.")


LIMITS: Final = (
    _limit("processes", "Processes and threads that a stage may have at a time"),
    _limit("memory", "Memory of all of them together, with what lies in their `/tmp`"),
    _limit("open_files", "Files that all of them together may have open"),
    _limit("file_size", "Bytes that one file may take on the disk; a hole takes none"),
    _limit("written", "Bytes on the disk of everything that a stage writes"),
    _limit("files", "Files and folders that a stage may write"),
)
"""What the programs of a stage may take: on its node, or on the graph for all."""

OUTPUT: Final = _rule(
    "output_limit",
    "size",
    "Bytes of a command's output that a prompt shows, its beginning and its end; default: "
    f"{size_text(DEFAULT_LIMIT)}.",
)
"""On the node that has the prompt, or on the graph for all."""

NODE_ATTRIBUTES: Final = (
    _rule("label", "string", "What a picture shows instead of the id."),
    _rule("type", "string", "The node's type; without it the shape decides."),
    _rule("shape", "string", "DOT shape; some of them stand for a type."),
    _rule("max_visits", "integer", "How often the run may come here."),
    _rule("max_retries", "integer", "Attempts after the first one."),
    *_BUDGETS,
    _rule("retry_delay", "duration", "Wait before the second attempt; doubles with each one."),
    _rule("allow_partial", "boolean", "Used-up attempts give partial_success instead of fail."),
    _rule("timeout", "duration", "After this long the work is ended."),
    *LIMITS,
    OUTPUT,
    _rule("allowed_write_paths", "list", "Files, and directories with a trailing slash."),
)
EDGE_ATTRIBUTES: Final = (
    _rule("label", "string", "What a picture shows at the edge."),
    _rule("condition", "string", "When the edge may be taken."),
    _rule("weight", "integer", "Among several edges the highest one wins."),
)
GRAPH_ATTRIBUTES: Final = (
    _rule("label", "string", "What a picture shows as its title."),
    _rule("goal", "string", "What the run is for; prompts use it as $goal."),
    _rule("version", "string", "Which version of the workflow it is; `find` tells it."),
    _rule("description", "string", "What it does, for who chooses among workflows."),
    _rule("tags", "list", "What it is good for, in a few words; `find` looks for them."),
    _rule("max_steps", "integer", "How many stages a run may enter."),
    AttributeRule(
        name="unknown_attributes",
        kind="string",
        doc="`warn` lets a pipeline run that has attributes nobody knows; default: `error`.",
        choices=("error", WARN),
    ),
    *_BUDGETS,
    *LIMITS,
    OUTPUT,
    *INGEST,
    _rule("var.*", "string", "Default of a name that templates use as ${name}."),
)

_OF_TYPES: Final = {"target"}
"""Attributes of some types of nodes that Graphviz has for something else."""
COSMETICS: Final = EVERYWHERE - {
    *_OF_TYPES,
    *(rule.name for rule in (*NODE_ATTRIBUTES, *EDGE_ATTRIBUTES, *GRAPH_ATTRIBUTES)),
}
"""What Graphviz understands and a run never looks at, wherever it stands."""


class Alias(msgspec.Struct, frozen=True):
    """A name that another system has for one of our attributes."""

    name: str
    """Ours."""
    between: str = ""
    """What parts the entries of its value there; ours stand one a line. Empty for one value."""


ALIASES: Final = {
    "agent.backend": Alias("agent"),
    "codex.path": Alias("codex.executable"),
    "codex.approval": Alias("codex.approval_policy"),
    "codex.timeout_seconds": Alias("codex.timeout"),
    "codex.heartbeat_seconds": Alias("codex.heartbeat"),
    "codex.auto_approve_commands": Alias("codex.auto_approve"),
    "codex.auto_approve_config_key": Alias("codex.auto_approve_key"),
    "codex.config_overrides": Alias("codex.config", between=";;"),
}
"""Names of node attributes in the public system whose design this language follows."""

WITHOUT_EFFECT: Final = {
    "codex.skip_git_repo_check": "codex never asks for a repository here",
    "codex.disable_mcp": "codex is started without the user's MCP servers",
    "codex.profile": "codex is started without the user's configuration; use codex.config",
    "codex.dangerous_bypass": "how much codex may do is decided by the level of confinement",
}
"""Node attributes of that system that change nothing here, and why."""
