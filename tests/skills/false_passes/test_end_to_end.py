"""The same as a user sees it: `custody skill run` says FAIL, and why."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from support.false_passes import FalsePass, false_passes, lay_out
from support.job_user import User
from support.remains import Remains
from support.sweep import some


def drawn() -> Iterator[FalsePass]:
    """Yield some cases of each kind; a soak tries all."""
    kinds = groupby(sorted(false_passes(), key=lambda case: case.by), lambda case: case.by)
    for kind, cases in kinds:
        yield from some(f"false passes by {kind}", cases, 2)


@pytest.mark.req("S-13", "S-15", "S-16")
@pytest.mark.parametrize("case", [*drawn()], ids=str)
def test_it_fails(case: FalsePass, tmp_path: Path) -> None:
    design, config = tmp_path / "design", tmp_path / "config"
    design.mkdir()
    laid = lay_out(case, design)
    user = User(design, config, laid.skill)
    with Remains() as remains:
        ended = user.run("--design", os.path.relpath(laid.enc, design))
        assert remains.trouble(tmp_path) == ""
    told = ended.manifest["message"]
    assert ended.manifest["error_type"] == case.error_type, told
    assert re.search(case.says, told.removeprefix("the log says: ")), told
    acks = sorted((ended.run / "ack").iterdir())
    assert case.by in {"ack", "log"} or len(acks) > 1, "the scripts have run to their end"
