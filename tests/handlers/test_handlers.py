"""What every handler can rely on: where the run stands, and what an answer means."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from custody import api
from custody.errors import PathRefused, Refused
from custody.handlers import DOCUMENTS_LIMIT, Handler, Situation, acknowledged, catalog, handlers
from custody.model.evidence import Evidence
from custody.model.request import Ack, AckStatus
from custody.model.state import State
from custody.model.verdict import Verdict
from support.bench import Bench
from support.cases import case

DOCUMENTS = {"docs/a.md": "A", "docs/sub/b.md": "B", "audits/c.md": "C"}


def situation(texts: dict[str, str] | None = None, **context: Any) -> Situation:
    held = DOCUMENTS if texts is None else texts
    state = State()
    state.context.update(context)
    state.documents = {path: Evidence.of_text(path, text) for path, text in held.items()}
    return Situation(
        state=state,
        scope=state,
        values={"goal": "ship it"},
        read=lambda evidence: held[evidence.path].encode(),
        recorded=lambda evidence: (evidence.text or "").encode(),
        agent="fake",
        request_id="n/2.3",
        folder="nodes/n/2.3",
    )


def test_every_module_is_a_node_type(root: Path) -> None:
    files = (root / "src" / "custody" / "handlers").glob("[a-z]*.py")
    modules = {type(handler).__module__.rpartition(".")[2] for handler in handlers().values()}
    assert modules <= {path.stem for path in files}
    assert catalog() == {name: handler.type for name, handler in handlers().items()}


def test_a_type_is_loaded_when_it_is_asked_for() -> None:
    code = (
        "import sys; from custody.handlers import catalog, handlers; "
        "assert catalog()['start'].shape == 'Mdiamond'; "
        "assert 'custody.handlers.tool' not in sys.modules; "
        "assert handlers()['tool'] is handlers()['tool']; "
        "assert 'custody.handlers.tool' in sys.modules; "
        "assert 'custody.handlers.survey' not in sys.modules; "
        "assert 'nothing' not in catalog() and 'custody.handlers.survey' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("$goal", "ship it"),
        ("${context.x} and ${context.deep.y}", "1 and [2]"),
        ("${doc:docs/a.md}", "A"),
        ("${docs:docs}", "### docs/a.md\n\nA\n### docs/sub/b.md\n\nB"),
        ("${docs:audits/}", "### audits/c.md\n\nC"),
        ("$$", "$"),
    ],
)
def test_a_template_is_filled_in(template: str, text: str) -> None:
    assert situation(x=1, deep={"y": [2]}).expand(template) == text


@pytest.mark.parametrize(
    "template", ["${nothing}", "${context.nothing}", "${doc:docs/missing.md}", "${context.x.y}"]
)
def test_what_a_template_needs_must_be_there(template: str) -> None:
    with pytest.raises(Refused) as refused:
        situation(x=1).expand(template)
    assert refused.value.code == "template"


def test_a_document_elsewhere_is_none() -> None:
    with pytest.raises(PathRefused):
        situation().expand("${doc:../secret}")


def test_a_long_document_is_cut_and_says_so() -> None:
    long = "é" * DOCUMENTS_LIMIT
    text = situation({"docs/a.md": long}).expand("${doc:docs/a.md}")
    assert len(text.encode()) < DOCUMENTS_LIMIT + 200
    assert f"[cut: {2 * DOCUMENTS_LIMIT} bytes, sha256 " in text


def test_a_request_is_called_as_its_attempt(bench: Bench) -> None:
    body = 'a [prompt="x"] t [type=tool, tool_command="true"] start -> a -> t -> done'
    nodes = api.load(bench.pipeline(body)).nodes
    asked = [handlers()[node.type].request(node, situation()) for node in nodes.values()]
    assert [request.id for request in asked if request is not None] == ["n/2.3", "n/2.3"]
    given = [item.path for request in asked if request is not None for item in request.given()]
    assert given == ["nodes/n/2.3/prompt.md"]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("ok", "success"),
        ("partial", "partial_success"),
        ("retry", "retry"),
        ("failed", "fail"),
        ("timeout", "fail"),
        ("refused", "fail"),
    ],
)
def test_what_an_answer_means(status: AckStatus, outcome: str) -> None:
    verdicts = (Verdict(check="x", allowed=False),)
    ack = Ack(
        request_id="a/1.1",
        status=status,
        failure_reason="why",
        notes="n",
        context_updates={"x": 1},
        verdicts=verdicts,
    )
    made = acknowledged(ack)
    assert (made.status, made.failure_reason, made.notes) == (outcome, "why", "n")
    assert (made.context_updates, made.refused) == ({"x": 1}, verdicts)


def test_a_node_that_asks_nothing(bench: Bench) -> None:
    node = api.load(bench.pipeline("start -> done")).nodes["start"]
    handler = Handler()
    assert handler.request(node, situation()) is None
    assert (handler.gates(node), handler.judged(node)) == ((), "")
    assert not handler.starts_programs(node, "codex")
    assert handler.outcome(node, case()).status == "success"
