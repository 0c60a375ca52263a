"""Makes the views of a run from its journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from custody.model import layout
from custody.model.change import Change
from custody.model.event import AnyFact, JournalLine, RequestAnswered
from custody.store.rundir import RunDirectory
from custody.views.collect import Collector, Made

ChangesOf = Callable[[RequestAnswered], tuple[Change, ...]]


def collect(
    collector: Collector, lines: Iterable[JournalLine], changes_of: ChangesOf
) -> Iterator[tuple[AnyFact, Made]]:
    """Take every line in, and yield each fact with what it adds."""
    for line in lines:
        fact = line.fact()
        changes = changes_of(fact) if isinstance(fact, RequestAnswered) else ()
        yield fact, collector.add(line, fact, changes)


def rebuild(run: RunDirectory, lines: Iterable[JournalLine], changes_of: ChangesOf) -> Collector:
    """Write the trace and every attempt's status anew; return the collector, to go on with."""
    collector = Collector(run.run_id)
    run.write(layout.TRACE, b"")
    for _fact, made in collect(collector, lines, changes_of):
        run.append(layout.TRACE, made.trace)
        if made.status_path:
            run.write(made.status_path, made.status)
    return collector
