"""How the tables of a component come to be: numbered steps, each applied once.

What was applied stands in ``logbook.migrations``, with the hash of the statements. A step that was
applied is never edited: one whose hash is another by now is refused, and so is a database that has
steps which this release does not know.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from custody.errors import LogbookFailed
from custody.logbook import Database, Dialect, Transaction
from custody.logbook.clock import utc_now

LOCK = "custody migrations"
_TABLE = """CREATE TABLE IF NOT EXISTS logbook.migrations (
    component TEXT NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    applied_at TEXT NOT NULL,
    PRIMARY KEY (component, number)
)"""
_THERE: dict[Dialect, str] = {
    "sqlite": "SELECT 1 FROM sqlite_master WHERE name = 'logbook_migrations'",
    "postgresql": "SELECT 1 WHERE to_regclass('logbook.migrations') IS NOT NULL",
}


class Step(NamedTuple):
    """One change of the tables, in the words of each database."""

    number: int
    """From one on, without a gap."""
    name: str
    sqlite: tuple[str, ...]
    postgresql: tuple[str, ...]

    def statements(self, dialect: Dialect) -> tuple[str, ...]:
        """Return what is run."""
        return self.sqlite if dialect == "sqlite" else self.postgresql

    def sha256(self, dialect: Dialect) -> str:
        """Return the hash by which it is seen that a step was edited."""
        return hashlib.sha256("\0".join(self.statements(dialect)).encode()).hexdigest()


class Component(NamedTuple):
    """Tables that belong together, with a version of their own: the number of their last step."""

    name: str
    steps: tuple[Step, ...]


def migrate(database: Database, *components: Component) -> list[str]:
    """Apply what is missing; return it as ``component:number name``.

    Nothing is written, and no right to write is needed, where nothing is missing. Of several
    processes one applies a step; all of what is missing is applied, or nothing. Raises
    `LogbookFailed` with ``newer`` or ``changed``.
    """
    with database.reading() as transaction:
        if not any(_missing(transaction, component, database.where) for component in components):
            return []
    return database.repeat(lambda transaction: _apply(transaction, components, database.where))


def _apply(transaction: Transaction, components: tuple[Component, ...], where: str) -> list[str]:
    transaction.lock(LOCK)
    if transaction.dialect == "postgresql":
        transaction.run("CREATE SCHEMA IF NOT EXISTS logbook")
    transaction.run(_TABLE)
    applied = []
    for component in components:
        for step in _missing(transaction, component, where):
            for statement in step.statements(transaction.dialect):
                transaction.run(statement)
            _note(transaction, component, step)
            applied.append(f"{component.name}:{step.number} {step.name}")
    return applied


def _note(transaction: Transaction, component: Component, step: Step) -> None:
    values = (component.name, step.number, step.name, step.sha256(transaction.dialect), utc_now())
    transaction.run("INSERT INTO logbook.migrations VALUES (?, ?, ?, ?, ?)", *values)


def _missing(transaction: Transaction, component: Component, where: str) -> tuple[Step, ...]:
    """Return the steps that are still to be applied; raises when the others do not fit."""
    applied = _applied(transaction, component)
    if len(applied) > len(component.steps):
        what = f"its tables of {component.name!r} are those of a newer release: step {len(applied)}"
        hint = f"this release knows {len(component.steps)}; update custody"
        raise LogbookFailed("newer", what, where=where, hint=hint)
    for step, (number, sha256) in zip(component.steps, applied, strict=False):
        if number != step.number or sha256 != step.sha256(transaction.dialect):
            what = f"step {step.number} of {component.name!r} was applied with other statements"
            raise LogbookFailed("changed", what, where=where, hint="restore the step as it was")
    return component.steps[len(applied) :]


def _applied(transaction: Transaction, component: Component) -> list[tuple[Any, ...]]:
    if not transaction.run(_THERE[transaction.dialect]):
        return []
    return transaction.run(
        "SELECT number, sha256 FROM logbook.migrations WHERE component = ? ORDER BY number",
        component.name,
    )
