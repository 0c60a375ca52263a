"""One real call of an agent tells whether it would work in a stage."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.cli import main
from custody.engine.agent_trial import try_agent
from custody.testing.model_server import ModelServer, Script, Turn
from support.real_agents import program


@pytest.fixture(autouse=True)
def temporaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where temporaries are made."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Return a model, with Claude Code configured for it."""
    monkeypatch.setenv("CUSTODY_CLAUDE_EXECUTABLE", program("claude"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-a")
    with ModelServer(Script.of(Turn(say="ready"))) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


@pytest.mark.req("U-04")
def test_a_real_agent_is_asked_as_a_stage_asks_it(
    server: ModelServer, temporaries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = try_agent("claude")
    assert (made.answered, made.said) == (True, "ready")
    assert made.usage is not None
    assert made.usage.input_tokens == 1000
    assert made.seconds > 0
    assert made.level in {"L2", "L3"}
    server.script = Script.of(Turn(say="no such model", status=400))
    assert main(["doctor", "--agent", "claude"]) == 1
    assert "agent claude did not answer" in capsys.readouterr().out
    assert os.listdir(temporaries) == [], "nothing is left of it"


@pytest.mark.req("U-04")
def test_what_is_missing_is_told_with_a_hint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CUSTODY_CODEX_EXECUTABLE", "no-such-codex")
    monkeypatch.setenv("CUSTODY_CODEX_REACH", "127.0.0.1:1")
    assert main(["doctor", "--agent", "codex"]) == 1
    told = capsys.readouterr().err
    assert "program no-such-codex" in told
    assert "npm install" in told
    assert told.startswith("error: agent codex cannot be asked: ")
    assert "for ask" not in told, "nobody wrote that node"


def test_one_that_asks_nobody_or_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--agent", "stub"]) == 0
    assert "agent stub answered in" in capsys.readouterr().out
    assert main(["doctor", "--agent", "outbox"]) == 0
    assert "asks a person" in capsys.readouterr().out
    assert main(["doctor", "--agent", "nobody"]) == 1
