"""The repositories whose histories the logbook follows, and what it holds of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from custody.logbook import Transaction
from custody.logbook.change import HistoryChange
from custody.logbook.clock import utc_now
from custody.logbook.records import Repo
from custody.logbook.text import checked, meta_text, shortened

_COLUMNS = "repo_id, repo_type, name, location"


def add_repo(
    transaction: Transaction, repo_type: Literal["git", "svn"], name: str, location: str
) -> Repo:
    """Return the repository of that name, added if it was missing; it is where it was seen last."""
    statement = f"SELECT {_COLUMNS} FROM scm.repos WHERE repo_type = ? AND name = ?"
    found = [_repo(row) for row in transaction.run(statement, repo_type, name)]
    if not found or found[0].location != location:
        transaction.run(
            """INSERT INTO scm.repos (repo_type, name, location, added_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (repo_type, name) DO UPDATE SET location = excluded.location""",
            repo_type,
            checked("the name of a repository", name),
            checked("the place of a repository", location, longest=4096),
            utc_now(),
        )
        found = [_repo(row) for row in transaction.run(statement, repo_type, name)]
    return found[0]


def repos(transaction: Transaction) -> list[Repo]:
    """Return all of them."""
    rows = transaction.run(f"SELECT {_COLUMNS} FROM scm.repos ORDER BY repo_id")
    return [_repo(row) for row in rows]


def add_commits(transaction: Transaction, repo_id: int, changes: Iterable[HistoryChange]) -> int:
    """Add the commits that are not there; return how many these are."""
    return transaction.many(
        """INSERT INTO scm.git_commits (repo_id, commit_sha, committed_at, subject, meta_json)
        VALUES (?, ?, ?, ?, ?) ON CONFLICT (repo_id, commit_sha) DO NOTHING""",
        [(repo_id, change.name, *_described(change)) for change in changes],
    )


def add_revisions(transaction: Transaction, repo_id: int, changes: Iterable[HistoryChange]) -> int:
    """Add the revisions that are not there; return how many these are."""
    return transaction.many(
        """INSERT INTO scm.svn_revisions (repo_id, revision, committed_at, subject, meta_json)
        VALUES (?, ?, ?, ?, ?) ON CONFLICT (repo_id, revision) DO NOTHING""",
        [(repo_id, int(change.name), *_described(change)) for change in changes],
    )


def known_commits(transaction: Transaction, repo_id: int, names: Sequence[str]) -> set[str]:
    """Return those of some commits that are there."""
    marks = ", ".join("?" * len(names))
    statement = (
        f"SELECT commit_sha FROM scm.git_commits WHERE repo_id = ? AND commit_sha IN ({marks})"
    )
    return {row[0] for row in transaction.run(statement, repo_id, *names)} if names else set()


def commits(
    transaction: Transaction, repo_id: int, *, after: str = "", limit: int = 1000
) -> list[str]:
    """Return commits in the order of their hashes."""
    rows = transaction.run(
        """SELECT commit_sha FROM scm.git_commits WHERE repo_id = ? AND commit_sha > ?
        ORDER BY commit_sha LIMIT ?""",
        repo_id,
        after,
        limit,
    )
    return [row[0] for row in rows]


def _described(change: HistoryChange) -> tuple[str, str, str]:
    return change.committed_at, shortened(change.subject), meta_text(change.about)


def _repo(row: tuple[Any, ...]) -> Repo:
    return Repo(repo_id=row[0], repo_type=row[1], name=row[2], location=row[3])
