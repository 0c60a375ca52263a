"""What a check of a packet says."""

from __future__ import annotations

import json

import pytest

from custody.model import layout
from support.bench import Bench
from support.shell import Here

WORK = "a [type=tool, tool_command=\"sh -c 'seq 2000'\"]\nstart -> a -> done"


@pytest.mark.req("E-04")
def test_what_rotted_is_named_and_marked_and_the_exit_code_tells(bench: Bench) -> None:
    bench.run(WORK)
    bench.path("nodes/a/1.1/tool.stdout.log").unlink()
    custody = Here(bench.home)
    done = custody("evidence", "verify", "r1", "--runsdir", "runs", "--output", "checked.json")
    assert done.code == 1
    first = done.out.splitlines()[0]
    assert first.startswith("gone  gate:a/1.1:exit_code: memory://docs/nodes/a/1.1/tool.stdout.log")
    assert "invalid" in done.out.splitlines()[-1]
    assert "proven" not in done.out
    marked = json.loads((bench.home / "checked.json").read_text())
    status = [cited["status"] for claim in marked["claims"] for cited in claim["evidence"]]
    assert set(status) == {"valid", "invalid"}
    again = custody("evidence", "verify", "checked.json", "--run", "r1", "--runsdir", "runs")
    assert again.code == 1


@pytest.mark.req("E-01")
def test_what_is_found_is_not_called_proven(bench: Bench) -> None:
    bench.run(WORK)
    packet = str(bench.path(layout.PACKET))
    done = Here(bench.home)("evidence", "verify", packet)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("found verbatim  ")
    assert "for you to judge" in done.out


def test_a_packet_that_is_none_is_refused(bench: Bench) -> None:
    (bench.home / "x.json").write_text('{"title": "x"}')
    done = Here(bench.home)("evidence", "verify", "x.json")
    assert done.code == 1
    assert "x.json" in done.err
