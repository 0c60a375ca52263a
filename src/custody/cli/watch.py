"""Following a run while it goes on: on a terminal, line by line, or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from custody.cli.render.progress import Board
from custody.cli.render.terminal import paint, wants_colour
from custody.cli.result import Line


@contextmanager
def watching(*, verbose: bool) -> Iterator[Board]:
    """Show a run's progress on standard error while the block lasts.

    A terminal gets a table that stays in place, or one line a stage when rich is missing or
    ``verbose`` asks for lines. Anything else gets lines when ``verbose`` asks for them.
    """
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if verbose:
        yield Board(ended=_print)
    elif not terminal:
        yield Board()
    elif os.environ.get("TERM") == "dumb" or not _has_rich():
        yield Board(ended=_print)
    else:
        from custody.cli.render.live import Picture, live

        with live(keep=not sys.stdout.isatty()) as display:
            yield Board(changed=lambda rows: display.update(Picture(rows)))


def tell_of_secrets(variables: Mapping[str, str], agent: str) -> None:
    """Say which of the things that are passed to a run it will not get as they are."""
    from custody import api

    for name in api.redacted(variables, agent):
        what = f"{name} holds a secret: the run, its stages too, has [redacted:…] in its place"
        _print(Line(f"note: {what}", "warn"))


def _print(line: Line) -> None:
    """Print one line; a reader who has gone away must not end the run."""
    try:
        sys.stderr.write(paint(line, enabled=wants_colour(sys.stderr, os.environ)))
        sys.stderr.flush()
    except OSError:
        return


def _has_rich() -> bool:
    from importlib.util import find_spec

    return find_spec("rich") is not None
