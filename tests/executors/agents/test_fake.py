"""Recorded answers are played: the same every time, with real effects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from custody.errors import MalformedDocument, PathRefused, StorageFailed
from custody.executors.agents.fake import DEFAULT_TEXT, FakeAgent
from custody.model.request import Ack
from support.stages import StageSite, agent_request, named


def book(folder: Path, *answers: dict[str, Any]) -> str:
    path = folder / "answers.json"
    path.write_text(json.dumps({"answers": [{"text": "said\n", **one} for one in answers]}))
    return str(path)


def played(place: StageSite, path: str = "", **fields: Any) -> Ack:
    return FakeAgent(path).work(agent_request(**fields), place.stage())


def test_without_a_book_it_says_that_it_is_done(place: StageSite) -> None:
    ack = played(place)
    assert ack.status == "ok"
    assert place.read(named(ack.evidence)["response.md"]) == DEFAULT_TEXT


def test_each_call_has_its_answer_and_the_last_repeats(place: StageSite, tmp_path: Path) -> None:
    path = book(tmp_path, {"text": "one"}, {"text": "two", "usage": {"input_tokens": 5}})
    texts = [
        place.read(named(played(place, path, call=call).evidence)["response.md"])
        for call in (1, 2, 3)
    ]
    assert texts == ["one", "two", "two"]


def test_edits_change_the_workspace(place: StageSite, tmp_path: Path) -> None:
    place.workspace.root.write("gone", b"x")
    edits = [{"path": "new", "content": "new\n"}, {"path": "gone"}]
    assert played(place, book(tmp_path, {"edits": edits})).status == "ok"
    assert place.files == {"new": "new\n"}


def test_one_edit_that_may_not_be_made_refuses_all(place: StageSite, tmp_path: Path) -> None:
    edits = [{"path": "fine", "content": "x"}, {"path": "../out", "content": "x"}]
    ack = played(place, book(tmp_path, {"edits": edits}))
    assert (ack.status, ack.failure_reason) == ("refused", "path refused: ../out")
    assert [verdict.code for verdict in ack.verdicts] == ["traversal"]
    assert place.files == {}


def test_who_is_asked_for_a_document_changes_nothing_else(place: StageSite, tmp_path: Path) -> None:
    path = book(tmp_path, {"edits": [{"path": "new", "content": "x"}]})
    ack = played(place, path, output_path="docs/a.md")
    assert ack.status == "refused"
    assert [(v.code, v.subject) for v in ack.verdicts] == [("not_allowed", "new")]


@pytest.mark.parametrize(
    ("script", "call", "status"),
    [
        ({"test.outcome": "fail"}, 1, "failed"),
        ({"test.outcome": "retry"}, 1, "retry"),
        ({"test.outcome_sequence": "retry, success"}, 1, "retry"),
        ({"test.outcome_sequence": "retry, success"}, 2, "ok"),
        ({"test.outcome_sequence": "retry, success"}, 9, "ok"),
        ({"test.outcome": "partial_success"}, 1, "partial"),
        ({"test.outcome": " , "}, 1, "ok"),
    ],
)
def test_a_node_scripts_how_it_ends(
    place: StageSite, script: dict[str, str], call: int, status: str
) -> None:
    assert played(place, settings=script, call=call).status == status


def test_a_node_lays_its_own_words_over_the_record(place: StageSite, tmp_path: Path) -> None:
    path = book(tmp_path, {"notes": "recorded", "context_updates": {"x": 1}})
    script = {"test.notes": "mine", "test.verification_plan_json": "{}"}
    ack = played(place, path, settings=script)
    assert (ack.notes, ack.context_updates) == ("mine", {"x": 1, "verification.plan": "{}"})


def test_a_book_of_the_workspace(place: StageSite) -> None:
    place.workspace.root.write("book.json", b'{"answers": [{"text": "from there"}]}')
    ack = played(place, settings={"test.response_file": "book.json"})
    assert place.read(named(ack.evidence)["response.md"]) == "from there"
    with pytest.raises(PathRefused):
        played(place, settings={"test.response_file": "../book.json"})


def test_sample_answers_are_found_by_their_pipeline(place: StageSite) -> None:
    assert FakeAgent("single")._load().answer_to("write", 1) is not None
    assert played(place, "single").status == "ok"


def test_a_book_that_is_none(place: StageSite, tmp_path: Path) -> None:
    with pytest.raises(StorageFailed):
        played(place, f"{tmp_path}/missing.json")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(MalformedDocument):
        played(place, f"{tmp_path}/bad.json")
