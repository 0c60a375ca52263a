"""``TRACE.md``: the account of a change that people read. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from custody.model import layout
from custody.model.documents import StageSummary, Summary
from custody.model.evidence import Evidence
from custody.model.state import State


def is_change(state: State) -> bool:
    """Whether a run has made any document of a change."""
    return any(layout.top_of(path) in layout.CHANGE_FOLDERS for path in state.documents)


def trace_text(summary: Summary, state: State) -> str:
    """Return the page: what happened in which order, which gates spoke, what there is."""
    lines = [
        f"# {summary.pipeline}: {summary.status}",
        "",
        f"Run {summary.run_id}. {_one_line(summary.reason) or 'Nothing stopped it.'}",
        "",
        "## Stages",
        "",
        "| stage | type | visit | outcome | why | evidence |",
        "|---|---|---|---|---|---|",
        *map(_row, summary.stages),
        "",
        "## Gates",
        "",
        *(f"- {name}: {said}" for name, said in sorted(state.gates.items())),
        "",
        "## Documents",
        "",
        *(
            f"- {item.path} ({item.bytes} bytes, sha256 {item.sha256})"
            for item in _documents(state)
        ),
        "",
        "## Changed in the workspace",
        "",
        *(f"- {_one_line(path)}" for path in summary.changed),
        "",
    ]
    return "\n".join(lines)


def _documents(state: State) -> Iterator[Evidence]:
    return (item for _, item in sorted(state.documents.items()))


def _row(stage: StageSummary) -> str:
    why = _one_line(stage.failure_reason).replace("|", "\\|")
    return (
        f"| {stage.node} | {stage.type} | {stage.visit} | {stage.outcome} | {why} "
        f"| {stage.folder} |"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
