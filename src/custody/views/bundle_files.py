"""The files of a run that its bundle holds."""

from __future__ import annotations

from collections.abc import Iterator

from custody.model import layout
from custody.model.event import RequestAnswered
from custody.model.evidence import Evidence
from custody.store.history import History
from custody.store.rundir import RunDirectory
from custody.views.collect import collected
from custody.views.trace_page import trace_text

_WHOLE = frozenset({*layout.CHANGE_FOLDERS, layout.OUTBOX, layout.LOGS})


def bundle_files(run: RunDirectory) -> dict[str, bytes]:
    """Return what explains a run, as far as it has come: its account, journal and documents.

    What was answered where a stage failed is among them: a document that is refused is none.
    """
    history = History.read(run)
    lines = history.count - 1
    collector = collected(run.run_id, history.lines(last=lines), history.changes_of)
    summary = collector.summary(history.digest(lines))
    found = {
        layout.TRACE_PAGE: trace_text(summary, collector.state).encode(),
        layout.EVENTS: run.root.read(layout.EVENTS)[: history.position.offset],
    }
    for path in run.files():
        if layout.top_of(path) in _WHOLE and not layout.is_set_aside(path):
            found[path] = run.root.read(path)
    failed = {stage.folder for stage in summary.stages if stage.outcome == "fail"}
    for answer in _responses(history, lines):
        if answer.path.removesuffix(f"/{layout.RESPONSE}") in failed:
            found[answer.path] = run.read_evidence(answer)
    return found


def _responses(history: History, last: int) -> Iterator[Evidence]:
    """Yield what agents and people have answered, from the record: files may lag behind it."""
    for _, fact in history.lines(last=last):
        if isinstance(fact, RequestAnswered):
            yield from (each for each in fact.ack.evidence if each.path.endswith(layout.RESPONSE))
