"""``find``: a workflow always, pages of the web only where guardrails allow them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody import api
from custody.model.event import GateFailed
from support.bench import Bench
from support.web import WebServer, web_server

BODY = 'find [type=find, query="Repair the failing tests of the parser"] start -> find -> done'
PAGE = (
    "<html><head><title>Parser tests</title></head><body><h2 id=repair>Repair</h2>"
    "<p>How to repair failing tests of a parser.</p></body></html>"
)
RESULT, WEB = "artifacts/find_result.json", "artifacts/find_web.json"


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    with web_server() as server:
        config = tmp_path / "config" / "custody"
        config.mkdir(parents=True)
        (config / "custody.toml").write_text(
            f'[web]\nsearch = "{server.url("/search?q={query}")}"\n'
            f'plain_http = ["{server.server}"]\nprivate = ["{server.server}"]\n'
        )
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        yield server


def rails(*lines: str, mode: str = "resolver_plus_web") -> dict[str, bytes]:
    text = [f"find_mode: {mode}", "max_files: 9", "max_total_bytes: 999", "max_iterations: 3"]
    return {"artifacts/guardrails.md": "\n".join([*text, *lines, ""]).encode()}


def allowing(server: str, pages: int = 3) -> dict[str, bytes]:
    return rails(f"allow_domains: {server}", "max_queries: 2", f"max_pages: {pages}")


def holds(bench: Bench) -> None:
    assert not api.verify("r1", runsdir=str(bench.runsdir)).mismatches
    api.replay("r1", runsdir=str(bench.runsdir))


def run(bench: Bench, documents: dict[str, bytes] | None = None, body: str = BODY) -> str:
    return bench.run(body, documents=documents or {}).summary.status


@pytest.mark.req("C-10")
@pytest.mark.parametrize("documents", [{}, rails(mode="resolver_only")])
def test_without_leave_nothing_but_the_registry_is_asked(
    bench: Bench, web: WebServer, documents: dict[str, bytes]
) -> None:
    flow = bench.workdir / "workflows/parse.dot"
    flow.parent.mkdir()
    flow.write_text('digraph p { graph [version="7", tags="parser, repair, fail, test"] }')
    assert run(bench, documents) == "PASS"
    found = json.loads(bench.path(RESULT).read_text())
    assert (found["selected_workflow_id"], found["selected_version"]) == (
        "workflows/parse.dot",
        "7",
    )
    assert not bench.path(WEB).exists()
    assert web.heads == []
    holds(bench)


@pytest.mark.req("C-11")
def test_the_web_is_asked_once_and_a_replay_asks_nobody(bench: Bench, web: WebServer) -> None:
    url = web.put("/page", PAGE)
    other = "https://evil.example/"
    web.put("/search", json.dumps({"results": [{"url": url}, {"url": other}]}), "application/json")
    assert run(bench, allowing(web.server)) == "PASS"
    found = json.loads(bench.path(WEB).read_text())
    assert list(found) == ["schema_version", "constraints", "results"]
    assert found["constraints"] == {
        "allow_domains": [web.server],
        "max_queries": 2,
        "max_pages": 3,
    }
    (result,) = found["results"]
    assert (result["url"], result["locator"]) == (url, {"type": "anchor", "value": "repair"})
    assert result["excerpt"] == "Repair\nHow to repair failing tests of a parser."
    assert result["risk_flags"] == ["not_https"]
    asked = len(web.heads)
    web.pages.clear()
    holds(bench)
    assert len(web.heads) == asked


@pytest.mark.req("C-11")
def test_pages_may_be_named_by_the_node(bench: Bench, web: WebServer) -> None:
    url = web.put("/page", PAGE)
    body = f'find [type=find, query="parser", urls="{url}"] start -> find -> done'
    assert run(bench, allowing(web.server, pages=1), body) == "PASS"
    assert [item["url"] for item in json.loads(bench.path(WEB).read_text())["results"]] == [url]
    holds(bench)


def test_guardrails_that_make_no_sense_are_no_leave(bench: Bench, web: WebServer) -> None:
    assert run(bench, rails("allow_domains: *", "max_queries: 1", "max_pages: 1")) == "FAIL"
    (gate,) = [fact for fact in bench.facts() if isinstance(fact, GateFailed)]
    assert [verdict.code for verdict in gate.verdicts] == ["guardrails"]
    assert web.heads == []
    holds(bench)


def test_a_repository_cannot_name_a_search(bench: Bench, web: WebServer) -> None:
    (bench.workdir / "custody.toml").write_text(f'[web]\nsearch = "{web.url("/evil?q={query}")}"\n')
    web.put("/search", "[]", "application/json")
    assert run(bench, allowing(web.server)) == "PASS"
    assert not [head for head in web.heads if "/evil" in head]


def test_a_search_that_is_none_is_told(
    bench: Bench, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUSTODY_WEB_SEARCH", "nowhere {query}")
    assert run(bench, allowing(web.server)) == "PASS"
    assert json.loads(bench.path(WEB).read_text())["results"] == []
    assert "is no address" in bench.path("nodes/find/1.1/status.json").read_text()
