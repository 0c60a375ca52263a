"""A logbook on a PostgreSQL server, by psycopg: the extra ``postgres``.

A connection is taken from a pool and looked at first, so that one that the server has dropped
costs nobody his work. What is lost in the middle of a transaction begins again where that is safe
(`Postgres.repeat`), for as long as `PATIENCE`.
"""

from __future__ import annotations

import hashlib
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from custody.errors import CustodyError, LogbookFailed, StorageFailed, UsageError
from custody.logbook import Dialect, Transaction

if TYPE_CHECKING:
    import psycopg

PATIENCE = 60.0
"""Seconds for which a server that was there is waited for."""
_FIRST_CONTACT = 20
"""Seconds for which a server that was never there is waited for."""
_MOST = 4
"""Connections at once."""
_PAUSES = (0.05, 2.0)
"""Seconds: the first pause before work begins again, and the longest."""

_T = TypeVar("_T")


class Postgres:
    """A database of a server."""

    dialect: Dialect = "postgresql"

    def __init__(self, url: str, *, patience: float = PATIENCE) -> None:
        """Reach it once, so that what is wrong with the address is told now."""
        psycopg = _package(url)
        from psycopg_pool import ConnectionPool

        _keep_quiet()
        self.where = shown(url)
        self._patience = patience
        settings = {"application_name": "custody", "client_encoding": "utf8"}
        with self._told():
            psycopg.connect(url, connect_timeout=_FIRST_CONTACT, **settings).close()
        self._pool = ConnectionPool(
            url,
            kwargs=settings,
            min_size=0,
            max_size=_MOST,
            open=True,
            timeout=patience,
            configure=_insist,
            check=ConnectionPool.check_connection,
            name="custody",
        )

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Give a transaction on a connection of its own."""
        with self._transaction() as connection:
            yield _PostgresTransaction(connection)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Give a transaction that sees the database at one moment."""
        with self._transaction() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield _PostgresTransaction(connection)

    def repeat(self, work: Callable[[Transaction], _T]) -> _T:
        """Do it; begin again when the connection was lost, or two transactions were entangled."""
        until = time.monotonic() + self._patience
        pause, longest = _PAUSES
        while True:
            try:
                with self.writing() as transaction:
                    return work(transaction)
            except LogbookFailed as failed:
                if failed.code not in {"unreachable", "busy"} or time.monotonic() > until:
                    raise
            time.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 - nobody must guess it
            pause = min(2 * pause, longest)

    def close(self) -> None:
        """Give the connections back."""
        self._pool.close()

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        with self._told(), self._pool.connection() as connection, connection.transaction():
            yield connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            raise _failure(error, self.where) from error


class _PostgresTransaction:
    """What is run on a connection until it commits."""

    dialect: Dialect = "postgresql"

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        self._connection = connection

    def run(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run one statement."""
        cursor = self._connection.execute(_spelled(statement), values)
        return cursor.fetchall() if cursor.description else []

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run one statement with each row of values."""
        with self._connection.cursor() as cursor:
            cursor.executemany(_spelled(statement), rows)
            return max(cursor.rowcount, 0)

    def lock(self, name: str) -> None:
        """Hold an advisory lock; its number is made of the name."""
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
        self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (number,))


@lru_cache(maxsize=512)
def _spelled(statement: str) -> bytes:
    """Return a statement as psycopg has its values."""
    return statement.replace("%", "%%").replace("?", "%s").encode()


def shown(url: str) -> str:
    """Return a server's address as it may be printed: host and database, no user, no password.

    Raises `UsageError` for what libpq cannot read.
    """
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        said = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except (psycopg.Error, ValueError):
        raise _unreadable() from None
    port, name = said.get("port", ""), said.get("dbname", "")
    if not re.fullmatch(r"[0-9,]*", port) or "@" in name:  # the rest of a password with a slash
        raise _unreadable()
    return f"postgresql://{said.get('host', '')}{':' * bool(port)}{port}/{name}"


def _unreadable() -> UsageError:
    hint = "postgresql://USER@SERVER/DATABASE, what is special in a password as %XX"
    return UsageError("the address of the database cannot be read", hint=hint)


def _insist(connection: psycopg.Connection[Any]) -> None:
    """Let a commit return when it is written, though the server be set up to forget the last."""
    connection.execute(
        "SELECT set_config('synchronous_commit', 'on', false) "
        "WHERE current_setting('synchronous_commit') = 'off'"
    )
    connection.commit()


def _package(url: str) -> Any:
    try:
        import psycopg
        import psycopg_pool  # noqa: F401 - to say it here
    except ImportError:
        what = (
            f"a logbook at {url.partition(':')[0]}:// needs the packages psycopg and psycopg-pool"
        )
        raise UsageError(what, hint="pip install 'custody-runtime[postgres]'") from None
    return psycopg


def _keep_quiet() -> None:
    """Let the pool print nothing: what goes wrong is told by whoever needed a connection."""
    import logging

    logger = logging.getLogger("psycopg.pool")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def _failure(error: psycopg.Error, where: str) -> CustodyError | psycopg.Error:
    """Return what an error means; a statement that is wrong is a bug, and stays one."""
    from psycopg import OperationalError, errors
    from psycopg_pool import PoolTimeout

    said = (str(error).strip() or type(error).__name__).splitlines()[0]
    # The second is a name that is too long for an index, above all.
    if isinstance(error, errors.IntegrityError | errors.ProgramLimitExceeded):
        return LogbookFailed("constraint", said, where=where)
    if isinstance(error, errors.InsufficientPrivilege):
        return LogbookFailed("denied", said, where=where, hint="ask who owns the database")
    if isinstance(error, errors.DiskFull):
        return StorageFailed(said, where=where)
    if isinstance(error, errors.SerializationFailure | errors.DeadlockDetected):
        return LogbookFailed("busy", said, where=where)
    if isinstance(error, PoolTimeout):
        said = "the server does not answer"
    elif not isinstance(error, OperationalError):
        return error
    return LogbookFailed("unreachable", said, where=where, hint="see whether the server runs")
