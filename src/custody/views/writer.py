"""Keeps the views of a run up to date while it goes on.

None of these writes is synced: whatever is lost in a crash is made again from the journal.
Only the closing manifest and summary are, because others rely on them.
"""

from __future__ import annotations

from collections.abc import Callable

from custody.model import layout
from custody.model.change import Change, Tree
from custody.model.event import AnyFact, JournalLine, RequestAnswered
from custody.model.record import encode_pretty
from custody.store.journal import Journal
from custody.store.rundir import RunDirectory
from custody.views.collect import Collector
from custody.views.summary import summary_text


class ViewWriter:
    """Hears journal lines and writes what they add to the views."""

    def __init__(
        self,
        run: RunDirectory,
        journal: Journal,
        collector: Collector,
        changes_of: Callable[[RequestAnswered], tuple[Change, ...]],
    ) -> None:
        self._run = run
        self._journal = journal
        self._collector = collector
        self._changes_of = changes_of
        self._trace: list[bytes] = []

    def hear(self, line: JournalLine, fact: AnyFact) -> None:
        """Take in one line that is durable by now."""
        changes = self._changes_of(fact) if isinstance(fact, RequestAnswered) else ()
        made = self._collector.add(line, fact, changes)
        self._trace.append(made.trace)
        if made.status_path:
            self._run.write(made.status_path, made.status)

    def committed(self) -> None:
        """Write what the lines since the last commit add up to."""
        self._run.append(layout.TRACE, b"".join(self._trace))
        self._trace.clear()
        journal = self._journal
        document = self._collector.checkpoint(
            events=journal.count, offset=journal.offset, head=journal.head
        )
        self._run.replace(layout.CHECKPOINT, encode_pretty(document))

    def open(self) -> None:
        """Write the manifest of a run that has just begun."""
        self._run.write(layout.MANIFEST, encode_pretty(self._collector.opening()), sync=True)

    def close(self, workspace: Tree) -> None:
        """Write the closing summary and manifest, durably; the manifest is the last word."""
        self.committed()
        journal = self._journal
        for name, data in closing_files(
            self._collector, workspace, events=journal.count, head=journal.head
        ).items():
            self._run.write(name, data, sync=True)


def closing_files(
    collector: Collector, workspace: Tree, *, events: int, head: str
) -> dict[str, bytes]:
    """Return the documents of an ended run, in the order they are written."""
    page = collector.summary(head)
    closing = collector.closing(events=events, head=head, workspace=workspace)
    return {
        layout.SUMMARY: encode_pretty(page),
        layout.SUMMARY_PAGE: summary_text(page).encode(),
        layout.MANIFEST: encode_pretty(closing),
    }
