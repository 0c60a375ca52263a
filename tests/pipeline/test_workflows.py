"""Which workflow fits a goal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.model.record import encode
from custody.pipeline import library
from custody.pipeline.workflows import DEFAULT, NOTHING_FITS, choose, read_workflow

OWN = b'digraph p { graph [goal="Release it", version="2.1", tags="release, publish"] }'


def ids(goal: str, **own: bytes | str) -> list[str]:
    return [item.workflow_id for item in choose(goal, own).candidates]


@pytest.mark.req("C-10")
def test_the_fields_of_the_result() -> None:
    made = json.loads(encode(choose("Repair the failing tests", {})))
    assert list(made) == [
        "schema_version",
        "selected_workflow_id",
        "selected_version",
        "candidates",
    ]
    assert (made["schema_version"], made["selected_workflow_id"], made["selected_version"]) == (
        "ctcp-find-result-v1",
        "fix_test",
        "1",
    )
    assert list(made["candidates"][0]) == ["workflow_id", "version", "score", "why"]
    assert made["candidates"][0]["why"] == (
        "3 of 3 words of the goal: repair (tag), fail (goal), test (name)"
    )
    assert made["candidates"][0]["score"] == 0.8889


@pytest.mark.req("C-10")
def test_a_repositorys_own_workflow_is_chosen_where_it_fits() -> None:
    found = choose("Publish a release", {"workflows/ship.dot": OWN})
    assert (found.selected_workflow_id, found.selected_version) == ("workflows/ship.dot", "2.1")
    assert found.candidates[0].score == 1.0


@pytest.mark.req("C-10")
def test_ties_are_decided_by_the_id() -> None:
    own: dict[str, bytes | str] = {f"workflows/{name}.dot": OWN for name in "cab"}
    found = choose("release", own)
    assert [item.workflow_id for item in found.candidates][:3] == [
        f"workflows/{name}.dot" for name in "abc"
    ]


@pytest.mark.req("C-10")
@pytest.mark.parametrize("goal", ["", "zxcvb qwert", "the and of", "§ 1"])
def test_when_nothing_fits_that_is_said(goal: str) -> None:
    found = choose(goal, {})
    assert found.selected_workflow_id == DEFAULT
    assert {item.score for item in found.candidates} == {0.0}
    assert {item.why for item in found.candidates if item.workflow_id == DEFAULT} <= {NOTHING_FITS}


def test_what_is_run_for_items_is_nothing_to_choose() -> None:
    found = ids("anything")
    assert "team" in found
    assert "team_task" not in found
    assert set(found) <= set(library.names())
    own: dict[str, bytes | str] = {
        "flows/all.dot": b'digraph p { n [type=each, items="1..2", pipeline="one.dot"] }',
        "flows/one.dot": OWN,
    }
    listed = [item.workflow_id for item in choose("release", own).candidates]
    assert "flows/all.dot" in listed
    assert "flows/one.dot" not in listed


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("there is no such file", "it cannot be read: there is no such file"),
        (b"digraph {", "it cannot be read: line 1: "),
        (b"\xff", "it cannot be read: not UTF-8 at byte 0"),
    ],
)
def test_one_that_cannot_be_read_is_told_and_not_chosen(source: bytes | str, why: str) -> None:
    found = choose("release", {"release.dot": source})
    (told,) = [item for item in found.candidates if item.workflow_id == "release.dot"]
    assert told.score == 0.0
    assert told.why.startswith(why)
    assert found.selected_workflow_id != "release.dot"


def test_without_a_version_the_text_itself_is_one() -> None:
    one, other = (read_workflow("a", text) for text in (b"digraph a {}", b"digraph b {}"))
    assert (len(one.version), one.version == other.version) == (12, False)


@pytest.mark.parametrize(
    ("one", "other"), [("fixing", "fixes"), ("tests", "test"), ("passed", "passes")]
)
def test_forms_of_a_word_are_one(one: str, other: str) -> None:
    source = f'digraph p {{ graph [tags="{one}"] }}'.encode()
    assert choose(other, {"x.dot": source}).candidates[0].workflow_id in {"x.dot", "fix_test"}
    assert choose(other, {"x.dot": source}).candidates[0].score == 1.0


@pytest.mark.req("C-10")
@given(st.text(max_size=60), st.dictionaries(st.sampled_from(["a.dot", "b.dot"]), st.binary()))
def test_any_goal_gives_the_same_result_again(goal: str, own: dict[str, bytes | str]) -> None:
    found = choose(goal, own)
    assert choose(goal, dict(reversed(own.items()))) == found
    assert all(0.0 <= item.score <= 1.0 for item in found.candidates)
    ranks = [(-item.score, item.workflow_id) for item in found.candidates]
    assert ranks == sorted(ranks)
