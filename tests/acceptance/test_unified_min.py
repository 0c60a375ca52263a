"""The shortest way through all of it: a history, its evidence, a packet, and the search."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec

import pytest

from support.histories import GitRepo
from support.shell import Here

pytestmark = pytest.mark.req("E-11")


def test_from_a_history_to_a_packet_that_is_verified(user: Here, repo: GitRepo) -> None:
    assert user("logbook", "sync-git", str(repo.folder), "--name", "it").code == 0
    [_, patch, _] = user("logbook", "show", "patches", "--json").data["patches"]
    parsed = user("evidence", "parse", patch["evidence_uri"], "--json")
    assert parsed.code == 0
    quoted = user("evidence", "quote", patch["evidence_uri"], "--json").data
    assert (quoted["sha256"], quoted["source_id"]) == (patch["sha256"], patch["source_id"])
    claim = {
        "claim": "it waits",
        "evidence": [{"uri": patch["evidence_uri"], "excerpt": "+    return 2"}],
    }
    user.write("claims.json", json.dumps({"title": "Claims", "claims": [claim]}))
    built = user("evidence", "build", "claims.json", "--output", "packet.json")
    assert built.code == 0, built.err
    assert user("evidence", "verify", "packet.json").code == 0


@pytest.mark.req("E-10")
def test_the_search_finds_evidence_that_resolves(user: Here, repo: GitRepo) -> None:
    if os.environ.get("SEEKDB_ENABLE") == "0":
        pytest.skip("SEEKDB_ENABLE=0")
    if find_spec("custody.cli.commands.seek") is None:
        pytest.skip("there is no `custody seek`")
    user("logbook", "sync-git", str(repo.folder), "--name", "it")
    indexed = user("seek", "index")
    assert indexed.code == 0, indexed.err
    found = user("seek", "search", "retry", "--json").data
    hits = found["hits"]
    assert hits
    resolved = user("evidence", "resolve", hits[0]["reference"]["artifact_uri"])
    assert (resolved.code, "retry" in resolved.out) == (0, True)


def test_without_the_search_everything_else_is_there(user: Here, repo: GitRepo) -> None:
    off = {"SEEKDB_ENABLE": "0"}
    user("logbook", "sync-git", str(repo.folder), "--name", "it", **off)
    [first, *_] = user("logbook", "show", "patches", "--json", **off).data["patches"]
    assert user("evidence", "resolve", first["evidence_uri"], **off).code == 0
    assert user("logbook", "verify", **off).code == 0
