"""Every finding about pipelines, without running one."""

from __future__ import annotations

import pytest

from support.shell import Shell

WRONG = "digraph wrong {\n  start [shape=Mdiamond]\n  a [shape=hexagon]\n  start -> b\n}\n"
ODD = """digraph odd {
  start [shape=Mdiamond]
  done [shape=Msquare]
  start -> done
  start -> done
}
"""


@pytest.mark.req("P-02")
def test_check_lists_every_finding_of_every_file(custody: Shell) -> None:
    custody.write("wrong.dot", WRONG)
    custody.write("odd.dot", ODD)
    done = custody("check", "wrong.dot", "missing.dot", "odd.dot")
    assert done.code == 1
    assert any(line.startswith("wrong.dot:3:") for line in done.out.splitlines())
    assert any(line.startswith("wrong.dot:4:") for line in done.out.splitlines())
    assert "missing.dot:0:0 unreadable " in done.out
    assert "odd.dot:5:" in done.out
    data = custody("check", "wrong.dot", "odd.dot", "--json").data
    assert [file["file"] for file in data["files"]] == ["wrong.dot", "odd.dot"]
    assert data["errors"] >= 2
    assert data["warnings"] == 1


def test_warnings_alone_are_no_failure(custody: Shell) -> None:
    custody.write("odd.dot", ODD)
    done = custody("check", "odd.dot")
    assert done.code == 0
    assert "warning: " in done.out


@pytest.mark.parametrize("name", ["plan", "graph", "run"])
def test_a_wrong_pipeline_is_refused(custody: Shell, name: str) -> None:
    custody.write("wrong.dot", WRONG)
    done = custody(name, "wrong.dot", "--json")
    assert (done.code, done.data["error_type"]) == (1, "PIPELINE_INVALID")
