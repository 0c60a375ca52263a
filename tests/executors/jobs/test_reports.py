"""What a skill has left below reports/."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.executors.jobs import reports
from custody.executors.jobs.reports import (
    LISTED,
    METRICS_COUNT,
    inventory,
    metrics,
    vouched_for,
)
from custody.store.root import Root


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Root]:
    with Root.open(str(tmp_path)) as root:
        yield root


def test_every_file_is_listed_by_its_path(run: Root, tmp_path: Path) -> None:
    assert inventory(run) == ((), 0)
    for name in ("b.rpt", "a/c.rpt"):
        (tmp_path / "reports" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "reports" / name).write_text(name)
    (tmp_path / "reports" / "link").symlink_to("/etc")
    (tmp_path / "reports" / "odd\udcff").write_text("")
    files, more = inventory(run)
    assert [(one.path, one.size) for one in files if "link" not in one.path] == [
        ("reports/a/c.rpt", 7),
        ("reports/b.rpt", 5),
        ("reports/odd\\xff", 0),
    ]
    assert more == 0
    assert all(one.mtime.endswith("Z") for one in files)


@pytest.mark.req("S-13")
def test_every_plain_file_has_its_hash(
    run: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reports").mkdir()
    for name in ("a.rpt", "b.rpt"):
        (tmp_path / "reports" / name).write_text(name)
    (tmp_path / "reports" / "link").symlink_to("a.rpt")
    os.mkfifo(tmp_path / "reports" / "pipe")
    hashes = [hashlib.sha256(name).hexdigest() for name in (b"a.rpt", b"b.rpt")]
    files, _ = inventory(run)
    assert [one.sha256 for one in files] == [*hashes, "", ""]
    assert [(one.path, one.sha256, one.bytes) for one in vouched_for(files)] == [
        ("reports/a.rpt", hashes[0], 5),
        ("reports/b.rpt", hashes[1], 5),
    ]
    monkeypatch.setattr(reports, "HASHED_LIMIT", 9)
    assert [one.sha256 for one in inventory(run)[0]] == [hashes[0], "", "", ""]


def test_what_is_too_much_is_counted(run: Root, tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    for number in range(LISTED + 3):
        (tmp_path / "reports" / str(number)).write_text("")
    files, more = inventory(run)
    assert (len(files), more) == (LISTED, 3)


@pytest.mark.req("S-14")
@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"b": 1}}',
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        "[]",
        "",
        json.dumps({str(n): n for n in range(METRICS_COUNT + 1)}),
    ],
)
def test_metrics_are_one_flat_object(run: Root, tmp_path: Path, text: str) -> None:
    assert metrics(run) == ({}, "")
    (tmp_path / "reports").mkdir()
    path = tmp_path / "reports" / "metrics.json"
    path.write_text('{"cells": 42, "wns": -0.5, "top": "gcd"}')
    assert metrics(run) == ({"cells": 42, "wns": -0.5, "top": "gcd"}, "")
    path.write_text(text)
    found = metrics(run)
    assert found.metrics == {}
    assert found.problem.startswith("reports/metrics.json: ")


def test_metrics_behind_a_link_are_none(run: Root, tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "m.json").write_text("{}")
    (tmp_path / "reports" / "metrics.json").symlink_to("../m.json")
    assert metrics(run).problem.startswith("reports/metrics.json: ")
