"""The step that makes the bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.model.verify_event import BUNDLE_CREATED
from custody.views.bundle import read_bundle
from support.changing import BLOCK, Change, answers


@pytest.mark.req("C-29")
def test_the_journal_names_the_bundle_by_its_hash(tmp_path: Path) -> None:
    flow = Change(tmp_path)
    flow.start(answers(review_cost=BLOCK))
    (created,) = [fact for fact in flow.facts() if isinstance(fact, BUNDLE_CREATED)]
    assert created.bundle.path == "failure_bundle.zip"
    assert created.bundle.bytes == flow.path("failure_bundle.zip").stat().st_size


def test_a_bundle_that_was_changed_is_found(tmp_path: Path) -> None:
    from custody import api

    flow = Change(tmp_path)
    flow.start(answers(review_cost=BLOCK))
    flow.path("failure_bundle.zip").write_bytes(b"PK")
    found = api.verify("c", runsdir=str(flow.runs)).mismatches
    assert [one.where for one in found] == ["failure_bundle.zip"]


def test_no_secret_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "hunter2-hunter2-hunter2")
    flow = Change(tmp_path)
    flow.start(answers(analysis="it is hunter2-hunter2-hunter2\n", review_cost=BLOCK))
    members = read_bundle(flow.path("failure_bundle.zip").read_bytes())
    assert not [name for name, data in members.items() if b"hunter2" in data]
