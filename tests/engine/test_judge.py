"""Gates: judged from the record alone, put on record, and judged again by every replay."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from custody import api
from custody.checks.gates import Case, Gate, gates
from custody.checks.gates.exit_code import ExitCodeGate
from custody.engine.judge import judge_stage
from custody.errors import ReplayDiverged
from custody.model import layout
from custody.model.contracts.survey import IndexEntry, Marker, Page, Survey
from custody.model.event import GateFailed, GatePassed, StageFailed
from custody.model.record import encode
from custody.model.verdict import Verdict
from custody.pipeline.contracts.plan import LEAST_GATES
from support.bench import Bench
from support.cases import case
from support.contracts import EXPECTED, GUARDRAILS, REASONS, REVIEW
from support.contracts import PLAN as PLAN_PAGE
from support.hostile import quoted
from support.jobs import CONTRACT, SCRIPT, Job, JobSite
from support.packing import Library
from support.patch_cases import adding
from support.shell import Here

BLOCK = "```json\n{}\n```\n"
PLAN = '{\\"commands\\": [\\"test -f a.txt\\"]}'
VERIFY = (
    'a [prompt="x", test.verification_plan_json="%s"]\n'
    'v [type=verification, verification.allowed_commands="test -f"]\n'
    "start -> a -> v -> done"
)
ASKED = VERIFY.replace("-> done", "-> g -> done") + "\ng [type=gate, stage=v, gates=%s]"
EXECUTED = (
    VERIFY.replace("-> done", "-> g -> e -> done")
    + '\ng [type=gate, stage=v, gates="%s"]\ne [type=gate, stage=v, gates=gates_executed]'
)
WRITING = (
    'w [type=write_file, ingest=true, output_path="docs/a.md", '
    'content="```py file=a.py\n%s\n```\n"]\nstart -> w -> done'
)
TASK = 't [type=agent_task, prompt="x", output_path="docs/a.md"]\nstart -> t -> done'


PACK = "p [type=context_pack]\nstart -> p -> done"
FIND = 'f [type=find, query="x"]\nstart -> f -> done'
REQUEST = json.dumps(
    {
        "schema_version": "ctcp-file-request-v1",
        "goal": "x",
        "needs": [{"path": "a.txt", "mode": "full"}],
        "budget": {"max_files": 10, "max_total_bytes": 100_000},
        "reason": "x",
    }
).encode()
PAGE = "docs/behaviors/B001-x.md"
SURVEY = encode(
    Survey(
        index=True,
        markers=(Marker(id="B001", path="a.py", line=1),),
        entries=(IndexEntry(id="B001", page=PAGE, line=1),),
        pages=(Page(id="B001", path=PAGE, headings=("Reason", "Behavior", "Result")),),
    )
)
UNMARKED = encode(Survey(index=True, entries=(IndexEntry(id="B001", page=PAGE, line=1),)))
DOCUMENTS = {
    layout.PLAN: PLAN_PAGE.encode(),
    layout.GUARDRAILS: GUARDRAILS.encode(),
    layout.REASONS: REASONS.encode(),
    layout.EXPECTED_RESULTS: EXPECTED.encode(),
    layout.SURVEY: SURVEY,
    layout.PATCH: adding("docs/new", 1),
    layout.REVIEW_COST: REVIEW.encode(),
}


class Sample(NamedTuple):
    """A run in which one gate is asked."""

    gate: str
    body: str
    answer: dict[str, object]
    passes: bool
    documents: dict[str, bytes] = {}


def passing(gate: str, body: str, answer: dict[str, object] | None = None) -> Sample:
    return Sample(gate, body, answer or {"text": "Done.\n"}, passes=True)


def failing(gate: str, body: str, answer: dict[str, object] | None = None) -> Sample:
    return Sample(gate, body, answer or {"text": "Done.\n"}, passes=False)


def asking(
    gate: str, path: str, wrong: bytes, *, passes: bytes | None = None, more: str = ""
) -> tuple[Sample, Sample]:
    """Return two runs that ask a gate about documents: one of them is as it is, or wrong."""
    body = f"""t [type=tool, tool_command="true"]
