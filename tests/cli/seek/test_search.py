"""``custody seek search``."""

from __future__ import annotations

import json
import re

import pytest

from support.shell import Here

pytestmark = pytest.mark.req("E-10")


def test_a_hit_is_evidence_that_is_verified(user: Here) -> None:
    user("seek", "index")
    done = user(
        "seek", "search", "wait", "retries", "--kind", "document", "--output", "packet.json"
    )
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].endswith("Guide  lines 1-3")
    assert lines[1].startswith("      memory://docs/docs/guide.md/")
    assert "      How to wait between two retries." in lines
    assert lines[-1] == "1 hit, as a packet in packet.json"
    verified = user("evidence", "verify", "packet.json")
    assert (verified.code, "1 exact" in verified.out) == (0, True)


def test_the_reference_is_one_of_evidence_refs(user: Here) -> None:
    user("seek", "index")
    found = user("seek", "search", "retry", "--json").data
    assert (found["status"], found["query"], found["legs"]) == ("PASS", "retry", ["words"])
    assert found["notes"] == ["words only: the index has no vectors"]
    kinds = [hit["reference"]["kind"] for hit in found["hits"]]
    assert sorted(kinds) == ["document", "patch", "patch"]
    for hit in found["hits"]:
        said = hit["reference"]
        quoted = user("evidence", "resolve", said["artifact_uri"]).out.encode()
        assert quoted[slice(*said["bytes"])].decode() == said["excerpt"]


def test_how_much_is_found_can_be_said(user: Here) -> None:
    user("seek", "index")
    assert len(user("seek", "search", "retry", "--limit", "1", "--json").data["hits"]) == 1
    assert len(user("seek", "search", "retry", "--each", "2", "--json").data["hits"]) == 3
    alone = user("seek", "search", "retry", "--words-only", "--json").data
    assert (alone["legs"], alone["notes"]) == (["words"], [])


def test_nothing_found_is_no_failure(user: Here) -> None:
    user("seek", "index")
    done = user("seek", "search", "zebra", "--words-only")
    assert (done.code, done.out) == (0, "nothing found\n")


def test_a_hit_that_cannot_be_had_is_told(user: Here) -> None:
    user("seek", "index")
    (user.folder / "docs" / "guide.md").unlink()
    done = user("seek", "search", "guide", "--kind", "document")
    assert done.code == 0
    assert "      gone: " in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("search",), "search needs words"),
        (("search", "x", "--limit", "0"), "--limit is a number from 1 on"),
        (("search", "x", "--each", "0"), "--each is a number from 1 on"),
    ],
)
def test_what_makes_no_sense_is_told(user: Here, words: tuple[str, ...], said: str) -> None:
    done = user("seek", *words)
    assert (done.code, said in done.err) == (1, True)


def test_screens_of_80_columns_hold_it(user: Here) -> None:
    user("seek", "index")
    done = user.on_terminal("seek", "search", "retry", "--words-only", COLUMNS="80")
    shown = re.sub(r"\x1b\[[0-9]*m", "", done.out).splitlines()
    assert max(len(line) for line in shown if "://" not in line) <= 80


def test_an_index_of_other_versions_is_refused_with_what_to_do(user: Here) -> None:
    user("seek", "index")
    from custody.logbook.address import open_database

    where = user("seek", "status", "--json").data["logbook"]
    database = open_database(where)
    with database.writing() as transaction:
        [(text,)] = transaction.run("SELECT value_json FROM seek.settings WHERE name = 'stamp'")
        old = json.dumps({**json.loads(text), "tokenizer": "words-0"})
        transaction.run("UPDATE seek.settings SET value_json = ? WHERE name = 'stamp'", old)
    database.close()
    for action in (("search", "retry"), ("index",)):
        done = user("seek", *action)
        assert done.code == 1
        assert "tokenizer: words-0, now words-2" in done.err
        assert "hint: custody seek index --rebuild" in done.err
    status = user("seek", "status")
    assert (status.code, "words-0, now words-2" in status.out) == (1, True)
    assert user("seek", "index", "--rebuild").code == 0
    assert user("seek", "search", "retry").code == 0


def test_an_index_that_is_empty_says_so(user: Here) -> None:
    done = user("seek", "search", "retry")
    assert done.code == 0
    assert done.out == "the index is empty: `custody seek index` fills it\nnothing found\n"
