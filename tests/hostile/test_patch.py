"""Patches that reach for more than they may, by whatever header."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from custody import api
from custody.model import layout
from custody.model.event import GateFailed, GatePassed
from support.hostile import Case, Ground, cases, picture
from support.patch_cases import adding, patch_of
from support.shell import command

PLAN = b"""Status: SIGNED
Scope-Allow: docs/
Scope-Deny: docs/private/
Gates: lite, plan_check, patch_check, behavior_catalog_check
Stop: max_iterations=3
Budgets: files=5
Behaviors:
Results: R001
"""
POLICY = '{"holdouts": ["scripts/scenarios/", "holdout/"]}'
FILES = {
    "docs/a.txt": "hello\n",
    "secrets/s.txt": "TOPSECRET\n",
    "holdout/t.sh": "true\n",
    "scripts/scenarios/y.sh": "true\n",
}
UPPER = f"{layout.layer_folder('p/1.1')}/{layout.UPPER}"
PIPELINE = "p [type=patch]\nstart -> p -> done"


@pytest.mark.req("C-19", "C-20")
@pytest.mark.parametrize("case", cases("patch"), ids=str)
def test_patch(case: Case, ground: Ground) -> None:
    put_source(ground.workdir)
    if case.kind == "recover":
        killed_while_git_works(ground)
        return
    patch = patch_of(case.input)
    ground.pipeline(PIPELINE)
    before, around = picture(ground.workdir), ground.surroundings()
    result = ground.run(PIPELINE, documents={layout.PLAN: PLAN, layout.PATCH: patch})
    judged = [f for f in ground.facts() if isinstance(f, GatePassed | GateFailed)]
    said = next(fact for fact in judged if fact.gate == "patch_check")
    assert ground.path(layout.PATCH).read_bytes() == patch
    if case.kind == "accept":
        assert (result.summary.status, type(said)) == ("PASS", GatePassed)
        assert picture(ground.workspace) != before
    else:
        assert isinstance(said, GateFailed)
        assert (result.summary.status, said.effect) == ("FAIL", "refuse")
        assert said.verdicts[0].code == case.code
        assert picture(ground.workspace) == before
        assert case.code in ground.path(layout.REVIEW_PATCH).read_text()
    assert ground.surroundings() == around
    assert api.replay("r1", runsdir=str(ground.runsdir)).status == result.summary.status


def put_source(folder: Path) -> None:
    """Write a repository with something to reach for."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "patch_policy.json").write_text(POLICY)


def killed_while_git_works(ground: Ground) -> None:
    """Kill the runtime as soon as git has written a file; then, and after it goes on, look."""
    policy = POLICY.replace("}", ', "max_added_lines": 1000000}')
    (ground.workdir / "patch_policy.json").write_text(policy)
    before = picture(ground.workdir)
    names = [f"docs/{number}.txt" for number in range(5)]
    patch = b"".join(adding(name, 50000) for name in names)
    (ground.home / "plan").write_bytes(PLAN)
    (ground.home / "patch").write_bytes(patch)
    words = [
        "run", ground.pipeline(PIPELINE), "--workdir", str(ground.workdir),
        "--runsdir", str(ground.runsdir), "--run-id", "r1",
        "--document", f"{layout.PLAN}={ground.home / 'plan'}",
        "--document", f"{layout.PATCH}={ground.home / 'patch'}",
    ]  # fmt: skip
    with subprocess.Popen([*command(), *words], stdout=-3, stderr=-3) as process:
        first = [ground.path(f"{top}/{names[0]}") for top in (UPPER, layout.WORKSPACE)]
        while process.poll() is None and not any(path.exists() for path in first):
            time.sleep(0.001)
        process.kill()
    shown = {name: state for name, state in picture(ground.workspace).items() if name in names}
    assert len(shown) in {0, len(names)}
    resumed = api.resume("r1", runsdir=str(ground.runsdir))
    assert resumed.summary.status == "PASS"
    after = picture(ground.workspace)
    assert after.keys() == {*before, *names}
    assert {name: after[name] for name in before} == before
