"""The packaged pipelines, from a task to a document, with recorded answers."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from custody import api
from custody.model.event import StageFailed, StageRetrying
from custody.pipeline.library import names, packaged, sample_answers
from support.asked import APPROVED, REWORK, ask, book, documents
from support.bench import Bench
from support.lists import holds
from support.sweep import Sweep, paired
from support.trees import remove

MODES = ("single", "self_critique", "team")
PLAN = 'A plan.\n\n```json\n{"tasks": [{"id": "one", "title": "One", "goal": "It"}]}\n```\n'
OF_TEAM = {
    *("docs/TODO.md", "docs/ProjectManager.md", "docs/team_plan_r1.md", "docs/final.md"),
    *(
        f"docs/tasks/{task}/{name}"
        for task in ("overview", "example")
        for name in ("role_factory.md", "persona.json", "plan.md", "result.md")
    ),
    *(
        f"docs/audits/{name}.{kind}"
        for name in ("overview", "example", "committee_1", "committee_2", "committee_3")
        for kind in ("md", "json")
    ),
}
DOCUMENTS = {
    "single": {"docs/single_r1.md"},
    "self_critique": {
        *("docs/draft_r1.md", "docs/final_r1.md"),
        *(f"docs/reviews/review_{number}.md" for number in (1, 2, 3)),
    },
    "team": OF_TEAM,
}
KILLED = """
import os, signal, sys
from custody import api
mode, runsdir, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
heard = 0
def hear(*_):
    global heard
    heard += 1
    if heard >= limit:
        os.kill(os.getpid(), signal.SIGKILL)
api.run(mode, runsdir=runsdir, run_id="r1", agent=f"fake:{mode}", variables={"task": "Do it"},
        listeners=(hear,))
