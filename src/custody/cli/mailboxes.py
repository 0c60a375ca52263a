"""Where people are asked: in the folder of the runs, and by the changes of the repository."""

from __future__ import annotations

import os

from custody.cli import config


def folders(flag: str) -> tuple[str, ...]:
    """Return the folders of runs that may wait; ``flag`` names the only one, or is empty."""
    from custody import change

    runsdir = config.setting("runsdir", flag)
    return (runsdir,) if flag else (runsdir, change.runs_of(os.curdir))
