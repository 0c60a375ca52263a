"""Keeps the views of a run up to date while its journal grows, from the first line on.

None of these writes is synced: whatever is lost in a crash is made again from the journal.
Only the manifest and the closing summary are, because others rely on them.
"""

from __future__ import annotations

from custody.model import layout
from custody.model.change import Tree
from custody.model.documents import Summary
from custody.model.event import AnyFact, JournalLine, PipelineStarted, Position, RequestAnswered
from custody.model.record import encode_pretty
from custody.store.rundir import RunDirectory
from custody.views.collect import ChangesOf, Collector
from custody.views.summary import summary_text

_TRACE_BUFFER = 1 << 16
"""How many bytes of the trace wait for each other at most."""


class ViewWriter:
    """Hears the lines that count, recorded ones and new ones, and writes what they add."""

    def __init__(self, run: RunDirectory, changes_of: ChangesOf) -> None:
        self._run = run
        self._changes_of = changes_of
        self._collector = Collector(run.run_id)
        self._trace = bytearray()

    def hear(self, line: JournalLine, fact: AnyFact) -> None:
        """Take in one line that is durable by now."""
        changes = self._changes_of(fact) if isinstance(fact, RequestAnswered) else ()
        made = self._collector.add(line, fact, changes)
        if isinstance(fact, PipelineStarted):
            self._begin()
        self._trace += made.trace
        if len(self._trace) > _TRACE_BUFFER:
            self._write_trace()
        if made.status_path:
            self._run.write(made.status_path, made.status)

    def committed(self, reached: Position) -> None:
        """Write what the lines so far add up to."""
        self._write_trace()
        document = self._collector.checkpoint(reached)
        self._run.replace(layout.CHECKPOINT, encode_pretty(document))

    def close(self, reached: Position, workspace: Tree) -> None:
        """Write the closing summary and manifest, durably; the manifest is the last word."""
        self.committed(reached)
        for name, data in closing_files(self._collector, reached, workspace).items():
            self._run.write(name, data, sync=True)

    def summary(self, head: str) -> Summary:
        """Return the summary of the lines so far."""
        return self._collector.summary(head)

    def _begin(self) -> None:
        """Write the manifest of a run that goes on, and begin the trace."""
        opening = encode_pretty(self._collector.opening())
        self._run.write(layout.MANIFEST, opening, sync=True)
        self._run.write(layout.TRACE, b"")

    def _write_trace(self) -> None:
        self._run.append(layout.TRACE, bytes(self._trace))
        self._trace.clear()


def closing_files(collector: Collector, reached: Position, workspace: Tree) -> dict[str, bytes]:
    """Return the documents of an ended run, in the order they are written."""
    page = collector.summary(reached.head)
    return {
        layout.SUMMARY: encode_pretty(page),
        layout.SUMMARY_PAGE: summary_text(page).encode(),
        layout.MANIFEST: encode_pretty(collector.closing(reached, workspace)),
    }
