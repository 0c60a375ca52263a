"""Setting aside what a crash left: it does not count, but it is kept."""

from __future__ import annotations

from custody.model import layout
from custody.store.root import Root


def set_aside(run: Root, path: str) -> str:
    """Rename what is there, the first time to ``<path>.lost.1``; return its new name."""
    number = 1
    while run.exists(aside := layout.set_aside(path, number)):
        number += 1
    run.rename(path, aside)
    return aside
