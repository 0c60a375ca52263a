"""The packaged pipeline on the example project, as the demo runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody import api
from custody.pipeline.library import names, packaged

EXAMPLE = Path(__file__).parents[2] / "examples" / "fix-failing-test"


def test_the_failing_test_is_repaired_verified_and_proved(tmp_path: Path) -> None:
    result = api.run(
        "fix_test",
        workdir=str(EXAMPLE / "project"),
        runsdir=str(tmp_path),
        agent=f"fake:{EXAMPLE / 'answers.json'}",
    )
    assert result.summary.status == "PASS"
    assert result.summary.changed == ("src/invoice/totals.py",)
    assert (Path(result.path) / "docs" / "report.md").exists()
    assert api.replay("last", runsdir=str(tmp_path)).status == "PASS"
    assert api.verify("last", runsdir=str(tmp_path)).mismatches == ()


def test_an_agent_that_cannot_mend_it_ends_in_a_failure(tmp_path: Path) -> None:
    project = str(EXAMPLE / "project")
    result = api.run("fix_test", workdir=project, runsdir=str(tmp_path), agent="stub")
    assert result.summary.status == "FAIL"


def is_part(name: str) -> bool:
    """Whether another pipeline runs it, once for every item of a list."""
    return any(f"pipeline={name}," in (packaged(other) or b"").decode() for other in names())


@pytest.mark.parametrize("name", [name for name in names() if not is_part(name)])
def test_packaged_pipelines_have_no_findings(name: str) -> None:
    _pipeline, findings = api.check(name)
    assert findings == ()
