"""The logbook as its users have it, where there is no search."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.histories import GitRepo
from support.shell import Here

pytestmark = pytest.mark.req("E-11")


@pytest.fixture(params=["sqlite", "postgresql"])
def at(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "data" / "custody" / "logbook.sqlite")
    return str(request.getfixturevalue("database"))


@pytest.mark.req("E-05")
def test_a_history_and_files_are_kept_and_resolved(user: Here, repo: GitRepo, at: str) -> None:
    off = {"SEEKDB_ENABLE": "0", "CUSTODY_LOGBOOK": at}
    synced = user("logbook", "sync-git", str(repo.folder), "--json", **off)
    assert (synced.code, synced.data["changes"], synced.data["patches"]) == (0, 3, 3)
    user.write("report.txt", "all is well\n")
    added = user("logbook", "add", "report.txt", "--json", **off)
    uri = added.data["attachments"][0]["evidence_uri"]
    resolved = user("evidence", "resolve", uri, **off)
    assert (resolved.code, resolved.out) == (0, "all is well\n")
    patches = user("logbook", "show", "patches", "--json", **off).data["patches"]
    shown = user("evidence", "resolve", patches[1]["evidence_uri"], **off)
    assert "+    return 2\n" in shown.out
    verified = user("logbook", "verify", "--json", **off)
    assert (verified.code, verified.data["intact"], verified.data["pointers"]) == (0, True, 4)


def test_what_was_done_to_the_bytes_is_found(user: Here, repo: GitRepo, at: str) -> None:
    off = {"SEEKDB_ENABLE": "0", "CUSTODY_LOGBOOK": at}
    user("logbook", "sync-git", str(repo.folder), **off)
    patch = user("logbook", "show", "patches", "--json", **off).data["patches"][0]
    place = user.folder / "data" / "custody" / "artifacts" / "blobs" / patch["uri"]
    place.chmod(0o600)
    place.write_bytes(b"forgery")
    assert user("logbook", "verify", **off).code == 1
    resolved = user("evidence", "resolve", patch["evidence_uri"], **off)
    assert (resolved.code, resolved.out) == (1, "")
