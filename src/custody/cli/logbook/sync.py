"""`custody logbook sync-git` and `sync-svn`: the history of a repository."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli.logbook.opening import logbook
from custody.cli.result import Line, Result
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.logbook.change import Synced


def execute(options: Namespace) -> Result:
    """Take in what is new."""
    from custody.logbook.git_sync import sync_git
    from custody.logbook.svn_sync import sync_svn

    if len(options.subjects) > 1:
        raise UsageError(f"{options.action} takes one repository")
    place = options.subjects[0] if options.subjects else "."
    with logbook(options) as (book, store):
        if options.action == "sync-git":
            revision = options.revision or "HEAD"
            synced = sync_git(book, store, place, name=options.name, revision=revision)
        else:
            synced = sync_svn(book, store, place, name=options.name)
    return Result(data=synced, text=_lines(synced))


def _lines(synced: Synced) -> Iterator[Line]:
    from custody.cli.render.table import count

    things = "commit" if synced.repo_type == "git" else "revision"
    for note in synced.notes:
        yield Line(f"note: {note}", "warn", hang=6)
    if synced.without_patch:
        yield Line(f"{count(synced.without_patch, things)} changed no file, as merges do")
    if synced.cut:
        told = f"{_patches(synced.cut)} too large to keep: what they changed is listed"
        yield Line(told, "warn", hang=2)
    if synced.binary_files:
        yield Line(f"{count(synced.binary_files, 'binary file')} whose content no patch shows")
    new = f"{count(synced.changes, f'new {things}')}, {_patches(synced.patches)}"
    yield Line(f"{synced.name}: {new}; up to {synced.tip[:12]}", "good", hang=2)


def _patches(number: int) -> str:
    return "1 patch" if number == 1 else f"{number} patches"
