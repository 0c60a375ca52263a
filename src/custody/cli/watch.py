"""Following a run while it goes on: on a terminal, line by line, or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TextIO

from custody import variables
from custody.cli.render.progress import Board
from custody.cli.render.terminal import folded, paint, room, wants_colour
from custody.cli.result import Line
from custody.model.event import JournalLine


@contextmanager
def watching(*, verbose: bool, quiet: bool = False, first: str = "") -> Iterator[Board]:
    """Show a run's progress on standard error while the block lasts.

    ``first`` says what is done before there is any.

    A terminal gets a picture that stays in place, or one line a stage where ``verbose`` asks for
    lines or others write to it as well. Anything else gets lines when ``verbose`` asks for them,
    and nobody gets anything when ``quiet`` does.
    """
    if verbose:
        yield Board(ended=_print)
    elif quiet or sys.stderr is None or not sys.stderr.isatty():
        yield Board()
    elif not _can_be_drawn_on(os.environ):
        yield Board(ended=_print)
    else:
        from custody.cli.render.live import Display

        with Display(sys.stderr, keep=not sys.stdout.isatty(), first=first) as display:
            yield Board(changed=display.update)


def _can_be_drawn_on(environment: Mapping[str, str]) -> bool:
    """Whether the cursor can be moved, and no log is written between two pictures."""
    logged = any(environment.get(name) for name in (variables.LOG, variables.STREAM))
    return environment.get("TERM", "dumb") != "dumb" and not logged


def follow(lines: Iterable[JournalLine], *, to: TextIO | None) -> None:
    """Show lines of a run's journal as they come.

    On a terminal that is a picture, elsewhere a line for each change on the stream ``to``; without
    one nothing is shown.
    """
    if to is None:
        shown = Board()
    elif sys.stderr is not None and sys.stderr.isatty() and to.isatty():
        with watching(verbose=False) as shown:
            for line in lines:
                shown.hear(line, line.fact())
        return
    else:
        shown = Board(ended=partial(_print, stream=to))
    for line in lines:
        shown.hear(line, line.fact())


def tell_of_secrets(variables: Mapping[str, str], agent: str) -> None:
    """Say which of the things that are passed to a run it will not get as they are."""
    from custody import api

    for name in api.redacted(variables, agent):
        what = f"{name} holds a secret: the run, its stages too, has [redacted:…] in its place"
        _print(Line(f"note: {what}", "warn", hang=2))


def _print(line: Line, stream: TextIO | None = None) -> None:
    """Print one line; a reader who has gone away must not end the run."""
    out = stream or sys.stderr
    colour, columns = wants_colour(out, os.environ), room(out, os.environ)
    try:
        for piece in folded(line, columns):
            out.write(paint(piece, enabled=colour))
        out.flush()
    except OSError:
        return
