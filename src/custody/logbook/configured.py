"""Where the user's logbook is, and its artifacts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from custody.errors import MalformedDocument, UsageError
from custody.logbook.address import file_of
from custody.logbook.artifacts import ArtifactStore, open_artifacts
from custody.logbook.book import Logbook
from custody.store.own_settings import read_toml, user_file
from custody.store.places import is_file, user_data

LOGBOOK = "logbook"
ARTIFACTS = "artifacts"
"""The settings that say where they are."""
_FILE = "logbook.sqlite"
_ARTIFACTS = "artifacts"


class Places(NamedTuple):
    """A logbook and the store of its artifacts."""

    logbook: str
    artifacts: str


def places(
    logbook: str = "", artifacts: str = "", *, environment: Mapping[str, str] | None = None
) -> Places:
    """Return where both are: as named, else by environment, the user's own file, or in his data.

    No file of a project is asked. The artifacts of a logbook in a file lie beside it where nobody
    says anything else. Raises `UsageError` for what is no address.
    """
    variables = os.environ if environment is None else environment
    home = user_data(variables)
    logbook = logbook or _said(LOGBOOK, variables)
    url = logbook or os.path.join(home, _FILE)
    file = file_of(url)
    beside = os.path.join(os.path.dirname(file) or home, _ARTIFACTS)
    return Places(url, artifacts or _said(ARTIFACTS, variables) or beside)


@contextmanager
def opened(logbook: str = "", artifacts: str = "") -> Iterator[tuple[Logbook, ArtifactStore]]:
    """Open both; what is missing is made."""
    with _open(places(logbook, artifacts)) as both:
        yield both


def refuse_missing(url: str) -> None:
    """Raise `UsageError` where there is no logbook: nothing can be said of one that is made now."""
    if (file := file_of(url)) and not is_file(file):
        hint = "`custody logbook add`, `logbook sync-git` and `seek index` begin one"
        raise UsageError("there is no logbook", where=file, hint=hint)


@contextmanager
def existing(
    environment: Mapping[str, str],
) -> Iterator[tuple[Logbook, ArtifactStore] | tuple[None, None]]:
    """Open both if there is a logbook: one in a file that is missing is not made."""
    where = places(environment=environment)
    if (file := file_of(where.logbook)) and not is_file(file):
        yield None, None
        return
    with _open(where) as both:
        yield both


@contextmanager
def _open(where: Places) -> Iterator[tuple[Logbook, ArtifactStore]]:
    with Logbook.open(where.logbook) as book:
        store = open_artifacts(where.artifacts)
        try:
            yield book, store
        finally:
            store.close()


def _said(name: str, environment: Mapping[str, str]) -> str:
    """Return what the environment or the user's own file says of one of the two; empty for none."""
    if value := environment.get(f"CUSTODY_{name.upper()}", ""):
        return value
    file = user_file(environment)
    said = read_toml(file).get(name, "") if is_file(file) else ""
    if not isinstance(said, str):
        raise MalformedDocument("type", f"{name} must be a string", where=file)
    return said
