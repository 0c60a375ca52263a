"""Agents of others are found by the entry point that their distribution declares."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from custody import api
from custody.errors import UsageError
from custody.executors.registry import check_agent, described, rules_of
from support.bench import Bench
from support.plugins import install

CALLABLE = """
from custody import Ack

class Echo:
    '''Says the prompt again.'''

    def __init__(self, argument):
        self.argument = argument

    def work(self, request, stage):
        response = stage.folder.write("response.md", f"{self.argument}: {request.prompt.text}")
        return Ack(request_id=request.id, status="ok", evidence=(response,))
"""
TYPE = """
from custody import Ack, AgentContext, AgentType, setting

class Teller:
    def __init__(self, argument, context):
        self.context = context

    def work(self, request, stage):
        return self.context.run(["printenv", "TOLD"], request, stage)

TELLER = AgentType(
    name="teller",
    doc="Tells a variable.",
    make=Teller,
    starts_programs=True,
    settings=(setting("volume", "integer", "How loud."), *AgentContext.program_settings),
)
"""
BROKEN = "raise ImportError('no such thing')"
ASK = 'start -> build -> done\n build [prompt="Hello."{}]'


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of the import path."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    return site


def test_a_callable_is_asked_by_its_name(bench: Bench, site: Path) -> None:
    install(site, "echo", CALLABLE, "Echo")
    bench.run(ASK.format(""), agent="echo:you said")
    assert bench.path("nodes/build/1.1/response.md").read_text() == "you said: Hello.\n"
    kind = check_agent("echo")
    assert (kind.doc, kind.starts_programs, kind.parallel) == (
        "Says the prompt again.",
        True,
        False,
    )


def test_a_name_that_nobody_declares_is_told(bench: Bench, site: Path) -> None:
    install(site, "echo", CALLABLE, "Echo")
    with pytest.raises(UsageError, match="no agent named 'ecko'") as told:
        bench.run(ASK.format(""), agent="ecko")
    assert "ollama_agent" in told.value.hint
    assert told.value.hint.endswith("echo")


@pytest.mark.req("U-17")
def test_a_type_gets_runner_and_settings(
    bench: Bench, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(site, "teller", TYPE, "TELLER")
    monkeypatch.setenv("TOLD", "once")
    bench.run(ASK.format(", teller.env=TOLD"), agent="teller")
    assert bench.path("nodes/build/1.1/response.md").read_text() == "once\n"
    assert bench.path("nodes/build/1.1/teller.stdout.log").read_text() == "once\n"
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()


@pytest.mark.req("U-17")
def test_its_settings_are_checked(bench: Bench, site: Path) -> None:
    install(site, "teller", TYPE, "TELLER")
    body = ASK.format(", teller.volume=loud, teller.volumes=1")
    _, findings = api.check(bench.pipeline(body))
    assert [finding.code for finding in findings] == ["attribute", "unknown_attribute"]
    hints = [finding.hint for finding in findings if finding.hint]
    assert hints == ["did you mean 'teller.volume'?"]


def test_a_replay_needs_no_agent(bench: Bench, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(site, "gone", TYPE.replace('"teller"', '"gone"'), "TELLER")
    monkeypatch.setenv("TOLD", "once")
    bench.run(ASK.format(", gone.env=TOLD"), agent="gone")
    shutil.rmtree(site)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(site)])
    assert rules_of("gone") == ()
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "PASS"


def test_one_that_cannot_be_loaded_is_told(bench: Bench, site: Path) -> None:
    install(site, "broken", BROKEN, "AGENT")
    with pytest.raises(UsageError, match="'broken' cannot be loaded: ImportError: no such thing"):
        bench.run(ASK.format(""), agent="broken")
    assert described()["broken"].startswith("the agent 'broken' cannot be loaded")


def test_a_type_of_another_name_is_refused(site: Path) -> None:
    install(site, "other", TYPE, "TELLER")
    with pytest.raises(UsageError, match="'other' declares the agent 'teller'"):
        check_agent("other")
