"""The librarian answers the file request of a run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from custody import api
from custody.model.event import GateFailed, StageFailed
from custody.model.record import encode
from support.bench import Bench
from support.packing import Library, some, whole

PACK = "pack [type=context_pack] start -> pack -> done"


@pytest.fixture
def library(bench: Bench) -> Library:
    library = Library(bench.workdir)
    library.write("src/a.py", "one\r\ntwo\n")
    library.write("secret/b.py", "x\n")
    return library


def given(library: Library, *needs: Any, **budget: int) -> dict[str, bytes]:
    request = library.request(*needs, **budget)
    return {"artifacts/file_request.json": json.dumps(request).encode()}


def holds(bench: Bench) -> None:
    assert not api.verify("r1", runsdir=str(bench.runsdir)).mismatches
    api.replay("r1", runsdir=str(bench.runsdir))


@pytest.mark.req("C-03", "C-09", "C-25")
def test_the_librarian_answers_the_request_of_a_run(bench: Bench, library: Library) -> None:
    documents = given(library, whole("src/a.py"), some("src/a.py", (2, 2)), whole("secret/b.py"))
    body = 'pack [type=context_pack, block_read_paths="secret/"] start -> pack -> done'
    assert bench.run(body, documents=documents).summary.status == "PASS"
    pack = json.loads(bench.path("artifacts/context_pack.json").read_text())
    assert pack["files"][-1]["content"] == "one\r\ntwo\n"
    assert pack["repo_slug"] == bench.workdir.name, "as `custody pack` calls it"
    assert [item["reason"] for item in pack["omitted"]] == ["irrelevant", "denied"]
    assert not bench.path("artifacts/context_pack.failure.json").exists()
    holds(bench)


@pytest.mark.req("C-03")
def test_a_pack_that_cannot_be_made_fails_the_stage(bench: Bench, library: Library) -> None:
    run = bench.run(PACK, documents=given(library, whole("src/a.py"), max_files=2))
    assert run.summary.status == "FAIL"
    failure = json.loads(bench.path("artifacts/context_pack.failure.json").read_text())
    assert (failure["code"], failure["raise_by"]["max_files"]) == ("budget_too_small", 1)
    (gate,) = [fact for fact in bench.facts() if isinstance(fact, GateFailed)]
    assert [verdict.code for verdict in gate.verdicts] == ["budget_too_small"]
    (failed,) = [fact for fact in bench.facts() if isinstance(fact, StageFailed)]
    assert "raise max_files by 1 to 3" in failed.outcome.failure_reason
    holds(bench)


RAILS = "find_mode: resolver_only\nmax_files: 9\nmax_total_bytes: 9000\nmax_iterations: 3\n"


@pytest.mark.req("C-01")
@pytest.mark.parametrize(
    ("budget", "told"),
    [
        ({"max_files": 9, "max_total_bytes": 9000}, ""),
        ({"max_files": 10, "max_total_bytes": 9000}, "max_files=10 is more than the guardrails"),
        ({"max_files": 9, "max_total_bytes": 9001}, "max_total_bytes=9001 is more than"),
    ],
)
def test_no_request_may_ask_for_more_than_the_guardrails_give(
    bench: Bench, library: Library, budget: dict[str, int], told: str
) -> None:
    documents = given(library, whole("src/a.py"), **budget)
    documents["artifacts/guardrails.md"] = RAILS.encode()
    assert bench.run(PACK, documents=documents).summary.status == ("FAIL" if told else "PASS")
    failed = [f.outcome.failure_reason for f in bench.facts() if isinstance(f, StageFailed)]
    assert [told in reason for reason in failed if reason.startswith("artifacts/")] == (
        [True] if told else []
    )
    assert bench.path("artifacts/context_pack.json").exists() is not bool(told)
    holds(bench)


def test_without_a_request_there_is_nothing_to_answer(bench: Bench, library: Library) -> None:
    assert library.folder.exists()
    assert bench.run(PACK).summary.status == "FAIL"
    holds(bench)


@pytest.mark.req("C-25")
def test_a_pack_that_was_handed_in_is_kept(bench: Bench, library: Library) -> None:
    documents = given(library, whole("src/a.py"))
    pack = encode(library.pack(max_files=3))
    documents["artifacts/context_pack.json"] = pack
    assert bench.run(PACK, documents=documents).summary.status == "PASS"
    assert bench.path("artifacts/context_pack.json").read_bytes() == pack
    holds(bench)


def test_what_was_handed_in_must_be_a_pack(bench: Bench) -> None:
    documents = {"artifacts/context_pack.json": b"{}\n"}
    assert bench.run(PACK, documents=documents).summary.status == "FAIL"
    (gate,) = [fact for fact in bench.facts() if isinstance(fact, GateFailed)]
    assert [verdict.code for verdict in gate.verdicts] == ["type"]
    holds(bench)
