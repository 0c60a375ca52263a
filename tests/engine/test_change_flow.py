"""From a goal to a verified patch: how a change goes, and every file that it leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from custody import api, change
from custody.errors import Refused
from custody.model.event import StageFailed, StageStarted
from custody.model.request import AgentRequest
from custody.model.verify_event import VERIFY_FAILED, PatchRejected
from custody.views.bundle import read_bundle
from support.catalog import MARK
from support.changing import BLOCK, CODE, GOOD, OUTSIDE, STALE, WRONG, Change, answers
from support.ending import ends_before
from support.sweep import paired, some

FIXED = CODE.replace("a - b", "a + b")
NEW = (
    "diff --git a/src/new.py b/src/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/src/new.py\n"
    "@@ -0,0 +1 @@\n+x = 1\n"
)


@pytest.fixture
def flow(tmp_path: Path) -> Change:
    return Change(tmp_path)


def bundled(flow: Change) -> dict[str, bytes]:
    return read_bundle(flow.path("failure_bundle.zip").read_bytes())


@pytest.mark.req("C-14", "C-22", "C-23", "C-29")
def test_a_change_that_passes_at_once(flow: Change) -> None:
    result = flow.start()
    assert result.summary.status == "PASS"
    assert result.summary.changed == ("src/calc.py",)
    assert flow.path("workspace/src/calc.py").read_text() == FIXED
    assert (flow.repo / "src/calc.py").read_text() == CODE, "the repository is not touched"
    assert flow.json("artifacts/verify_report.json") == {
        "result": "PASS",
        "gate": "lite",
        "iteration": 1,
        "max_iterations": 3,
        "commands": [{"cmd": "python3 tests/check.py", "exit_code": 0}],
        "failures": [],
        "paths": {
            "trace": "TRACE.md",
            "verify_report": "artifacts/verify_report.json",
            "stdout_log": "logs/verify.stdout.log",
            "stderr_log": "logs/verify.stderr.log",
            "plan": "artifacts/PLAN.md",
            "patch": "artifacts/diff.patch",
        },
    }
    assert flow.path("artifacts/diff.patch").read_text() == GOOD
    assert flow.path("logs/verify.stdout.log").read_text() == ""
    trace = flow.path("TRACE.md").read_text()
    assert trace.startswith("# change: PASS\n")
    for gate in ("lite", "plan_check", "patch_check", "behavior_catalog_check", "gates_executed"):
        assert f"- {gate}: passed" in trace
    events = flow.events()
    assert [name for name in events if name.startswith(("VERIFY", "BUNDLE"))] == [
        "VERIFY_STARTED",
        "VERIFY_PASSED",
    ]
    assert not flow.path("failure_bundle.zip").exists()
    for line in flow.path("events.jsonl").read_text().splitlines():
        assert {"ts", "role", "event", "path"} <= json.loads(line).keys()
    assert flow.holds()


@pytest.mark.req("C-22")
def test_a_change_that_passes_after_one_round_of_the_fixer(flow: Change) -> None:
    result = flow.start(answers(maker=WRONG))
    assert result.summary.status == "PASS"
    assert flow.path("workspace/src/calc.py").read_text() == FIXED
    assert flow.json("artifacts/verify_report.json")["iteration"] == 2
    failed = [fact for fact in flow.facts() if isinstance(fact, VERIFY_FAILED)]
    assert [(fact.iteration, fact.gate, fact.reason) for fact in failed] == [
        (1, "lite", "verification command failed: python3 tests/check.py")
    ]
    prompt = flow.path("nodes/fixer/1.1/prompt.md").read_text()
    assert WRONG.strip() in prompt
    assert "AssertionError" in prompt
    assert flow.path("artifacts/diff.patch").read_text() == GOOD, "one patch is the whole change"
    assert flow.holds()


@pytest.mark.req("C-20")
@pytest.mark.parametrize(
    ("patch", "code"),
    [
        (OUTSIDE, "PATCH_POLICY_DENY"),
        (STALE, "PATCH_GIT_CHECK_FAIL"),
        (f"```diff\n{GOOD}```\n", "PATCH_PARSE_INVALID"),
    ],
    ids=["outside", "stale", "fenced"],
)
def test_a_rejected_patch_stays_and_the_fixer_is_asked_for_a_patch_only(
    flow: Change, patch: str, code: str
) -> None:
    assert flow.start(answers(maker=patch)).summary.status == "PASS"
    rejected = [fact for fact in flow.facts() if isinstance(fact, PatchRejected)]
    assert [fact.iteration for fact in rejected] == [1]
    assert rejected[0].reason.startswith(code)
    assert flow.path("nodes/maker/1.1/response.md").read_text() == patch
    assert flow.path("nodes/patch/1.1/candidate.patch").read_text() == patch
    review = flow.path("reviews/review_patch.md").read_text()
    assert "Verdict: BLOCK" in review
    assert code in review
    prompt = flow.path("nodes/fixer/1.1/prompt.md").read_text()
    assert "Patch only" in prompt
    assert patch.strip() in prompt
    assert flow.holds()


@pytest.mark.req("C-18")
def test_a_review_that_blocks_ends_the_change(flow: Change) -> None:
    result = flow.start(answers(review_cost=BLOCK))
    assert result.summary.status == "FAIL"
    assert "maker" not in [stage.node for stage in result.summary.stages]
    report = flow.json("artifacts/verify_report.json")
    assert report["result"] == "FAIL"
    assert report["failures"] == [
        {
            "kind": "stage",
            "id": "failed",
            "message": "review_cost: reviews/review_cost.md blocks: too dear",
        }
    ]
    assert report["paths"]["bundle"] == "failure_bundle.zip"
    assert "plan" not in report["paths"]
    members = bundled(flow)
    assert members["reviews/review_cost.md"] == BLOCK.encode()
    assert b"there is no artifacts/PLAN.md" in members["artifacts/PLAN.md"]
    assert members["nodes/review_cost/1.1/response.md"] == BLOCK.encode()
    assert not any(name.startswith("nodes/draft/") for name in members)
    assert flow.holds()


@pytest.mark.req("C-29")
def test_a_change_that_never_passes_stops_after_its_rounds_with_a_bundle(flow: Change) -> None:
    result = flow.start(answers(maker=WRONG, fixer=WRONG))
    assert result.summary.status == "FAIL"
    stops = [fact for fact in flow.facts() if isinstance(fact, StageFailed) and fact.node == "stop"]
    assert [fact.outcome.failure_reason for fact in stops] == ["max_iterations reached: 3 of 3"]
    report = flow.json("artifacts/verify_report.json")
    assert (report["result"], report["iteration"], report["max_iterations"]) == ("FAIL", 3, 3)
    assert report["commands"] == [{"cmd": "python3 tests/check.py", "exit_code": 1}]
    assert report["failures"][0]["kind"] == "lite"
    members = bundled(flow)
    assert {
        "TRACE.md",
        "artifacts/verify_report.json",
        "events.jsonl",
        "artifacts/PLAN.md",
        "artifacts/diff.patch",
        "reviews/review_contract.md",
        "logs/verify.stderr.log",
    } <= members.keys()
    assert b"AssertionError" in members["logs/verify.stderr.log"]
    assert json.loads(members["artifacts/verify_report.json"]) == report
    assert flow.path("events.jsonl").read_bytes().startswith(members["events.jsonl"])
    assert flow.path("workspace/src/calc.py").read_text() == CODE, "nothing of it is left"
    assert flow.events().count("VERIFY_FAILED") == 3
    assert flow.events().count("BUNDLE_CREATED") == 1
    assert flow.holds()


@pytest.mark.parametrize(
    ("stop", "patches", "told"),
    [
        ("max_iterations=2", WRONG, "max_iterations reached: 2 of 2"),
        ("same_failure=2", WRONG, "stop condition same_failure=2: 2 times in a row"),
        ("gate=lite", WRONG, "stop condition gate=lite: the gate lite failed"),
        ("scope_violation", OUTSIDE, "stop condition scope_violation: PATCH_POLICY_DENY"),
        (
            "budget_exceeded",
            "".join(GOOD.replace("calc.py", f"calc{n}.py") for n in range(6)),
            "stop condition budget_exceeded: PATCH_POLICY_DENY",
        ),
    ],
    ids=["rounds", "same", "gate", "scope", "budget"],
)
def test_stop_conditions_of_the_plan_are_enforced(
    flow: Change, stop: str, patches: str, told: str
) -> None:
    result = flow.start(answers(stop=stop, maker=patches, fixer=patches))
    assert result.summary.status == "FAIL"
    why = [stage.failure_reason for stage in result.summary.stages if stage.node == "stop"][-1]
    assert why.startswith(told)
    assert flow.holds()


def test_an_unsigned_plan_lets_nothing_begin(flow: Change) -> None:
    said = answers()
    said["plan"] = said["draft"]
    result = flow.start(said)
    assert result.summary.status == "FAIL"
    why = [stage.failure_reason for stage in result.summary.stages if stage.node == "plan"]
    assert "the status is 'DRAFT'" in why[0]
    assert "patch" not in [stage.node for stage in result.summary.stages]


def test_the_gate_full_is_run_where_the_plan_declares_it(flow: Change) -> None:
    said = answers()
    for node in ("draft", "plan"):
        said[node][0]["text"] = said[node][0]["text"].replace("lite,", "lite, full,")
    result = flow.start(said, full=["python3 -c 'assert True'"])
    assert result.summary.status == "PASS"
    assert flow.json("artifacts/verify_report.json")["gate"] == "full"
    assert flow.holds()


@pytest.mark.req("C-14")
def test_a_gate_of_the_plan_that_nobody_executes_fails_the_change(flow: Change) -> None:
    said = answers()
    for node in ("draft", "plan"):
        said[node][0]["text"] = said[node][0]["text"].replace("lite,", "lite, response,")
    assert flow.start(said).summary.status == "FAIL"
    failures = flow.json("artifacts/verify_report.json")["failures"]
    assert ("gates_executed", "not_executed") in [(one["kind"], one["id"]) for one in failures]


MARKED = GOOD.replace("@@ -1,2 +1,2 @@\n", f"@@ -1,2 +1,3 @@\n+# {MARK}: B777\n")


@pytest.mark.req("C-14", "C-17")
def test_the_catalog_is_judged_with_the_patch(flow: Change) -> None:
    result = flow.start(answers(maker=MARKED))
    assert result.summary.status == "PASS"
    failed = [fact for fact in flow.facts() if isinstance(fact, VERIFY_FAILED)]
    assert [fact.reason for fact in failed] == ["docs/behaviors/INDEX.md is missing"]
    (told,) = [each for each in failed[0].documents if each.path == "artifacts/verify_report.json"]
    assert [(one["kind"], one["id"]) for one in json.loads(told.text or "")["failures"]] == [
        ("behavior_catalog_check", "index_missing"),
        ("behavior_catalog_check", "unindexed"),
        ("gates_executed", "failed"),
    ]
    assert "marks B777" in flow.path("nodes/fixer/1.1/prompt.md").read_text()
    assert flow.json("artifacts/survey.json")["markers"] == []
    assert flow.holds()


@pytest.mark.req("C-13")
@pytest.mark.parametrize(
    ("evidence", "status"),
    [
        ("src/new.py", "PASS"),
        ("artifacts/verify_report.json, logs/verify.stdout.log, TRACE.md", "PASS"),
        ("src/gone.py", "FAIL"),
    ],
    ids=["made", "left", "missing"],
)
def test_no_result_is_without_its_evidence(flow: Change, evidence: str, status: str) -> None:
    said = answers(maker=f"{GOOD}{NEW}", fixer=f"{GOOD}{NEW}", stop="max_iterations=1")
    said["results"][0]["text"] = said["results"][0]["text"].replace("tests/check.py", evidence)
    assert flow.start(said).summary.status == status
    failures = flow.json("artifacts/verify_report.json")["failures"]
    told = [one["message"] for one in failures if one["id"] == "evidence"]
    missing = "the evidence of R001 does not exist: src/gone.py (src/gone.py)"
    assert told == ([] if status == "PASS" else [missing])
    assert flow.holds()


def test_documents_that_the_user_hands_in_are_kept_and_nobody_is_asked(flow: Change) -> None:
    said = answers()
    given = {
        "artifacts/PLAN.md": said.pop("plan")[0]["text"].encode(),
        "artifacts/diff.patch": GOOD.encode(),
    }
    result = flow.start(said, documents=given)
    assert result.summary.status == "PASS"
    asked = [f.node for f in flow.facts() if isinstance(f, StageStarted) and f.request is not None]
    assert not {"plan", "maker"} & {*asked}
    assert flow.holds()


def test_a_review_that_blocks_is_no_approval_though_the_user_hands_it_in(flow: Change) -> None:
    result = flow.start(documents={"reviews/review_cost.md": BLOCK.encode()})
    assert result.summary.status == "FAIL"


def test_a_change_lands_on_a_branch_with_one_commit(flow: Change) -> None:
    result = flow.start(land="add-adds")
    landed = change.land(result)
    assert landed is not None
    assert flow.git("show", "add-adds:src/calc.py") == FIXED
    message = flow.git("log", "-1", "--format=%B", "add-adds")
    assert result.run_id in message
    assert result.summary.head in message
    assert "patch_check passed" in message
    assert flow.git("branch", "--show-current").strip() == "main"


def test_a_change_lands_with_all_that_its_patch_names(flow: Change) -> None:
    """Git ignores the file, and the commands have judged the work with it."""
    (flow.repo / ".gitignore").write_text("*.cfg\n")
    flow.git("add", "-A")
    flow.git("commit", "-q", "-m", "ignore")
    named = NEW.replace("new.py", "local.cfg")
    landed = change.land(flow.start(answers(maker=f"{GOOD}{named}"), land="both"))
    assert landed is not None
    assert (landed.left_out, landed.conflicts) == ((), ())
    assert flow.git("show", "both:src/local.cfg") == "x = 1\n"
    assert flow.git("show", "both:src/calc.py") == FIXED


def test_nothing_lands_on_a_dirty_tree(flow: Change) -> None:
    result = flow.start(land="add-adds")
    (flow.repo / "src/calc.py").write_text("dirty\n")
    with pytest.raises(Refused, match="dirty"):
        change.land(result)
    assert "add-adds" not in flow.git("branch", "--list")


def test_nothing_lands_of_a_change_that_failed(flow: Change) -> None:
    result = flow.start(answers(review_cost=BLOCK), land="add-adds")
    assert change.land(result) is None
    assert "add-adds" not in flow.git("branch", "--list")


FAULTS: dict[str, list[Any]] = {
    "dropped": [{"text": "", "outcome": "success"}],
    "emptied": [{"text": " \n"}],
    "corrupted": [{"text": "\x00\ufffd{not what was asked for"}],
    "failing": [{"text": "no", "outcome": "fail", "notes": "the provider raised"}],
}
ASKED = (
    "analysis", "file_request", "draft", "review_contract", "review_cost", "plan", "reasons",
    "results", "maker",
)  # fmt: skip
HARMLESS = {("analysis", "corrupted"), ("maker", "corrupted")}
"""An analysis is text for people: any will do. What is no patch is rejected and made anew."""


@pytest.mark.parametrize(
    ("node", "fault"), paired("who says what wrong", [*ASKED, "fixer"], [*FAULTS])
)
def test_whatever_a_role_does_wrong_the_change_passes_or_explains_itself(
    flow: Change, node: str, fault: str
) -> None:
    others: dict[str, Any] = {"maker": WRONG} if node == "fixer" else {}
    said = answers(**{**others, node: FAULTS[fault]})
    guardian = {"contract_guardian": flow.book(said)} if node == "review_contract" else {}
    result = flow.start(said, roles=guardian)
    if (node, fault) in HARMLESS:
        assert result.summary.status == "PASS"
        return
    assert result.summary.status == "FAIL"
    members = bundled(flow)
    told = members["TRACE.md"].decode()
    assert f"| {node} |" in told
    told_by = "patch" if (node, fault) == ("fixer", "corrupted") else node
    failure = [stage for stage in result.summary.stages if stage.node == told_by][-1]
    assert failure.failure_reason
    assert json.loads(members["artifacts/verify_report.json"])["result"] == "FAIL"
    assert flow.holds()


BREAKDOWNS = {
    "late": ("sleep 60", "timeout"),
    "killed": ("sh -c 'kill -9 $$'", "exit_code_137"),
    "raising": ("false", "exit_code_1"),
}
PROVIDED = ("chair", "cost_controller", "patchmaker", "fixer")


@pytest.mark.parametrize(("role", "how"), paired("who breaks down how", PROVIDED, [*BREAKDOWNS]))
def test_a_provider_that_is_late_or_breaks_down_ends_the_change_with_its_bundle(
    flow: Change, monkeypatch: pytest.MonkeyPatch, role: str, how: str
) -> None:
    monkeypatch.setenv("CUSTODY_COMMAND_TIMEOUT", "0.5s")
    said, reason = BREAKDOWNS[how]
    book = flow.book(answers(maker=WRONG))
    result = flow.start(agent=book, roles={role: f"command:{said}"})
    assert result.summary.status == "FAIL"
    failed = [stage for stage in result.summary.stages if reason in stage.failure_reason]
    assert [stage.type for stage in failed] in (["artifact"], ["review"])
    assert f"| {failed[0].node} |" in bundled(flow)["TRACE.md"].decode()
    assert flow.holds()


LEFT_AT = ("review_contract", "maker", "patch", "verify", "undo", "stop", "fixer")


@pytest.mark.parametrize("node", some("a change is left", LEFT_AT, 2))
def test_a_run_that_is_left_anywhere_goes_on_to_the_same_end(flow: Change, node: str) -> None:
    with ends_before(StageStarted, node):
        flow.start(answers(maker=WRONG))
    assert flow.advance().summary.status == "PASS"
    assert flow.holds()


@pytest.mark.parametrize("kind", ["VERIFY_FAILED", "VERIFY_PASSED", "PatchRejected"])
def test_what_a_verdict_leaves_is_there_after_a_crash(flow: Change, kind: str) -> None:
    from custody.model.event import FACTS

    patches = {"maker": OUTSIDE} if kind == "PatchRejected" else {"maker": WRONG}
    with ends_before(FACTS[kind], "patch" if kind == "PatchRejected" else "verify"):
        flow.start(answers(**patches))
    assert flow.advance().summary.status == "PASS"
    assert flow.holds()


def test_the_same_run_gives_the_same_bundle(flow: Change) -> None:
    flow.start()
    assert change.bundle("c", runsdir=str(flow.runs)) == change.bundle("c", runsdir=str(flow.runs))


def test_a_fork_has_the_documents_of_the_change(flow: Change) -> None:
    flow.start(answers(maker=WRONG))
    api.fork("c", "fixer", runsdir=str(flow.runs), run_id="c2")
    assert (flow.runs / "c2" / "reviews" / "review_contract.md").exists()
    assert not api.verify("c2", runsdir=str(flow.runs)).mismatches


def test_roles_are_those_of_the_configuration(flow: Change) -> None:
    book = flow.book(answers())
    config = {
        "schema_version": "ctcp-dispatch-config-v1",
        "mode": "manual_outbox",
        "role_providers": {
            "chair": book, "cost_controller": book, "patchmaker": book, "fixer": book,
        },
        "budgets": {"max_outbox_prompts": 3},
    }  # fmt: skip
    assert flow.start(agent="", config=json.dumps(config).encode()).summary.status == "PASS"
    kept = flow.json("artifacts/dispatch_config.json")
    assert kept["budgets"] == {"max_outbox_prompts": 3}
    started = [f for f in flow.facts() if isinstance(f, StageStarted)]
    requests = {f.node: f.request for f in started if isinstance(f.request, AgentRequest)}
    assert requests["review_contract"].agent == "contract_check"
    assert requests["maker"].role == "patchmaker"
