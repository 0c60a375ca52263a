"""Plans that say something else than they seem to."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from custody.model import layout
from custody.pipeline.contracts.plan import KEYS
from support.catalog import put_catalog
from support.contracts import EXPECTED, GUARDRAILS, PLAN, REASONS
from support.hostile import Case, cases, custody


@pytest.mark.req("C-12", "C-13")
@pytest.mark.parametrize("case", cases("plan"), ids=str)
def test_plan(case: Case, tmp_path: Path) -> None:
    put_catalog(tmp_path)
    (tmp_path / layout.ARTIFACTS).mkdir()
    texts = {
        layout.PLAN: case.input + the_rest(case.input),
        layout.GUARDRAILS: GUARDRAILS,
        layout.REASONS: REASONS,
        layout.EXPECTED_RESULTS: EXPECTED,
    }
    for path, text in texts.items():
        (tmp_path / path).write_text(text)
    folder = str(tmp_path)
    done = custody("gate", "plan_check", "--repo", folder, "--dir", folder, "--json")
    verdicts = json.loads(done.out)["verdicts"]
    expected = [] if case.kind == "accept" else [case.code]
    assert [verdict["code"] for verdict in verdicts] == expected
    assert done.code == (1 if expected else 0)


def the_rest(text: str) -> str:
    """Return the lines of a whole plan whose keys a text does not mention."""
    keys = [key for key in KEYS if re.search(rf"(?i)\b{key}:", text) is None]
    return "".join(f"{line}\n" for line in PLAN.split("\n") if line.startswith(tuple(keys)))
