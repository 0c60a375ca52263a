"""A source folder, and runs that work on copies of it."""

from __future__ import annotations

from pathlib import Path

from custody.model.change import Change
from custody.store.resolve import own
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.workspace.workspace import Workspace


class Site:
    """Makes runs whose workspaces are copies of one source."""

    def __init__(self, home: Path) -> None:
        self.source = home / "source"
        self.runsdir = home / "runs"
        self.source.mkdir()
        self._open: list[RunDirectory | Workspace] = []

    def run(self, run_id: str = "r1") -> RunDirectory:
        """Make a run."""
        run = RunDirectory.create(str(self.runsdir), run_id)
        self._open.append(run)
        return run

    def workspace(self, run_id: str = "r1") -> Workspace:
        """Make a run with a copy of the source."""
        run = self.run(run_id)
        workspace = Workspace.create(run, str(self.source), omit=(str(self.runsdir),))
        run.blobs.sync()
        run.publish()
        self._open.append(workspace)
        return workspace

    def reopened(self, workspace: Workspace) -> Workspace:
        """Take up a workspace as another process would, knowing nothing but its beginning."""
        self.close()
        run = RunDirectory(Root.open(str(self.runsdir / "r1"), resolver=own), "r1")
        again = Workspace.reopen(run, workspace.base)
        self._open.extend((run, again))
        return again

    def close(self) -> None:
        """Close everything that was made."""
        while self._open:
            self._open.pop().close()


def kinds(changes: tuple[Change, ...]) -> dict[str, str]:
    """Return what became of each path."""
    return {change.path: change.change for change in changes}
