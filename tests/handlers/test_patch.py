"""The patch of a change is applied in the workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.bench import Bench


@pytest.mark.req("C-21")
def test_without_a_plan_no_patch_is_applied(tmp_path: Path) -> None:
    from support.changing import CODE, GOOD

    bench = Bench(tmp_path)
    (bench.workdir / "src").mkdir()
    (bench.workdir / "src/calc.py").write_text(CODE)
    given = {"artifacts/diff.patch": GOOD.encode()}
    result = bench.run("p [type=patch]\nstart -> p -> done", documents=given)
    assert result.summary.status == "FAIL"
    assert "PATCH_POLICY_INVALID" in result.summary.stages[1].failure_reason
    assert bench.path("workspace/src/calc.py").read_text() == CODE


def test_without_a_patch_nothing_is_started(tmp_path: Path) -> None:
    result = Bench(tmp_path).run("p [type=patch]\nstart -> p -> done")
    assert result.summary.stages[1].failure_reason == "there is no artifacts/diff.patch"
