"""Entries of ``allowed_write_paths``."""

from __future__ import annotations

import pytest

from support.hostile import Case, Ground, cases, custody, quoted


@pytest.mark.req("P-05")
@pytest.mark.parametrize("case", cases("allowlist"), ids=str)
def test_allowlist(case: Case, ground: Ground) -> None:
    body = f'write [prompt="x", allowed_write_paths={quoted(case.input)}] start -> write -> done'
    pipeline = ground.pipeline(body)
    checked = custody("check", pipeline, "--json")
    findings = checked.data["files"][0]["findings"]
    if case.kind == "accept":
        assert (checked.code, findings) == (0, [])
        assert case.code in {"", "folder" if case.input.endswith("/") else "file"}
        for path, allowed in probes(case.input).items():
            assert may_write(ground, pipeline, path) == allowed, path
        return
    assert checked.code == 1
    assert {item["code"] for item in findings if item["severity"] == "error"} == {case.code}
    assert ground.start(pipeline).data["error_type"] == "PIPELINE_INVALID"
    assert not ground.runsdir.exists()


def probes(entry: str) -> dict[str, bool]:
    """Return paths near the last entry, and whether it covers them."""
    name = entry.rpartition(",")[2].strip().removesuffix("/")
    folder = entry.endswith("/")
    near = {
        name: not folder,
        f"{name}/x": folder,
        f"{name}/deep/x": folder,
        f"{name}2": False,
        f"{name}2/x": False,
        f"x/{name}": False,
        "elsewhere.txt": False,
    }
    other_case = f"{name.swapcase()}/x" if folder else name.swapcase()
    return {other_case: False, **near}


def may_write(ground: Ground, pipeline: str, path: str) -> bool:
    """Let the agent write one file in an empty workspace; what is refused is not kept."""
    run_id = f"r{len(list(ground.runsdir.glob('*')))}"
    agent = ground.answers({"edits": [{"path": path, "content": "x"}]})
    run = ground.start(pipeline, agent, run_id)
    file = ground.path(f"workspace/{path}", run_id)
    assert file.is_file() == (run.code == 0)
    if run.code:
        assert {verdict.code for verdict in ground.refusals(run_id)} == {"not_allowed"}
    return run.code == 0
