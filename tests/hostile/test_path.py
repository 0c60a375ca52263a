"""Paths that an agent asks to write."""

from __future__ import annotations

import os

import pytest

from support.hostile import Case, Ground, cases, picture

BODY = 'write [prompt="x"] start -> write -> done'
CONTENT = "by the agent\n"


@pytest.mark.req("P-05", "I-06")
@pytest.mark.parametrize("case", cases("path"), ids=str)
def test_path(case: Case, ground: Ground) -> None:
    (ground.workdir / "src").mkdir()
    (ground.workdir / "src" / "main.py").write_text("print()\n")
    agent = ground.answers({"edits": [{"path": case.input, "content": CONTENT}]})
    pipeline = ground.pipeline(BODY)
    before, target = ground.surroundings(), state_of(ground, case.input)
    run = ground.start(pipeline, agent)
    assert ground.surroundings() == before
    assert ground.ask("verify").code == 0
    if case.kind == "accept":
        assert run.code == 0
        assert ground.refusals() == []
        assert as_spelled(ground, case.input) == CONTENT
        return
    assert [verdict.code for verdict in ground.refusals()] == [case.code]
    assert (run.code, run.data["summary"]["status"]) == (1, "FAIL")
    assert "StageFailed write" in ground.events()
    assert picture(ground.workspace) == picture(ground.workdir)
    assert state_of(ground, case.input) == target


def as_spelled(ground: Ground, path: str) -> str:
    """Return the content of a file whose every component is listed under exactly this name."""
    folder = ground.workspace
    for part in path.split("/"):
        assert part in os.listdir(folder)
        folder /= part
    return folder.read_text()


def state_of(ground: Ground, path: str) -> os.stat_result | None:
    """Return what a careless join would reach outside; None where nothing is."""
    try:
        target = os.path.normpath(ground.workspace / path)
        return None if target.startswith(str(ground.home)) else os.lstat(target)
    except (OSError, ValueError):
        return None
