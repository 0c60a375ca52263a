"""`custody logbook migrate`: make the tables that are missing."""

from __future__ import annotations

from argparse import Namespace

from custody.cli.logbook.opening import logbook
from custody.cli.result import Line, Result


def execute(options: Namespace) -> Result:
    """Open it, which applies what is missing, and say what that was."""
    with logbook(options) as (book, _):
        applied, where = book.applied, book.database.where
    lines = [Line(f"applied {step}", "good") for step in applied]
    return Result(
        data={"logbook": where, "applied": applied},
        text=lines or [Line(f"{where}: nothing to apply")],
    )
