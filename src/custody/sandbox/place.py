"""Where the programs of a run find their workspace, at L3.

It appears at the path of the source: scripts of a virtual environment, editable installs and build
files name what they use by its absolute path. A run without a source has its workspace at
`WORKSPACE_VIEW`, and so has one whose source lies where programs see something else.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from custody.sandbox.confinement import CACHE_VIEW, WORKSPACE_VIEW
from custody.sandbox.rootfs import SCRATCH_FOLDERS, SYSTEM
from custody.store.places import leads_to

TAKEN = (*(f"/{name}" for name in SYSTEM), "/dev", "/etc", "/proc", "/sys", CACHE_VIEW)
"""What programs see there is the system's, or their own."""


class WorkspacePlace(NamedTuple):
    """Where a workspace is seen."""

    path: str = WORKSPACE_VIEW
    obstacle: str = ""
    """Why that is not the path of the source; empty when it is, or there is none."""


def place_of(source: str) -> WorkspacePlace:
    """Return where the workspace of a run over ``source`` is seen; empty for a run without."""
    if not source:
        return WorkspacePlace()
    path = leads_to(os.path.abspath(source))
    for taken in TAKEN:
        if _holds(taken, path):
            return WorkspacePlace(obstacle=f"{path} lies in {taken}, which is the system's")
    for kept in (*TAKEN, *SCRATCH_FOLDERS):
        if _holds(path, kept):
            return WorkspacePlace(obstacle=f"{path} holds {kept}, which stages have for themselves")
    return WorkspacePlace(path)


def _holds(above: str, path: str) -> bool:
    return f"{path}/".startswith(f"{above.rstrip('/')}/")
