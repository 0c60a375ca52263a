"""``find`` as a step, without the web; with it, see `tests/handlers/test_find.py`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody.executors.commands import CommandRunner
from custody.executors.steps import carry_out
from custody.model.evidence import Evidence
from custody.model.request import Ack, StepRequest
from support.stages import StageSite

WRITES = ("artifacts/find_result.json", "artifacts/find_web.json")


def runner() -> CommandRunner:
    raise AssertionError("no program is started here")


def ask(place: StageSite, rails: str = "") -> Ack:
    given = {"guardrails": Evidence.of_text("artifacts/guardrails.md", rails)} if rails else {}
    request = StepRequest(
        id="a/1.1",
        timeout=9.0,
        step="find",
        inputs=given,
        settings={"goal": "Repair the failing tests"},
        writes=WRITES,
    )
    return carry_out(request, place.stage(), runner)


def test_the_registry_is_asked(place: StageSite) -> None:
    ack = ask(place)
    assert [item.path for item in ack.evidence] == [WRITES[0]]
    assert ack.notes == "selected fix_test"
    written = place.run.document(ack.evidence[0])
    assert json.loads(written)["selected_workflow_id"] == "fix_test"


def test_settings_that_make_no_sense_are_told(place: StageSite) -> None:
    Path(place.workspace.path, "custody.toml").write_text("[change]\nworkflows = 1\n")
    assert "custody.toml [change]" in ask(place).notes


def test_a_search_that_nobody_has_set_up_is_told(
    place: StageSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    rails = (
        "find_mode: resolver_plus_web\nmax_files: 1\nmax_total_bytes: 1\nmax_iterations: 1\n"
        "allow_domains: a.example\nmax_queries: 1\nmax_pages: 1\n"
    )
    monkeypatch.delenv("CUSTODY_WEB_SEARCH", raising=False)
    assert "no search is set up" in ask(place, rails).notes
    monkeypatch.setenv("CUSTODY_WEB_SEARCH", "http://127.0.0.1:1/?q={query}")
    assert "no search is set up" not in ask(place, rails).notes


def test_guardrails_that_make_no_sense_allow_nothing(place: StageSite) -> None:
    ack = ask(place, "find_mode: resolver_plus_web\n")
    assert [item.path for item in ack.evidence] == [WRITES[0]]