"""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize("name", names())
def test_a_packaged_pipeline_has_no_finding_as_a_whole(name: str) -> None:
    if name in MODES:
        assert api.check(name)[1] == ()
    assert packaged(name)


@pytest.mark.req("I-01", "I-02")
@pytest.mark.parametrize("mode", MODES)
def test_every_document_is_there(bench: Bench, mode: str) -> None:
    assert ask(bench, mode).summary.status == "PASS"
    assert documents(bench) == DOCUMENTS[mode]
    holds(bench)


@pytest.mark.req("I-02")
@pytest.mark.parametrize(("mode", "events"), [("single", 6), ("self_critique", 22), ("team", 90)])
def test_a_killed_run_goes_on(bench: Bench, mode: str, events: int) -> None:
    whole = ask(bench, mode, run_id="r0").summary
    words = [sys.executable, "-c", KILLED, mode, str(bench.runsdir), str(events)]
    assert subprocess.run(words, check=False, timeout=60).returncode == -signal.SIGKILL
    summary = api.resume("r1", runsdir=str(bench.runsdir)).summary
    assert [row.node for row in summary.stages] == [row.node for row in whole.stages]
    assert summary.status == "PASS"
    assert documents(bench) == DOCUMENTS[mode]
    holds(bench)


@pytest.mark.req("I-02")
@pytest.mark.parametrize("mode", MODES)
def test_a_run_that_is_cut_anywhere_ends_with_the_same_documents(
    bench: Bench, mode: str, sweep: Sweep
) -> None:
    ask(bench, mode)
    lines = bench.path("events.jsonl").read_bytes().splitlines(keepends=True)
    wanted = {path: bench.path(path).read_bytes() for path in DOCUMENTS[mode]}

    def attempt(kept: int) -> None:
        run = bench.home / f"cut{kept}" / "r1"
        shutil.copytree(bench.path(""), run)
        (run / "events.jsonl").write_bytes(b"".join(lines[:kept]))
        for view in ("checkpoint.json", "summary.json", "summary.md"):
            (run / view).unlink()
        (run / "manifest.json").write_text('{"run_id": "r1"}')
        assert api.resume(str(run)).summary.status == "PASS"
        assert {path: (run / path).read_bytes() for path in wanted} == wanted
        assert api.verify(str(run)).mismatches == ()
        remove(run.parent)

    sweep.over(sweep.points(range(1, len(lines)), every=len(lines) / 3, about=mode), attempt)


@pytest.mark.parametrize(
    "task", ["$goal ${run_id} ${doc:docs/x.md} $$", '"]; } //', "../../x", "}"]
)
@pytest.mark.parametrize("mode", MODES)
def test_a_task_is_data(bench: Bench, mode: str, task: str) -> None:
    assert ask(bench, mode, task=task).summary.status == "PASS"
    assert documents(bench) == DOCUMENTS[mode]
    first = {"single": "write", "self_critique": "draft", "team": "todo"}[mode]
    assert f"\n{task}\n" in bench.path(f"nodes/{first}/1.1/prompt.md").read_text()


@pytest.mark.parametrize("count", ["1", "10"])
def test_as_many_reviewers_as_asked_for(bench: Bench, count: str) -> None:
    ask(bench, "self_critique", variables={"reviewers": count})
    reviews = {path for path in documents(bench) if path.startswith("docs/reviews/")}
    assert reviews == {f"docs/reviews/review_{n}.md" for n in range(1, int(count) + 1)}
    prompt = bench.path("nodes/final/1.1/prompt.md").read_text()
    assert all(review in prompt for review in reviews)


@pytest.mark.parametrize("mode", ["single", "self_critique"])
def test_without_an_answer_there_is_no_document(bench: Bench, mode: str) -> None:
    node = "write" if mode == "single" else "final"
    result = ask(bench, mode, agent=book(bench.home, mode, **{node: [" \n"]}))
    assert result.summary.status == "FAIL"
    assert not any("single_" in path or "final_" in path for path in documents(bench))


@pytest.mark.req("I-02")
def test_a_malformed_plan_is_asked_for_again_with_what_is_wrong(bench: Bench) -> None:
    bad = PLAN.replace('"one"', '"../one"')
    agent = book(bench.home, "team", plan=["No plan.", bad, PLAN])
    assert ask(bench, "team", agent=agent).summary.status == "PASS"
    reasons = [
        fact.outcome.failure_reason for fact in bench.facts() if isinstance(fact, StageRetrying)
    ]
    assert "expected one fenced json block, found 0" in reasons[0]
    assert "tasks[0].id" in reasons[1]
    assert "does not match" in bench.path("nodes/plan/1.3/prompt.md").read_text()
    assert bench.path("docs/team_plan_r1.md").read_text() == PLAN
    holds(bench)


@pytest.mark.parametrize(
    "plan",
    [
        "Nothing.",
        PLAN + PLAN,
        '```json\n{"tasks": []}\n```\n',
        PLAN.replace("}]}", '}, {"id": "one", "title": "Two", "goal": "It"}]}'),
        '```json\n{"tasks": [{"id": "committee_1", "title": "A", "goal": "G"}]}\n```\n',
        '```json\n{"tasks": [}\n```\n',
    ],
)
def test_a_plan_that_stays_malformed_ends_the_run(bench: Bench, plan: str) -> None:
    result = ask(bench, "team", agent=book(bench.home, "team", plan=[plan]))
    assert result.summary.status == "FAIL"
    assert sum(isinstance(fact, StageRetrying) for fact in bench.facts()) == 2
    assert bench.path("docs/final.md").read_text().startswith("# Not finished")
    assert "docs/team_plan_r1.md" not in documents(bench)
    holds(bench)


VERDICTS = [
    ('```json\n{"verdict": "approved"}\n```\n', True),
    ('Not APPROVED, said one.\n```json\n{"verdict": "approved", "why": "x"}\n```\n', True),
    ("APPROVED\n", False),
    ("not APPROVED\n", False),
    ('{"verdict": "approved"}\n', False),
    ('```json\n{"verdict": "not approved"}\n```\n', False),
    ('```json\n{"verdict": "APPROVED"}\n```\n', False),
    ('```json\n{"verdict": "approved "}\n```\n', False),
    ('```json\n{"verdict": ["approved"]}\n```\n', False),
    ('```json\n{"verdict": {"verdict": "approved"}}\n```\n', False),
    ('```json\n{"verdict": null}\n```\n', False),
    ('```json\n{"verdict": true}\n```\n', False),
    ('```json\n{"Verdict": "approved"}\n```\n', False),
    ('```json\n{"notes": "approved"}\n```\n', False),
    ("```json\n{}\n```\n", False),
    ('```json\n"approved"\n```\n', False),
    ('```json\n{"verdict": "rework", "verdict": "approved"}\n```\n', False),
    ('```json\n{"verdict": "approved"}\n```\n```json\n{"verdict": "rework"}\n```\n', False),
    ('```json\n{"verdict": "rework"}\n```\napproved\n', False),
]
"""What an auditor says, and whether that approves."""


@pytest.mark.req("I-02")
@pytest.mark.parametrize(
    ("said", "node"),
    paired("verdicts", VERDICTS, ["tasks__1__audit", "committee__2__vote"]),
)
def test_only_the_verdict_approves(bench: Bench, said: tuple[str, bool], node: str) -> None:
    text, approved = said
    answers = {node: [text], "direct": ["Log."], "rework__any__revise": ["Result."]}
    answers["rework__any__audit"] = [APPROVED]
    result = ask(bench, "team", agent=book(bench.home, "team", **answers))
    assert (result.summary.status == "PASS") is approved
    final = bench.path("docs/final.md").read_text()
    assert final.startswith("# A sample document") is approved


@pytest.mark.req("I-02")
def test_the_committee_sends_the_work_back_once(bench: Bench) -> None:
    agent = book(
        bench.home,
        "team",
        committee__3__vote=[REWORK, APPROVED],
        direct=["# Log\n\nSecond entry."],
        rework__any__revise=["A better result."],
        rework__any__audit=[APPROVED],
    )
    assert ask(bench, "team", agent=agent).summary.status == "PASS"
    assert documents(bench) == OF_TEAM
    assert bench.path("docs/final.md").read_text().startswith("# A sample document")
    assert bench.path("docs/tasks/overview/result.md").read_text() == "A better result."
    assert "Not APPROVED." in bench.path("nodes/rework.1.revise/1.1/prompt.md").read_text()
    assert json.loads(bench.path("docs/audits/committee_3.json").read_text()) == {
        "verdict": "approved"
    }
    holds(bench)


@pytest.mark.req("I-02")
def test_a_committee_that_never_accepts_ends_the_run(bench: Bench) -> None:
    agent = book(
        bench.home,
        "team",
        committee__1__vote=[REWORK],
        direct=["Log."],
        rework__any__revise=["Result."],
        rework__any__audit=[APPROVED],
    )
    summary = ask(bench, "team", agent=agent).summary
    assert (summary.status, summary.reason) == ("FAIL", "max_visits exceeded: direct (2)")
    assert bench.path("docs/final.md").read_text().startswith("# Not accepted")
    holds(bench)


@pytest.mark.parametrize("part", ["tasks", "rework"])
def test_an_audit_that_never_approves_ends_the_run(bench: Bench, part: str) -> None:
    answers = {
        "committee__1__vote": [REWORK],
        "direct": ["Log."],
        "rework__any__revise": ["Result."],
        f"{part}__any__audit": [REWORK],
        f"{part}__2__audit": [REWORK],
    }
    summary = ask(bench, "team", agent=book(bench.home, "team", **answers)).summary
    assert summary.status == "FAIL"
    failed = next(
        fact for fact in bench.facts() if isinstance(fact, StageFailed) and fact.node == part
    )
    assert f"max_visits exceeded: {part}.1.revise" in failed.outcome.failure_reason
    assert bench.path("docs/final.md").read_text().startswith("# Not finished")
    holds(bench)


def test_there_are_sample_answers_for_known_names_alone() -> None:
    assert all(sample_answers(mode) for mode in MODES)
    assert sample_answers("fix_test") is None
    assert sample_answers("../single") is None
