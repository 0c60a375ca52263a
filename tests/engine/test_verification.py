"""What lies beside a record is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.engine.verification import Mismatch, Verification, check_head, unknown
from custody.errors import UsageError
from custody.store.rundir import RunDirectory


def test_everything_is_named_in_order(tmp_path: Path) -> None:
    with RunDirectory.create(str(tmp_path), "r1") as run:
        assert unknown(run, ()) == ()
        run.write("docs/a.md.lost.1", b"x")
        run.write("cache/deep/down", b"x")
        run.root.make_dirs("nodes/a/1.1")
        run.root.make_dirs("homes")
        found = unknown(run, ["blobs/ab/abc"])
    assert found == ("blobs/ab/abc", "cache/", "docs/a.md.lost.1", "nodes/a/1.1/")


@pytest.mark.req("G-14", "S-13")
def test_reports_are_named_unless_the_journal_vouches_for_all_of_them(tmp_path: Path) -> None:
    with RunDirectory.create(str(tmp_path), "r1") as run:
        run.write("reports/a.rpt", b"x")
        run.write("reports/deep/b.rpt", b"x")
        named = {"reports/a.rpt", "reports/deep/b.rpt"}
        assert unknown(run, (), named) == ()
        assert unknown(run, (), {"reports/a.rpt"}) == ("reports/",)
        run.root.make_dirs("reports/empty")
        assert unknown(run, (), named) == ("reports/",)


def test_a_record_is_intact_whatever_became_of_the_run() -> None:
    found = Verification(run_id="r", status="FAIL", lines=1, evidence=0, blobs=0, mismatches=())
    assert found.intact
    wrong = Mismatch(code="view", where="summary.md", what="it is gone")
    assert not Verification(
        run_id="r", status="PASS", lines=1, evidence=0, blobs=0, mismatches=(wrong,)
    ).intact


@pytest.mark.req("G-14")
def test_what_cannot_be_a_head_is_told() -> None:
    check_head("")
    check_head("0" * 64)
    for text in ("0" * 12, "0" * 65, "x" * 64, "0" * 64 + "\n"):
        with pytest.raises(UsageError, match="is not the head of a journal"):
            check_head(text)
