"""Documents that the user hands in when a run begins, and who has which role."""

from __future__ import annotations

import json
from typing import Any

import pytest

from custody import api
from custody.errors import UsageError
from custody.model.event import PipelineStarted, StageStarted
from custody.model.request import AgentRequest
from support.bench import Bench
from support.ending import ends_before

LONG = b"# Rules\n" + b"no more than this\n" * 200
GIVEN = {"artifacts/guardrails.md": b"max_files: 3\n", "artifacts/rules.md": LONG}
BODY = (
    'a [prompt="Keep to ${doc:artifacts/guardrails.md} ${doc:artifacts/rules.md}", role=chair]\n'
    'b [prompt="b"]\nstart -> a -> b -> done'
)


def asked(bench: Bench, run_id: str = "r1") -> dict[str, AgentRequest]:
    facts = (fact for fact in bench.facts(run_id) if isinstance(fact, StageStarted))
    return {f.node: f.request for f in facts if isinstance(f.request, AgentRequest)}


def holds(bench: Bench, run_id: str = "r1") -> bool:
    return not api.verify(run_id, runsdir=str(bench.runsdir)).mismatches


def test_a_run_has_them_from_its_beginning(bench: Bench) -> None:
    assert bench.run(BODY, documents=GIVEN).summary.status == "PASS"
    prompt = bench.path("nodes/a/1.1/prompt.md").read_text()
    assert "max_files: 3" in prompt
    assert LONG.decode().rstrip() in prompt
    for path, data in GIVEN.items():
        assert bench.path(path).read_bytes() == data
    assert holds(bench)
    api.replay("r1", runsdir=str(bench.runsdir))


def test_the_first_line_and_the_manifest_name_them(bench: Bench) -> None:
    bench.run(BODY, documents=GIVEN, roles={"chair": "stub"})
    started = bench.facts()[0]
    assert isinstance(started, PipelineStarted)
    assert [document.path for document in started.documents] == [*GIVEN]
    assert [document.text for document in started.documents] == ["max_files: 3\n", None]
    manifest = json.loads(bench.path("manifest.json").read_text())
    assert [document["path"] for document in manifest["documents"]] == [*GIVEN]
    assert manifest["roles"] == {"chair": "stub"}


def test_a_run_without_any_says_nothing_of_them(bench: Bench) -> None:
    bench.run("start -> done")
    manifest = json.loads(bench.path("manifest.json").read_text())
    assert not {"roles", "documents"} & manifest.keys()


@pytest.mark.parametrize("path", GIVEN)
@pytest.mark.parametrize("spoiled", [True, False], ids=["spoiled", "gone"])
def test_a_resume_puts_them_back(bench: Bench, path: str, spoiled: bool) -> None:
    with ends_before(StageStarted, "b"):
        bench.run(BODY, documents=GIVEN)
    if spoiled:
        bench.path(path).write_text("something else")
    else:
        bench.path(path).unlink()
    assert api.resume("r1", runsdir=str(bench.runsdir)).summary.status == "PASS"
    assert bench.path(path).read_bytes() == GIVEN[path]
    assert holds(bench)


def test_a_fork_has_them_and_the_roles(bench: Bench) -> None:
    bench.run(BODY, documents=GIVEN, roles={"chair": "stub"})
    api.fork("r1", "a", runsdir=str(bench.runsdir), run_id="r2")
    assert bench.path("artifacts/rules.md", "r2").read_bytes() == LONG
    assert asked(bench, "r2")["a"].agent == "stub"
    assert holds(bench, "r2")


def test_what_was_changed_afterwards_is_found(bench: Bench) -> None:
    bench.run(BODY, documents=GIVEN)
    bench.path("artifacts/guardrails.md").write_text("max_files: 300\n")
    found = api.verify("r1", runsdir=str(bench.runsdir)).mismatches
    assert [(one.code, one.where) for one in found] == [("evidence", "artifacts/guardrails.md")]


def test_a_secret_in_one_is_not_known_to_the_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "hunter2-hunter2-hunter2")
    bench.run(BODY, documents={**GIVEN, "artifacts/rules.md": b"it is hunter2-hunter2-hunter2\n"})
    assert "hunter2" not in bench.path("artifacts/rules.md").read_text()
    assert "hunter2" not in bench.path("events.jsonl").read_text()


@pytest.mark.parametrize(
    ("documents", "told"),
    [
        ({"plan.md": b""}, "a document lies under docs/, audits/, artifacts/ or reviews/"),
        ({"artifacts/../events.jsonl": b""}, "'artifacts/../events.jsonl'"),
        ({"artifacts": b""}, "not at 'artifacts'"),
    ],
)
def test_only_a_document_can_be_handed_in(bench: Bench, documents: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        bench.run(BODY, documents=documents)
    assert not bench.path("").exists()


def test_a_role_is_had_by_who_is_named_for_it(bench: Bench) -> None:
    bench.run(BODY, documents=GIVEN, roles={"chair": "stub"})
    assert {node: request.agent for node, request in asked(bench).items()} == {
        "a": "stub",
        "b": "fake",
    }


def test_a_node_may_name_its_agent_all_the_same(bench: Bench) -> None:
    bench.run('a [prompt="x", role=chair, agent=fake]\nb [prompt="x", role=chair]\n'
              "start -> a -> b -> done", roles={"chair": "stub"})  # fmt: skip
    assert [request.agent for request in asked(bench).values()] == ["fake", "stub"]


def test_a_role_that_nobody_has_is_refused(bench: Bench) -> None:
    with pytest.raises(UsageError, match="no role 'chef'") as refused:
        bench.run(BODY, roles={"chef": "stub"})
    assert "chair" in refused.value.hint


def test_an_agent_of_a_role_must_be_there(bench: Bench) -> None:
    with pytest.raises(UsageError, match="no agent named 'nobody'"):
        bench.run(BODY, roles={"chair": "nobody"})


@pytest.mark.parametrize(
    "other",
    [{"roles": {"chair": "fake"}}, {"documents": {"artifacts/rules.md": b"others"}}],
    ids=["role", "document"],
)
def test_a_run_goes_on_with_no_others(bench: Bench, other: dict[str, Any]) -> None:
    with ends_before(StageStarted, "b"):
        bench.run(BODY, documents=GIVEN, roles={"chair": "stub"})
    with pytest.raises(UsageError, match="was begun otherwise"):
        bench.run(BODY, resume_existing=True, by_name=[], **other)
