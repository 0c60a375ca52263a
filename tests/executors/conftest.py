"""Agents are tested in whole runs, and what they are made of in one attempt."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.checks.guards.secrets import redactor_for
from custody.executors.commands import CommandRunner
from custody.testing.model_server import ModelServer, Script, Turn
from support.bench import Bench
from support.chat import ANSWER, SECRET
from support.stages import StageSite


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return a fresh place to run pipelines in."""
    return Bench(tmp_path)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[StageSite]:
    """Return a run with attempts to act in."""
    site = StageSite(tmp_path)
    yield site
    site.close()


@pytest.fixture
def runner() -> Iterator[CommandRunner]:
    """Return what runs command lines."""
    made = CommandRunner(redactor_for(os.environ))
    yield made
    made.close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Return a model that writes a file, with the agent configured for it."""
    import openai
    import openai.types.chat  # noqa: F401

    monkeypatch.setenv("THE_KEY", SECRET)
    monkeypatch.setenv("CUSTODY_API_KEY_ENV", "THE_KEY")
    monkeypatch.setenv("CUSTODY_API_MODEL", "scripted")
    with ModelServer(Script.of(Turn(say=ANSWER))) as server:
        monkeypatch.setenv("CUSTODY_API_BASE_URL", f"{server.url}/v1")
        yield server
