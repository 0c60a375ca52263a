"""Context packs: made, well-formed, within the budget."""

from __future__ import annotations

import json
from typing import Any

import pytest

from custody.checks.gates import Case
from custody.checks.gates.context_pack import ContextPackGate
from custody.model.change import WorkspaceDiff
from custody.model.evidence import Evidence
from custody.model.request import Ack, AgentRequest, AnyRequest, StepRequest

PACK = "artifacts/context_pack.json"
FAILURE = "artifacts/context_pack.failure.json"
REQUEST = {
    "schema_version": "ctcp-file-request-v1",
    "goal": "g",
    "needs": [],
    "budget": {"max_files": 1, "max_total_bytes": 4},
    "reason": "r",
}


def pack(*contents: str) -> str:
    files = [{"path": "a", "why": "w", "content": text} for text in contents]
    return json.dumps(
        {
            "schema_version": "ctcp-context-pack-v1",
            "goal": "g",
            "repo_slug": "s",
            "summary": "s",
            "files": files,
            "omitted": [],
        }
    )


def judge(wrote: dict[str, str], *, handed_in: bool = False, redacted: int = 0) -> list[Any]:
    asked = Evidence.of_text("artifacts/file_request.json", json.dumps(REQUEST))
    documents = {path: Evidence.of_text(path, text) for path, text in wrote.items()}
    request: AnyRequest | None = StepRequest(
        id="a/1.1", timeout=1.0, step="context_pack", inputs={"request": asked}
    )
    case = Case(
        request=None if handed_in else request,
        ack=Ack(
            request_id="a/1.1",
            status="ok",
            evidence=() if handed_in else tuple(documents.values()),
            redacted=redacted,
        ),
        diff=WorkspaceDiff(changes=()),
        read=lambda evidence: (evidence.text or "").encode(),
        content=lambda _sha256: b"",
        documents=documents,
        written=lambda evidence: (evidence.text or "").encode(),
    )
    return [verdict.code for verdict in ContextPackGate().judge(case)]


@pytest.mark.req("C-07", "C-09")
@pytest.mark.parametrize(
    ("wrote", "codes"),
    [
        ({PACK: pack("abcd")}, []),
        ({PACK: pack("abcde")}, ["budget"]),
        ({PACK: pack("a", "b")}, ["budget"]),
        ({PACK: "{}"}, ["type"]),
        ({PACK: pack("abcd").replace("pack-v1", "pack-v2")}, ["type"]),
        ({}, ["missing"]),
        ({FAILURE: "no JSON"}, ["json"]),
        (
            {
                FAILURE: '{"schema_version": "custody-context-pack-failure-v1",'
                ' "code": "mandatory_missing", "message": "AGENTS.md"}'
            },
            ["mandatory_missing"],
        ),
    ],
)
def test_what_the_librarian_left(wrote: dict[str, str], codes: list[str]) -> None:
    assert judge(wrote) == codes


def test_what_a_mark_takes_in_the_place_of_a_secret_is_not_counted() -> None:
    assert judge({PACK: pack("[redacted]")}, redacted=1) == []


@pytest.mark.req("C-25")
def test_a_pack_that_was_handed_in_needs_no_request() -> None:
    assert judge({PACK: pack("abcde")}, handed_in=True) == []
    assert judge({PACK: "[]"}, handed_in=True) == ["type"]


def test_a_pack_that_a_person_makes_keeps_to_the_budget_as_well() -> None:
    request = AgentRequest(
        id="a/1.1", timeout=1.0, agent="manual_outbox", prompt=Evidence.of_text("p.md", ""), call=1
    )
    documents = {
        path: Evidence.of_text(path, text)
        for path, text in {
            PACK: pack("abcde"), "artifacts/file_request.json": json.dumps(REQUEST)
        }.items()
    }  # fmt: skip
    case = Case(
        request=request,
        ack=Ack(request_id="a/1.1", status="ok"),
        diff=WorkspaceDiff(changes=()),
        read=lambda evidence: (evidence.text or "").encode(),
        content=lambda _sha256: b"",
        documents=documents,
        written=lambda evidence: (evidence.text or "").encode(),
    )
    assert [verdict.code for verdict in ContextPackGate().judge(case)] == ["budget"]
