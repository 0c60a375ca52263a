"""The write gate: which changes of a stage are refused, and what the failure says."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.checks.gates import Case
from custody.checks.gates.writes import (
    SHOWN,
    WritesGate,
    judge_changes,
    judge_holdouts,
    judge_twice,
    leaves_workspace,
    violation_reason,
)
from custody.errors import PathRefused
from custody.model import layout
from custody.model.allowlist import Allowlist
from custody.model.change import Change, ChangeKind, Entry, EntryKind, WorkspaceDiff
from custody.model.evidence import Evidence
from custody.model.graph import Attribute, Node, SourcePosition
from custody.model.holdouts import Holdouts
from custody.model.ingest import (
    Artifact,
    ArtifactStatus,
    IngestManifest,
    IngestSource,
    summary_of,
)
from custody.model.record import encode_pretty
from custody.model.request import AgentRequest
from custody.model.verdict import Verdict
from support.cases import added, case

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


HERE = SourcePosition(line=1, column=1)


def node_with(**attributes: str) -> Node:
    written = {
        name: Attribute(name=name, value=value, position=HERE) for name, value in attributes.items()
    }
    return Node(id="a", type="codergen", attributes=written, position=HERE)


def codes(gate: WritesGate, judged: Case) -> list[tuple[str, str]]:
    return [(verdict.code, verdict.subject) for verdict in gate.judge(judged)]


@pytest.mark.req("P-05")
def test_the_gate_holds_a_stage_to_the_allowlist_of_its_node() -> None:
    judged = case(diff=WorkspaceDiff(changes=(added("src/a"), added("b"))))
    limited = WritesGate.of(node_with(allowed_write_paths="src/, c"))
    assert codes(limited, judged) == [("not_allowed", "b")]
    assert limited.reason(tuple(limited.judge(judged))).endswith("wrote disallowed files: b")
    assert codes(WritesGate.of(node_with()), judged) == []


@pytest.mark.req("P-05")
def test_the_gate_judges_what_failed_and_tells_nothing_twice() -> None:
    gate = WritesGate.of(node_with(allowed_write_paths="src/"))
    judged = case(status="failed", diff=WorkspaceDiff(changes=(added("b"), added("c"))))
    assert gate.applies(judged)
    known = Verdict(check="path", allowed=False, code="not_allowed", reason="no", subject="b")
    ack = msgspec.structs.replace(judged.ack, verdicts=(known,))
    told = msgspec.structs.replace(judged, ack=ack)
    assert codes(gate, told) == [("not_allowed", "c")]


@pytest.mark.req("P-18")
def test_the_gate_refuses_what_was_hidden() -> None:
    changes = (added("tests/hidden/x"), added("a"))
    judged = case(diff=WorkspaceDiff(changes=changes, hidden=("tests/hidden",)))
    assert codes(WritesGate(None), judged) == [("holdout", "tests/hidden/x")]


@pytest.mark.req("G-10")
@pytest.mark.parametrize(
    ("path", "target", "code"),
    [
        (".vscode/tasks.json", "", "denied"),
        ("a/.git/hooks/x", "", "denied"),
        (".env", "", "secret_file"),
        ("node_modules/x/.vscode/settings.json", "", ""),
        (".vscode/node_modules/x", "", "denied"),
        ("a/link", "../.vscode/tasks.json", "denied"),
        ("link", "node_modules/x/.vscode", ""),
        ("link", "src", ""),
    ],
)
def test_nobody_leaves_a_file_that_starts_programs(path: str, target: str, code: str) -> None:
    left = change(path, "added", "symlink" if target else "file", target)
    assert [verdict.code for verdict in judge_changes([left], None)] == ([code] if code else [])
    assert judge_changes([left], None, policy=False) == ()


@pytest.mark.parametrize(
    ("done", "edit", "twice"),
    [
        (added("a"), added("a", b"y"), True),
        (added("a"), added("a"), False),
        (added("a"), added("a/b"), True),
        (change("a", kind="dir"), added("a/b"), False),
        (added("a/b"), added("a"), True),
        (added("a/b"), change("a", kind="dir"), False),
        (added("a"), added("b"), False),
        (added("a"), added("ab"), False),
    ],
)
def test_what_a_program_changed_the_answer_does_not(
    done: Change, edit: Change, *, twice: bool
) -> None:
    verdicts = judge_twice((done,), (edit,))
    assert [verdict.code for verdict in verdicts] == (["edited_twice"] if twice else [])
    diff = WorkspaceDiff(changes=(), by_programs=(done,), by_answer=(edit,))
    assert bool(codes(WritesGate(None), case(diff=diff))) is twice


def taken_out(path: str, content: bytes, status: ArtifactStatus = "written") -> str:
    """Return the manifest of a document with one block."""
    block = Artifact(
        index=0,
        lang="text",
        declared_file=path,
        workspace_path=f"workspace/{path}",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        status=status,
        reason="",
    )
    manifest = IngestManifest(
        run_id="r",
        node_id="a",
        source=IngestSource(doc_path="docs/a.md"),
        artifacts=(block,),
        summary=summary_of((block,)),
        ts="2026-01-01T00:00:00Z",
    )
    return encode_pretty(manifest).decode()


@pytest.mark.parametrize(
    ("path", "content", "status", "refused"),
    [
        ("a", b"x", "written", False),
        ("a", b"y", "written", True),
        ("a", b"x", "rejected", True),
        ("b", b"x", "written", True),
    ],
)
def test_a_stage_asked_for_a_document_changes_nothing_else(
    path: str, content: bytes, status: ArtifactStatus, *, refused: bool
) -> None:
    request = AgentRequest(
        id="a/1.1",
        timeout=1,
        agent="fake",
        prompt=Evidence.of_text("p", ""),
        call=1,
        output_path="docs/a.md",
    )
    files = {layout.INGEST_MANIFEST: taken_out(path, content, status)}
    judged = case(files, request=request, diff=WorkspaceDiff(changes=(added("a"),)))
    assert codes(WritesGate(None), judged) == ([("not_allowed", "a")] if refused else [])
