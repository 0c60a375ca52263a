"""The write gate: which changes of a stage are refused, and what the failure says."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.checks.gates.writes import (
    SHOWN,
    judge_changes,
    judge_holdouts,
    leaves_workspace,
    violation_reason,
)
from custody.errors import PathRefused
from custody.model.allowlist import Allowlist
from custody.model.change import Change, ChangeKind, Entry, EntryKind
from custody.model.holdouts import Holdouts

CORPUS = Path(__file__).parents[2] / "hostile" / "corpus.json"
CASES = [case for case in json.loads(CORPUS.read_text()) if case["surface"] == "allowlist"]


def entry(path: str, kind: EntryKind = "file", target: str = "") -> Entry:
    return Entry(path=path, kind=kind, mode=0o644, target=target)


def change(
    path: str, how: ChangeKind = "added", kind: EntryKind = "file", target: str = ""
) -> Change:
    one = entry(path, kind, target)
    before = None if how == "added" else one
    after = None if how == "deleted" else one
    return Change(path=path, change=how, before=before, after=after)


def refused(changes: list[Change], *entries: str) -> list[tuple[str, str]]:
    verdicts = judge_changes(changes, Allowlist.parse(entries))
    assert not any(verdict.allowed for verdict in verdicts)
    assert all(verdict.check == "writes" and verdict.reason for verdict in verdicts)
    return [(verdict.subject, verdict.code) for verdict in verdicts]


@pytest.mark.req("P-05")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_corpus(case: dict[str, Any]) -> None:
    kind, _, code = case["expect"].partition(":")
    if kind == "reject":
        with pytest.raises(PathRefused) as error:
            Allowlist.parse([case["input"]])
        assert error.value.code == code
        return
    inside = f"{case['input'].rstrip('/')}/x"
    assert bool(refused([change(inside)], case["input"])) is not case["input"].endswith("/")


@pytest.mark.req("P-05")
@pytest.mark.parametrize("how", ["added", "modified", "deleted", "mode"])
def test_every_kind_of_change_outside_is_refused(how: ChangeKind) -> None:
    changes = [change("src/a.py", how), change("README.md", how), change("docs/x", how)]
    assert refused(changes, "src/", "docs/y") == [
        ("README.md", "not_allowed"),
        ("docs/x", "not_allowed"),
    ]


@pytest.mark.req("P-05")
@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("src/x", "src"),
        ("src2/x", "src/"),
        ("SRC/x", "src/"),
        ("a/src/x", "src/"),
        ("src", "src/x"),
    ],
)
def test_entries_are_matched_by_whole_components(path: str, entry: str) -> None:
    assert refused([change(path)], entry) == [(path, "not_allowed")]


@pytest.mark.req("P-05")
def test_no_entry_allows_nothing_and_no_allowlist_everything() -> None:
    changes = [change("a"), change("b/c", "deleted")]
    assert len(refused(changes)) == 2
    assert judge_changes(changes, None) == ()


@pytest.mark.req("P-05")
def test_directories_on_the_way_may_be_made_and_removed() -> None:
    for how in ("added", "deleted"):
        changes = [change(path, how, "dir") for path in ("a", "a/b", "c", "c/d")]
        assert refused(changes, "a/b/x.py", "c/") == []
    assert refused([change("b", "added", "dir")], "a/x") == [("b", "not_allowed")]
    assert refused([change("a", "mode", "dir")], "a/x") == [("a", "not_allowed")]
    assert refused([change("a", "added")], "a/x") == [("a", "not_allowed")]


@pytest.mark.req("P-05")
def test_a_file_that_became_a_directory_on_the_way_is_refused() -> None:
    swapped = Change(path="a", change="modified", before=entry("a"), after=entry("a", "dir"))
    assert refused([swapped], "a/x") == [("a", "not_allowed")]


@pytest.mark.req("P-05")
def test_what_is_no_file_is_refused_even_where_writing_is_allowed() -> None:
    assert refused([change("src/pipe", "added", "other")], "src/") == [("src/pipe", "not_regular")]
    assert [v.code for v in judge_changes([change("x", "added", "other")], None)] == ["not_regular"]
    assert refused([change("src/pipe", "deleted", "other")], "src/") == []


@pytest.mark.req("P-05")
@pytest.mark.parametrize(
    ("path", "target", "leaves"),
    [
        ("l", "a", False),
        ("l", "a/b", False),
        ("l", "./a", False),
        ("d/l", "../a", False),
        ("d/l", "..", False),
        ("d/e/l", "../../a", False),
        ("l", "/etc/passwd", True),
        ("l", "/", True),
        ("l", "..", True),
        ("l", "../a", True),
        ("d/l", "../../a", True),
        ("d/l", "./../../a", True),
        ("d/l", "a/../b", True),
        ("d/l", "../a/../../b", True),
    ],
)
def test_a_link_out_of_the_workspace_is_refused(path: str, target: str, leaves: bool) -> None:
    assert leaves_workspace(path, target) is leaves
    codes = [v.code for v in judge_changes([change(path, "added", "symlink", target)], None)]
    assert codes == (["symlink"] if leaves else [])


@given(
    st.lists(st.sampled_from(["d", "e"]), max_size=3),
    st.lists(st.sampled_from(["..", ".", "a", ""]), max_size=5).map("/".join),
)
def test_a_link_that_is_kept_resolves_inside(folders: list[str], target: str) -> None:
    path = "/".join([*folders, "l"])
    if not leaves_workspace(path, target):
        landed = os.path.normpath("/".join(["/ws", *folders, target]))
        assert f"{landed}/".startswith("/ws/")


@pytest.mark.req("P-05")
def test_the_failure_names_the_files() -> None:
    verdicts = judge_changes([change("a"), change("b/c"), change("ok")], Allowlist.parse(["ok"]))
    assert violation_reason(verdicts) == "guardrail_violation: wrote disallowed files: a,b/c"


def test_the_failure_stays_one_short_line() -> None:
    names = [f"f{number}" for number in range(SHOWN + 5)]
    verdicts = judge_changes([change("x\ny"), *map(change, names)], Allowlist.parse([]))
    reason = violation_reason(verdicts)
    assert reason.startswith("guardrail_violation: wrote disallowed files: x\\ny,f0,")
    assert reason.endswith(" and 6 more")
    assert "\n" not in verdicts[0].reason


@pytest.mark.req("P-18")
def test_holdouts_are_refused_before_anything_else_and_not_told() -> None:
    hidden = Holdouts.of(["scripts/scenarios", "a/b/c"])
    changes = [
        change("scripts/scenarios", kind="dir"),
        change("scripts/scenarios/x", "deleted"),
        change("scripts/scenarios2"),
        change("scripts", "mode", kind="dir"),
        change("a/b", "deleted", kind="dir"),
        change("a/b", "deleted"),
    ]
    verdicts = judge_holdouts(changes, hidden)
    assert [verdict.subject for verdict in verdicts] == [
        "scripts/scenarios", "scripts/scenarios/x", "a/b",
    ]  # fmt: skip
    assert {verdict.code for verdict in verdicts} == {"holdout"}
    assert judge_holdouts(changes, Holdouts()) == ()
    others = judge_changes(changes, Allowlist.parse(["scripts/ok"]), verdicts)
    assert [verdict.subject for verdict in others] == ["scripts/scenarios2", "scripts"]
    assert "scenarios/" not in violation_reason((*verdicts, *others))
    assert "scripts" not in violation_reason(verdicts)
