"""How a run comes to its workspace: a copy of a source, with the help of the runs before it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from custody.model import layout
from custody.model.change import Tree
from custody.store.hash_cache import HashCache
from custody.store.places import identity
from custody.store.resolve import own
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.workspace.build import under_another_name
from custody.workspace.copy import TreeCopy
from custody.workspace.donor import donor
from custody.workspace.exclusion import Exclusion
from custody.workspace.source import SourceTree


class Snapshot(NamedTuple):
    """A copy of a source that was made for one run."""

    copy: TreeCopy
    base: Tree
    """What stands there."""
    source: os.stat_result

    def remember(self, run: RunDirectory) -> None:
        """Let the next run over the source know of this one, which is published."""
        with Root.open(os.path.dirname(run.path), resolver=own) as runsdir:
            self.copy.known._replace(run_id=run.run_id).save(runsdir, self.source)


def take_snapshot(
    run: RunDirectory, source: str, *, omit: Iterable[str], exclude: Iterable[str] = ()
) -> Snapshot:
    """Copy ``source`` under a temporary name, and call it the workspace when it is complete.

    The blobs are durable then if there are many, because that goes on beside the copying.
    """
    home = os.path.dirname(run.path)
    left_out = {identity(path) for path in (*omit, run.path, f"{home}/{layout.SOURCES}")} - {None}
    with (
        Root.open(source, resolver=own) as origin,
        Root.open(home, resolver=own) as runsdir,
        under_another_name(run.root, layout.WORKSPACE) as target,
    ):
        state = os.fstat(origin.fd)
        cache = HashCache.load(runsdir, state)
        exclusion = Exclusion.for_source(origin, exclude)
        copy = TreeCopy(origin, target, run.blobs)
        with donor(runsdir, cache.run_id, cache.tree) as earlier:
            copy.take(SourceTree(origin, left_out, exclusion), cache, earlier)
        return Snapshot(copy, copy.fill(), state)
