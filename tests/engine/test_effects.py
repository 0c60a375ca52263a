"""A request is carried out once it is durable, and what came of it is captured."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from custody import api
from custody.checks.guards.secrets import redactor_for
from custody.engine.ask import Asked, Performed
from custody.engine.effects import Effects
from custody.engine.interruption import Interruption
from custody.executors.dispatch import Dispatch
from custody.model.confinement import ChosenLevel
from custody.model.event import AnyFact, PipelineStarted
from custody.model.evidence import Evidence
from custody.model.request import (
    AgentRequest,
    AnyRequest,
    Command,
    CommandLine,
    ToolRequest,
    WriteRequest,
)
from custody.store.history import History
from custody.store.journal import Journal
from custody.store.rundir import RunDirectory
from custody.workspace.workspace import Workspace
from support.bench import Bench
from support.facts import sample

BODY = 'n [prompt="x"] start -> n -> done'
UNCONFINED = ChosenLevel(level="L1", asked=True)


class Site:
    """A run that has begun, and the effects on it."""

    def __init__(
        self,
        bench: Bench,
        stack: ExitStack,
        level: ChosenLevel | None = UNCONFINED,
    ) -> None:
        self.node = api.load(bench.pipeline(BODY)).nodes["n"]
        self.run = stack.enter_context(RunDirectory.create(str(bench.runsdir), "r1"))
        self.workspace = stack.enter_context(
            closing(Workspace.create(self.run, str(bench.workdir)))
        )
        started: PipelineStarted = sample(
            PipelineStarted,
            workspace=self.workspace.base,
            confinement=level,
        )
        journal = stack.enter_context(closing(Journal.create(self.run.root, "r1")))
        history = History(self.run)
        history.note(journal.append(started, role="engine", path=""), started)
        journal.commit()
        self.run.publish()
        redactor = redactor_for(os.environ)
        dispatch = stack.enter_context(closing(Dispatch(self.run.root, {}, redactor)))
        self.effects = Effects(history, self.workspace, dispatch, Interruption(), redactor)
        self.order: list[str] = []
        self.told: list[AnyFact] = []
        self._attempt = 0

    def perform(self, request: AnyRequest, *, accepts: bool = True) -> Performed:
        """Carry out a request; note when it was committed."""
        self._attempt = int(request.id.rpartition(".")[2])
        asked = Asked(self.node, request)
        return self.effects.perform(
            asked,
            (),
            lambda: self.order.append("commit"),
            lambda *_: accepts,
            lambda _asked: self.told.append,
        )

    @property
    def files(self) -> dict[str, str]:
        folder = Path(self.workspace.path)
        return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.fixture
def site(bench: Bench) -> Iterator[Site]:
    """Return a run to act on."""
    (bench.workdir / "old").write_text("old")
    with ExitStack() as stack:
        yield Site(bench, stack)


def tool(text: str, attempt: int = 1) -> ToolRequest:
    line = CommandLine(text=text, commands=(Command(argv=("sh", "-c", text)),))
    return ToolRequest(id=f"n/1.{attempt}", timeout=60, line=line)


def agent(output_path: str = "") -> AgentRequest:
    prompt = Evidence.of_text("nodes/n/1.1/prompt.md", "Say something.")
    return AgentRequest(
        id="n/1.1", timeout=60, agent="fake", prompt=prompt, call=1, output_path=output_path
    )


def test_what_was_changed_is_captured_and_named_by_the_answer(site: Site) -> None:
    performed = site.perform(tool("echo new > new; rm old; echo said"))
    assert {change.path: change.change for change in performed.diff.changes} == {
        "new": "added",
        "old": "deleted",
    }
    answered = performed.answered
    assert (answered.node, answered.ack.status, answered.ack.exit_code) == ("n", "ok", 0)
    assert answered.ack.confined is not None
    assert answered.ack.confined.unconfined
    assert answered.diff.path == "nodes/n/1.1/workspace.diff.json"
    assert site.run.read_evidence(answered.diff)


def test_a_request_is_durable_before_anything_is_done(site: Site) -> None:
    site.perform(tool("true"))
    assert site.order == ["commit"]
    assert site.run.root.exists("nodes/n/1.1")


def test_an_attempt_is_given_its_files_and_leaves_others(site: Site) -> None:
    performed = site.perform(agent())
    left = {one.path.rpartition("/")[2]: one for one in performed.answered.ack.evidence}
    assert site.run.read_evidence(left["response.md"])
    assert "prompt.md" not in left, "it was given"


def test_changes_are_taken_or_undone(site: Site) -> None:
    refused = site.perform(tool("echo bad > bad; echo changed > old"))
    site.effects.roll_back(refused)
    assert site.files == {"old": "old"}
    accepted = site.perform(tool("echo good > good", attempt=2))
    site.effects.accept(accepted)
    assert set(site.files) == {"old", "good"}
    assert site.workspace.capture() == ()


@pytest.mark.parametrize("accepts", [True, False])
def test_an_answer_becomes_a_document_only_if_the_gates_let_it(site: Site, accepts: bool) -> None:
    performed = site.perform(agent("docs/a.md"), accepts=accepts)
    assert site.run.root.exists("docs/a.md") is accepts
    documents = [one for one in performed.answered.ack.evidence if one.is_document]
    assert bool(documents) is accepts


def test_a_document_is_written_by_itself(site: Site) -> None:
    document = Evidence.of_text("docs/b.md", "text")
    site.perform(WriteRequest(id="n/1.1", timeout=60, document=document))
    assert site.run.root.read("docs/b.md") == b"text"
    assert site.effects.document(document) == b"text"


def test_what_an_executor_refuses_is_an_answer(bench: Bench) -> None:
    with ExitStack() as stack:
        site = Site(bench, stack, level=None)
        ack = site.perform(tool("touch started")).answered.ack
        assert site.files == {}
    assert (ack.status, ack.failure_reason) == (
        "refused",
        "no level of confinement was chosen for this run",
    )
    assert [(verdict.code, verdict.allowed) for verdict in ack.verdicts] == [("confinement", False)]


def test_no_secret_reaches_a_file_or_an_answer(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "tr0ub4dor-and-3-and-4")
    with ExitStack() as stack:
        site = Site(bench, stack)
        performed = site.perform(tool("echo tr0ub4dor-and-3-and-4; exit 1"))
        folder = Path(site.run.path) / "nodes" / "n" / "1.1"
        left = b"".join(path.read_bytes() for path in folder.iterdir())
    assert b"tr0ub4dor" not in left
    assert "tr0ub4dor" not in performed.answered.ack.failure_summary
    assert performed.answered.ack.redacted > 0


def test_what_is_remembered_is_what_was_recorded(site: Site) -> None:
    request = tool("echo new > new")
    performed = site.perform(request)
    assert site.effects.recorded(request, performed.answered).diff == performed.diff


def test_waiting_lets_time_pass(site: Site) -> None:
    site.effects.wait(0)
    assert os.path.isdir(site.workspace.path)