g [type=gate, stage=t, gates={gate}{", " if more else ""}{more}]
start -> t -> g -> done"""
    right = DOCUMENTS if passes is None else {**DOCUMENTS, path: passes}
    answer: dict[str, object] = {"text": "Done.\n"}
    return (
        Sample(gate, body, answer, passes=True, documents=right),
        Sample(gate, body, answer, passes=False, documents={**DOCUMENTS, path: wrong}),
    )


SAMPLES = [
    passing("exit_code", 't [type=tool, tool_command="true"]\nstart -> t -> done'),
    failing("exit_code", 't [type=tool, tool_command="false"]\nstart -> t -> done'),
    passing("verification", VERIFY % PLAN),
    failing("verification", VERIFY % PLAN.replace("a.txt", "b.txt")),
    passing("writes", 'a [prompt="x", allowed_write_paths="b.txt"]\nstart -> a -> done',
           {"text": "", "edits": [{"path": "b.txt", "content": "x"}]}),
    failing("writes", 'a [prompt="x", allowed_write_paths="c.txt"]\nstart -> a -> done',
           {"text": "", "edits": [{"path": "b.txt", "content": "x"}]}),
    passing("response", 'a [prompt="x", response_context=k]\nstart -> a -> done',
           {"text": BLOCK}),
    failing("response", 'a [prompt="x", response_context=k]\nstart -> a -> done',
           {"text": "none"}),
    passing("document", TASK),
    failing("document", TASK, {"text": " \n"}),
    passing("artifacts", WRITING % "x = 1"),
    failing("artifacts", WRITING % "x = ("),
    *asking("plan_check", layout.PLAN, b"Status: DRAFT"),
    *asking("patch_check", layout.PATCH, b""),
    *asking("behavior_catalog_check", layout.SURVEY, UNMARKED),
    *asking("artifact", layout.PLAN, b"", more=f"target={quoted(layout.PLAN)}"),
    *asking("review", layout.REVIEW_COST, b"no", more=f"target={quoted(layout.REVIEW_COST)}"),
    passing("lite", ASKED % (PLAN, "lite")),
    failing("lite", ASKED % (PLAN.replace("a.txt", "b.txt"), "lite")),
    passing("full", ASKED % (PLAN, "full")),
    failing("full", ASKED % (PLAN.replace("a.txt", "b.txt"), "full")),
    passing("gates_executed", EXECUTED % (PLAN, ",".join(LEAST_GATES)))._replace(
        documents=DOCUMENTS
    ),
    passing("context_pack", PACK)._replace(documents={layout.FILE_REQUEST: REQUEST}),
    failing("context_pack", PACK)._replace(
        documents={layout.FILE_REQUEST: REQUEST.replace(b'"max_files": 10', b'"max_files": 1')}
    ),
    passing("find", FIND),
    failing("find", FIND)._replace(documents={layout.GUARDRAILS: b"find_mode: anywhere\n"}),
    failing("gates_executed", EXECUTED % (PLAN, "lite"))._replace(documents=DOCUMENTS),
]  # fmt: skip


def carry_out(bench: Bench, sample: Sample) -> None:
    Library(bench.workdir).write("a.txt", "x")
    book = bench.home / "answers.json"
    book.write_text(json.dumps({"answers": [sample.answer]}))
    bench.run(sample.body, agent=f"fake:{book}", documents=sample.documents)


def flipped(kind: type[Gate]) -> Callable[[Gate, Case], Iterator[Verdict]]:
    """Return a judge who finds something wrong where a gate found nothing, and nothing else."""
    as_it_was = kind.judge

    def judge(self: Gate, case: Case) -> Iterator[Verdict]:
        found = list(as_it_was(self, case))
        return iter(()) if found else iter([self.wrong("flipped", "flipped")])

    return judge


def named(sample: Sample) -> str:
    return f"{sample.gate}-{'passed' if sample.passes else 'failed'}"


@pytest.mark.req("G-16")
@pytest.mark.parametrize("sample", SAMPLES, ids=named)
def test_every_verdict_is_a_fact(bench: Bench, sample: Sample) -> None:
    carry_out(bench, sample)
    kind = GatePassed if sample.passes else GateFailed
    verdicts = [fact for fact in bench.facts() if isinstance(fact, GatePassed | GateFailed)]
    (judged,) = (fact for fact in verdicts if fact.gate == sample.gate and type(fact) is kind)
    assert (judged.visit, judged.attempt) == (1, 1)


@pytest.mark.req("G-16")
@pytest.mark.parametrize("sample", SAMPLES, ids=named)
def test_a_gate_that_judges_otherwise_makes_a_replay_diverge(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, sample: Sample
) -> None:
    carry_out(bench, sample)
    custody = Here(bench.home)
    agreed = custody("replay", "r1", "--runsdir", str(bench.runsdir))
    assert agreed.code == 0, agreed.err
    kind = gates()[sample.gate]
    monkeypatch.setattr(kind, "judge", flipped(kind))
    diverged = custody("replay", "r1", "--runsdir", str(bench.runsdir))
    assert diverged.code == 1
    assert "diverge" in diverged.err.lower() or "lead to" in diverged.err


def cannot_tell(job: JobSite) -> Job:
    job.contract(CONTRACT.replace("  - look at the design\n", ""))
    return job.run()


def fails(job: JobSite) -> Job:
    job.script("error {no such net}\n")
    return job.run()


def leaves_nothing(job: JobSite) -> Job:
    job.script("::custody::write_metrics [dict create cells $cells]\n")
    return job.run()


def counts_nothing(job: JobSite) -> Job:
    job.script(SCRIPT.replace("cells $cells]", "cells 0]"))
    return job.run()


FAILED_JOBS: dict[str, Callable[[JobSite], Job]] = {
    "skill_contract": cannot_tell,
    "located": lambda job: job.run("elsewhere"),
    "script_ack": fails,
    "outputs": leaves_nothing,
    "metrics": counts_nothing,
}
"""For each gate of skill jobs, one that does not pass it."""


def passed_and_failed(job: Job) -> tuple[set[str], set[str]]:
    facts = job.facts()
    return (
        {fact.gate for fact in facts if isinstance(fact, GatePassed)},
        {fact.gate for fact in facts if isinstance(fact, GateFailed)},
    )


def assert_diverges(job: Job, monkeypatch: pytest.MonkeyPatch, gate: str) -> None:
    assert not api.replay(str(job.path)).divergence
    kind = gates()[gate]
    monkeypatch.setattr(kind, "judge", flipped(kind))
    with pytest.raises(ReplayDiverged, match=gate):
        api.replay(str(job.path))


@pytest.fixture(scope="module")
def passed_job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    return JobSite(tmp_path_factory.mktemp("job")).run()


@pytest.mark.req("G-16")
@pytest.mark.parametrize("gate", FAILED_JOBS)
def test_so_does_one_that_finds_something_in_a_job_that_passed(
    passed_job: Job, monkeypatch: pytest.MonkeyPatch, gate: str
) -> None:
    passed, failed = passed_and_failed(passed_job)
    assert gate in passed
    assert not failed
    assert_diverges(passed_job, monkeypatch, gate)


@pytest.mark.req("G-16")
@pytest.mark.parametrize("gate", FAILED_JOBS)
def test_so_does_one_that_finds_nothing_in_a_job_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: str
) -> None:
    job = FAILED_JOBS[gate](JobSite(tmp_path))
    assert gate in passed_and_failed(job)[1]
    assert_diverges(job, monkeypatch, gate)


@pytest.mark.req("G-16")
def test_no_gate_is_left_out() -> None:
    for passes in (True, False):
        tried = {s.gate for s in SAMPLES if s.passes is passes}
        assert tried | FAILED_JOBS.keys() == gates().keys()


def test_a_gate_that_only_warns_changes_nothing(bench: Bench) -> None:
    carry_out(bench, next(s for s in SAMPLES if s.gate == "artifacts" and not s.passes))
    assert not any(isinstance(fact, StageFailed) for fact in bench.facts())
    (warned,) = (fact for fact in bench.facts() if isinstance(fact, GateFailed))
    assert warned.effect == "warn"


def test_a_refusal_comes_before_a_failure(bench: Bench) -> None:
    book = bench.home / "answers.json"
    answer = {"text": "none", "edits": [{"path": "b.txt", "content": "x"}]}
    book.write_text(json.dumps({"answers": [answer]}))
    body = 'a [prompt="x", response_context=k, allowed_write_paths="c/"]\nstart -> a -> done'
    bench.run(body, agent=f"fake:{book}")
    (failed,) = (fact for fact in bench.facts() if isinstance(fact, StageFailed))
    assert failed.outcome.failure_reason.startswith("guardrail_violation: ")
    judged = [fact.gate for fact in bench.facts() if isinstance(fact, GateFailed)]
    assert judged == ["writes", "response"]


def test_a_gate_is_not_passed_by_what_is_not_recorded() -> None:
    gate = ExitCodeGate()
    (missing,) = judge_stage([gate], "a", None)
    (unheard,) = judge_stage([gate], "a", case(status="failed", exit_code=0))
    (passed,) = judge_stage([gate], "a", case(exit_code=0))
    told = [[verdict.code for verdict in one.verdicts] for one in (missing, unheard, passed)]
    assert told == [["not_recorded"], ["not_judged"], []]
