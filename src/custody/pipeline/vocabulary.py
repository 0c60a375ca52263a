"""The names that the language knows, whatever node types a catalog adds."""

from __future__ import annotations

import re
from typing import Final

from custody.model.graph import AttributeKind, AttributeRule
from custody.model.limits import PREFIX, SIZES, Limit, StageLimits, size_text

TYPES: Final = frozenset(
    (
        *("start", "exit", "codergen", "agent_task", "write_file", "tool", "verification", "each"),
        *("context_pack", "find", "gate", "review", "patch", "skill"),
    )
)
"""Node types of the language; a catalog may lack some of them."""

LATER_SHAPES: Final = {
    "diamond": "conditional",
    "component": "parallel",
    "tripleoctagon": "parallel.fan_in",
    "hexagon": "wait.human",
    "house": "stack.manager_loop",
}
"""Shapes, and the types they stand for, of a later version of the language."""
LATER_TYPES: Final = frozenset(LATER_SHAPES.values())

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
    _rule("max_steps", "integer", "How many stages a run may enter."),
    *_BUDGETS,
    *LIMITS,
    *INGEST,
    _rule("var.*", "string", "Default of a name that templates use as ${name}."),
)

COSMETICS: Final = frozenset(
    re.findall(
        r"\S+",
        "URL arrowhead arrowsize arrowtail bb bgcolor center charset class clusterrank color"
        " colorscheme comment compound concentrate constraint decorate dir distortion dpi edgeURL"
        " edgehref edgetarget edgetooltip fillcolor fixedsize fontcolor fontname fontnames fontpath"
        " fontsize forcelabels gradientangle group headURL headclip headhref headlabel headport"
        " headtarget headtooltip height href image imagepath imagepos imagescale inputscale"
        " labelURL labelangle labeldistance labelfloat labelfontcolor labelfontname labelfontsize"
        " labelhref labeljust labelloc labeltarget labeltooltip landscape layerlistsep layers"
        " layerselect layersep layout lhead lheight lp ltail lwidth margin maxiter mclimit"
        " mindist minlen newrank nodesep nojustify normalize notranslate nslimit nslimit1"
        " ordering orientation outputorder overlap packmode pad pagedir pencolor penwidth"
        " peripheries pin pos quadtree quantum rank rankdir ranksep ratio rects regular remincross"
        " resolution rotate samehead sametail samplepoints scale searchsize sep showboxes sides"
        " skew smoothing sortv splines style stylesheet tailURL tailclip tailhref taillabel"
        " tailport tailtarget tailtooltip tooltip truecolor vertices viewport voro_margin"
        " width xdotversion xlabel xlp",
    )
)
"""What Graphviz understands and a run never looks at. Names that a reader would take for a
setting of the run, such as ``model`` and ``mode``, are left out, so that they are reported."""
