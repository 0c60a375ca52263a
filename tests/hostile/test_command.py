"""Commands that an agent's verification plan asks for.

Small programs stand in for the real ones and print what they see, so that an accepted command
is known by its effect: which program, which words, where, with which variables.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from custody.model.event import AnyFact, GateFailed, GatePassed, RequestAnswered, StageStarted
from custody.model.plan import VerificationResults
from custody.model.record import decode
from support.hostile import Case, Ground, cases, picture

ALLOWED = "go test,go build,pytest,python -m pytest,make test,git log,yes,sleep"
STANDS_IN = """#!/bin/sh
printf '%s\\n' "program=$0" "cwd=$(pwd -P)"
for word in "$@"; do printf 'word=%s\\n' "$word"; done
/usr/bin/env
"""
EVIL = "#!/bin/sh\ntouch PWN\n"
BODY = (
    'plan [prompt="x"] '
    f'verify [type=verification, timeout="{{timeout}}", verification.allowed_commands="{ALLOWED}"] '
    "start -> plan -> verify -> done"
)
ENDED_BY_THE_RUNTIME = {"timeout", "output_limit"}


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put programs of the allowed names, and of some others, first on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("go", "pytest", "python", "make", "git", "rm", "tee", "id", "curl", "env"):
        (folder / name).write_text(STANDS_IN)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


@pytest.mark.req("P-07", "P-08")
@pytest.mark.parametrize("case", cases("command"), ids=str)
def test_command(case: Case, ground: Ground, programs: Path) -> None:
    prepare(ground, case.input)
    plan = {"commands": [case.input]}
    agent = ground.answers({"context_updates": {"verification.plan": plan}})
    seconds = "300ms" if case.code == "timeout" else "60s"
    pipeline = ground.pipeline(BODY.format(timeout=seconds))
    before = ground.surroundings()
    run = ground.start(pipeline, agent)
    assert ground.surroundings() == before
    assert picture(ground.workspace) == picture(ground.workdir)
    assert ground.ask("verify").code == 0
    assert run.code == (0 if case.kind == "accept" else 1)
    if case.kind == "accept":
        assert_ran(case, ground, programs)
    elif case.code in ENDED_BY_THE_RUNTIME:
        assert_ended(case, ground)
    else:
        assert_refused(case, ground)


def prepare(ground: Ground, command: str) -> None:
    """Lay out what a command may go to, and programs that it must not start."""
    for folder in re.findall(r"\bcd +(?:--? +)?['\"]?([\w./-]+)", command):
        if not folder.startswith("/") and ".." not in folder.split("/"):
            (ground.workdir / folder).mkdir(parents=True, exist_ok=True)
    for name in ("go", "evil.sh", "evil"):
        (ground.workdir / name).write_text(EVIL)
        (ground.workdir / name).chmod(0o755)


def verification_facts(ground: Ground) -> list[AnyFact]:
    return [fact for fact in ground.facts() if getattr(fact, "node", "") == "verify"]


def assert_refused(case: Case, ground: Ground) -> None:
    """The code is told, and nothing was asked of the outside."""
    assert [verdict.code for verdict in ground.refusals()] == [case.code]
    started, *rest = verification_facts(ground)
    assert isinstance(started, StageStarted)
    assert started.request is None
    assert not any(isinstance(fact, RequestAnswered) for fact in rest)
    assert list(ground.path("nodes/verify").rglob("*.log")) == []


def assert_ended(case: Case, ground: Ground) -> None:
    """It did run, was ended by the runtime for that reason, and left nothing behind."""
    (answered,) = (f for f in verification_facts(ground) if isinstance(f, RequestAnswered))
    assert f"was ended: {case.code}" in answered.ack.failure_summary
    assert answered.ack.status == ("timeout" if case.code == "timeout" else "failed")
    assert results(ground).commands[0].exit_code is None
    assert results(ground).commands[0].ended_by == case.code
    (failed,) = (f for f in verification_facts(ground) if isinstance(f, GateFailed))
    assert failed.gate == "verification"
    assert failed.reason.startswith("verification command failed: ")


def assert_ran(case: Case, ground: Ground, programs: Path) -> None:
    """The programs were those on PATH, started where and as the command says."""
    assert [f.gate for f in verification_facts(ground) if isinstance(f, GatePassed)] == [
        "writes",
        "verification",
    ]
    assert ground.refusals() == []
    printed = ground.path("nodes/verify/1.1/verification.1.stdout.log").read_text()
    assert re.findall(r"^program=(.*)/", printed, re.MULTILINE) == [
        str(programs) for _ in re.findall("^program=", printed, re.MULTILINE)
    ]
    folder = re.search(r"\bcd +['\"]?([\w./-]+)", case.input)
    assert (case.code == "workdir") == (folder is not None)
    where = os.path.normpath(f"{ground.workdir}/{folder[1] if folder else ''}")
    assert f"cwd={where}\n" in printed
    assigned = dict(re.findall(r"\b([A-Z][A-Z_]+)=(\S+)", case.input))
    assert (case.code == "env") == bool(assigned)
    for name, value in assigned.items():
        assert f"{name}={value.strip(chr(34)).replace('$PWD', where)}\n" in printed
    last = re.split(r" && | ; |\|\|?|[()]", case.input.rstrip(") "))[-1].split()
    words = [word for word in last if not re.match(r"[A-Z_]+=", word)]
    assert re.findall("^word=(.*)", printed, re.MULTILINE)[-len(words[1:]) :] == words[1:]


def results(ground: Ground) -> VerificationResults:
    path = ground.path("nodes/verify/1.1/verification.results.json")
    return decode(path.read_bytes(), VerificationResults, where=str(path))


def test_the_stand_ins_are_not_taken_for_the_real_programs(ground: Ground, programs: Path) -> None:
    """A denied command that ran after all would be seen: the evil programs do leave a mark."""
    (ground.workdir / "evil.sh").write_text(EVIL)
    done = ground.start(
        ground.pipeline('evil [type=tool, tool_command="sh evil.sh"] start -> evil -> done')
    )
    assert done.code == 0
    assert (ground.workspace / "PWN").exists()
    assert json.loads(ground.path("summary.json").read_text())["status"] == "PASS"
    assert programs.is_dir()
