"""Which database a url means.

    notes/logbook.sqlite                 a file, by its path
    sqlite:///home/me/logbook.sqlite     the same, absolute
    postgresql://me@server/evidence      a database of a PostgreSQL server, as libpq reads it

A url that names a password is taken, and shown without it.
"""

from __future__ import annotations

import os

from custody.errors import UsageError
from custody.logbook import Database
from custody.patterns import later

_SCHEME = later(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SERVERS = ("postgresql", "postgres")
_KNOWN = "a path, sqlite:///PATH or postgresql://…"


def open_database(url: str) -> Database:
    """Open the database that a url means; a file that is missing is made, with its folder.

    Raises `UsageError` for what is no such url, `LogbookFailed` and `StorageFailed` as the
    database does.
    """
    if path := file_of(url):
        from custody.logbook.sqlite import Sqlite

        return Sqlite(path)
    from custody.logbook.postgres import Postgres

    return Postgres(url)


def file_of(url: str) -> str:
    """Return the path of the file that a url means, empty for a server; raises `UsageError`."""
    found = _SCHEME.match(url)
    scheme = found[1].lower() if found else ""
    if scheme in _SERVERS:
        return ""
    if scheme not in {"", "sqlite"}:
        raise UsageError(f"a logbook has no address of {scheme}://", hint=_KNOWN)
    path = url if found is None else url[found.end() :]
    if scheme and not path.startswith("/"):
        raise UsageError("the path of a sqlite:// url is absolute", where=url, hint=_KNOWN)
    if not path.strip() or not path.isprintable() or path.startswith(":"):
        raise UsageError(f"{url!r} cannot be a logbook", hint=_KNOWN)
    return os.path.abspath(os.path.expanduser(path))
