"""Writes what the lines of a journal add to the views, from the first line on.

None of these writes is synced: whatever is lost in a crash is made again from the journal.
Only the manifest and the closing summary are, because others rely on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from custody.errors import PathRefused, RunError
from custody.model import layout
from custody.model.change import Tree
from custody.model.documents import Summary
from custody.model.event import (
    AnyFact,
    Heard,
    JournalLine,
    PipelineStarted,
    Position,
    RequestAnswered,
)
from custody.model.evidence import Evidence
from custody.model.record import encode_pretty
from custody.store.rundir import RunDirectory
from custody.store.view_files import ViewFiles
from custody.views.collect import ChangesOf, Collector, account_of
from custody.views.manifest import opening_manifest
from custody.views.summary import summary_document, summary_page
from custody.views.trace_page import is_change, trace_text

if TYPE_CHECKING:
    from custody.model.state import State
    from custody.views.job import JobAccount

_VIEWS = frozenset({layout.STATUS})
"""Files of an attempt's folder that no line holds as they are."""

Folders = dict[str, dict[str, bytes]]
"""What is to stand in each folder, by path and name."""


class ViewWriter:
    """Writes views for lines that count, recorded ones and new ones."""

    def __init__(self, run: RunDirectory, changes_of: ChangesOf) -> None:
        self._run = run
        self._files = ViewFiles(run.root)
        self._changes_of = changes_of
        self._collector = Collector(run.run_id)

    def begin(self, line: JournalLine, started: PipelineStarted) -> None:
        """Let the manifest be that of a run that goes on, and begin the trace."""
        write_opening(self._run, line, started)
        self._run.write(layout.TRACE, b"")
        if account_of(self._run.run_id, line, started) is not None:
            self._run.write(layout.JOB_TIMELINE, b"")

    def write(self, heard: Iterable[Heard], reached: Position | None) -> None:
        """Write what lines add; with ``reached``, how far the journal goes with them too.

        The folder of an attempt that began and ended among them appears with all of its files.
        """
        folders: Folders = {}
        trace: list[bytes] = []
        timeline: list[bytes] = []
        for line, fact in heard:
            changes = self._changes_of(fact) if isinstance(fact, RequestAnswered) else ()
            made = self._collector.add(line, fact, changes)
            trace.append(made.trace)
            timeline.append(made.timeline)
            _put_texts(folders, fact)
            if made.status_path:
                _put(folders, made.status_path, made.status)
        for path, contents in folders.items():
            self._files.put_folder(path, contents, again=_VIEWS)
        self._files.append(layout.TRACE, b"".join(trace))
        if (job := self._collector.job) is not None:
            self._files.append(layout.JOB_TIMELINE, b"".join(timeline))
            self._files.replace(layout.JOB_MANIFEST, encode_pretty(job.manifest()))
        if reached is not None:
            document = self._collector.checkpoint(reached)
            self._files.replace(layout.CHECKPOINT, encode_pretty(document))

    def finish(self, reached: Position, workspace: Tree) -> None:
        """Write the closing summary and manifest, durably; the manifest is the last word.

        Whoever finds that finds nothing temporary beside it: the writer is closed by then.
        """
        self.write((), reached)
        self.close()
        for name, pieces in closing_files(self._run, self._collector, reached, workspace):
            self._run.write_pieces(name, pieces)

    def summary(self, head: str) -> Summary:
        """Return the summary of the lines so far."""
        return self._collector.summary(head)

    def close(self) -> None:
        """Give every descriptor back."""
        self._files.close()


def write_opening(run: RunDirectory, line: JournalLine, started: PipelineStarted) -> None:
    """Write the manifest of a run that goes on, durably, unless it is there."""
    data = encode_pretty(opening_manifest(run.run_id, started, line.ts))
    try:
        same = run.root.read(layout.MANIFEST) == data
    except PathRefused:
        same = False
    if not same:
        run.write(layout.MANIFEST, data, sync=True)
    if (job := account_of(run.run_id, line, started)) is not None:
        run.write(layout.JOB_MANIFEST, encode_pretty(job.manifest()), sync=True)


def closing_files(
    run: RunDirectory, collector: Collector, reached: Position, workspace: Tree
) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Yield the documents of an ended run, in the order they are written, each when it is due.

    They come in pieces: a long run has a row for each of very many stages.
    """
    summary = collector.closing_summary(reached.head)
    yield layout.SUMMARY, summary_document(summary)
    page = summary_page(summary)
    if collector.job is None:
        yield layout.SUMMARY_PAGE, page
    else:
        yield layout.SUMMARY_PAGE, chain(_job_page(summary, collector, collector.job), page)
        yield from _job_files(run, collector.job, collector.state)
    if is_change(collector.state):
        yield layout.TRACE_PAGE, (trace_text(summary, collector.state).encode(),)
    if (packet := collector.packet(reached.head, partial(_content, run))) is not None:
        from custody.evidence.packet import packet_page

        yield layout.PACKET, (encode_pretty(packet),)
        yield layout.PACKET_PAGE, packet_page(packet)
    yield layout.MANIFEST, (encode_pretty(collector.closing(reached, workspace)),)


def _job_page(summary: Summary, collector: Collector, job: JobAccount) -> Iterator[bytes]:
    from custody.model.skill.documents import JobSummary
    from custody.views.job_summary import job_page

    if isinstance(summary, JobSummary):
        yield job_page(summary, job, collector.state)


def _job_files(
    run: RunDirectory, job: JobAccount, state: State
) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Yield what a skill job leaves beside that: its bundle, if it failed, and its own manifest."""
    if job.status == "FAIL":
        from custody.views.job_bundle import bundle_files

        for name, data in bundle_files(job, state, partial(_content, run)):
            yield f"{layout.DEBUG_BUNDLE}/{name}", (data,)
    yield layout.JOB_MANIFEST, (encode_pretty(job.manifest()),)


def _content(run: RunDirectory, item: Evidence) -> bytes | None:
    """Return what a file held when it was recorded; None when that is not to be had any more.

    `custody verify` tells of it as what it is: a file that is not what the journal says.
    """
    try:
        if layout.top_of(item.path) == layout.WORKSPACE:
            return run.blobs.get(item.sha256)
        return run.document(item) if item.is_document else run.read_evidence(item)
    except RunError:
        return None


def _put_texts(folders: Folders, fact: AnyFact) -> None:
    """Note the short files of attempts that a fact holds; others are written by who acts."""
    for evidence in fact.evidence():
        if evidence.text is not None and layout.is_attempt_file(evidence.path):
            _put(folders, evidence.path, evidence.text.encode())


def _put(folders: Folders, path: str, data: bytes) -> None:
    folder, _, name = path.rpartition("/")
    folders.setdefault(folder, {})[name] = data
