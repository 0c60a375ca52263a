"""What a skill has left below reports/."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.executors.jobs.reports import LISTED, METRICS_COUNT, inventory, metrics
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
