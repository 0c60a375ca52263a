"""What was found: a workflow always, pages only as the guardrails allow."""

from __future__ import annotations

import json
from typing import Any

import pytest

from custody.checks.gates import Case
from custody.checks.gates.find import FindGate
from custody.model.change import WorkspaceDiff
from custody.model.evidence import Evidence
from custody.model.request import Ack, StepRequest

RESULT, WEB = "artifacts/find_result.json", "artifacts/find_web.json"
GOOD = json.dumps(
    {
        "schema_version": "ctcp-find-result-v1",
        "selected_workflow_id": "change",
        "selected_version": "1",
        "candidates": [],
    }
)
COMMON = "max_files: 9\nmax_total_bytes: 999\nmax_iterations: 3\n"
RAILS = (
    f"find_mode: resolver_plus_web\n{COMMON}"
    "allow_domains: a.example\nmax_queries: 1\nmax_pages: 1\n"
)


def web(*urls: str, pages: int = 1, excerpt: str = "x") -> str:
    results = [
        {
            "url": url,
            "locator": {"type": "heading", "value": "h"},
            "fetched_at": "2026-01-31T10:00:00Z",
            "excerpt": excerpt,
            "why_relevant": "w",
            "risk_flags": [],
        }
        for url in urls
    ]
    limits = {"allow_domains": ["a.example"], "max_queries": 1, "max_pages": pages}
    return json.dumps(
        {"schema_version": "ctcp-find-web-v1", "constraints": limits, "results": results}
    )


def judge(wrote: dict[str, str], rails: str = "") -> list[Any]:
    given = {"guardrails": Evidence.of_text("artifacts/guardrails.md", rails)} if rails else {}
    documents = {path: Evidence.of_text(path, text) for path, text in wrote.items()}
    case = Case(
        request=StepRequest(id="a/1.1", timeout=1.0, step="find", inputs=given),
        ack=Ack(request_id="a/1.1", status="ok", evidence=tuple(documents.values())),
        diff=WorkspaceDiff(changes=()),
        read=lambda evidence: (evidence.text or "").encode(),
        content=lambda _sha256: b"",
        documents=documents,
        written=lambda evidence: (evidence.text or "").encode(),
    )
    return [verdict.code for verdict in FindGate().judge(case)]


@pytest.mark.req("C-10", "C-11")
@pytest.mark.parametrize(
    ("wrote", "rails", "codes"),
    [
        ({RESULT: GOOD}, "", []),
        ({}, "", ["json"]),
        ({RESULT: "{}"}, "", ["type"]),
        ({RESULT: GOOD}, f"find_mode: resolver_only\n{COMMON}", []),
        ({RESULT: GOOD}, RAILS, ["missing"]),
        ({RESULT: GOOD, WEB: web("https://a.example/")}, RAILS, []),
        ({RESULT: GOOD, WEB: web("https://b.a.example/")}, RAILS, []),
        ({RESULT: GOOD, WEB: web()}, "", ["not_allowed"]),
        ({RESULT: GOOD, WEB: web(pages=9)}, RAILS, ["constraints"]),
        (
            {RESULT: GOOD, WEB: web("https://a.example/1", "https://a.example/2")},
            RAILS,
            ["constraints"],
        ),
        ({RESULT: GOOD, WEB: web("https://evil.example/")}, RAILS, ["domain"]),
        ({RESULT: GOOD, WEB: web("no address")}, RAILS, ["domain"]),
        ({RESULT: GOOD, WEB: web("https://a.example/", excerpt="x" * 2001)}, RAILS, ["excerpt"]),
        ({RESULT: GOOD, WEB: web("https://a.example/", excerpt="\n" * 25)}, RAILS, ["excerpt"]),
        ({RESULT: GOOD, WEB: "[]"}, RAILS, ["type"]),
        ({RESULT: GOOD}, "find_mode: yes\n" + COMMON, ["guardrails"]),
    ],
)
def test_what_was_found(wrote: dict[str, str], rails: str, codes: list[str]) -> None:
    assert judge(wrote, rails) == codes
