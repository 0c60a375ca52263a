"""Answers that an agent gives in a form that nobody can take: the stage fails, the run is whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.hostile import Ground, picture

BODY = 'act [prompt="x", max_retries=2] start -> act -> done'


def book(**answer: Any) -> str:
    return json.dumps({"answers": [{"text": "Done.\n", **answer}]})


def edits(*paths: str) -> str:
    return book(edits=[{"path": path, "content": "x"} for path in paths])


LARGE = "eighteen megabytes"
"""Made where it is needed: what a test is given stays in memory as long as the tests run."""


def large() -> str:
    return book(context_updates={f"k{n}": "v" * 60_000 for n in range(300)})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "json"),
        ("[" * 100_000, "json"),
        ("{}", "type"),
        ('{"answers": [{}]}', "type"),
        ('{"answers": [], "answers": []}', "duplicate_key"),
        ("\xff", "encoding"),
        (book(outcome="banana"), "type"),
        (book(unknown=1), "type"),
        (book(notes="\ud800"), "json"),
        (book(context_updates={"\udfff": 1}), "json"),
        (book(context_updates={"x": 0}).replace("0", "1e999"), "json"),
        (book(context_updates={"x": 0}).replace("0", "NaN"), "json"),
        (book(context_updates={"x": 0}).replace("0", "9" * 5000), "json"),
        (LARGE, "too_large"),
        (book(edits=[{"path": "new", "content": "\ud800"}]), "encoding"),
        (book(edits=[{"path": "missing"}]), "missing"),
        (book(edits=[{"path": "folder"}]), "not_empty"),
        (edits("folder"), "not_regular"),
        (edits("new", "new/below"), "not_directory"),
        (edits("new", "NEW"), "case_collision"),
        (edits("new", "../out"), "traversal"),
    ],
)
def test_what_cannot_be_taken_is_refused_and_undone(ground: Ground, text: str, code: str) -> None:
    (ground.workdir / "folder").mkdir()
    (ground.workdir / "folder" / "file").write_text("as it was")
    answers = ground.home / "answers.json"
    text = large() if text == LARGE else text
    answers.write_bytes(text.encode("latin-1" if text == "\xff" else "utf-8"))
    run = ground.start(ground.pipeline(BODY), f"fake:{answers}")
    assert (run.code, run.data["summary"]["status"]) == (1, "FAIL")
    assert [verdict.code for verdict in ground.refusals()] == [code]
    assert "StageRetrying act" not in ground.events()
    assert picture(ground.workspace) == picture(ground.workdir)
    assert ground.ask("verify").code == ground.ask("replay").code == 0


def test_a_long_plan_is_the_same_for_a_replay(ground: Ground) -> None:
    """A text that the journal cuts is cut before anything is decided on it."""
    plan = json.dumps({"commands": ["ls " + "x" * 3000] * 40})
    body = (
        'act [prompt="x"] verify [type=verification, verification.allowed_commands="ls"] '
        "start -> act -> verify -> done"
    )
    agent = ground.answers({"context_updates": {"verification.plan": plan}})
    assert ground.start(ground.pipeline(body), agent).code == 1
    assert ground.ask("verify").code == ground.ask("replay").code == 0
