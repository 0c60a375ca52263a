"""What a person answers may change files, within the budgets of the stage."""

from __future__ import annotations

import pytest

from custody import api
from custody.model.event import RequestAnswered
from custody.model.request import Ack
from support.bench import Bench

FENCES = "Done.\n\n```text file=a.txt\none\n```\n\n```text file=b/c.txt\ntwo\n```\n"
PATCH = """\
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-old
+new
"""


def answered(bench: Bench, answer: str, settings: str = "") -> Ack:
    (bench.workdir / "a.txt").write_text("old\n")
    bench.run(f'ask [prompt="Go."{settings}] start -> ask -> done', agent="outbox")
    api.answer("ask/1.1", answer, runsdir=str(bench.runsdir))
    api.resume("r1", runsdir=str(bench.runsdir))
    (fact,) = (fact for fact in bench.facts() if isinstance(fact, RequestAnswered))
    return fact.ack


def test_fenced_files_are_written(bench: Bench) -> None:
    assert answered(bench, FENCES).status == "ok"
    assert bench.path("workspace/a.txt").read_text() == "one\n"
    assert bench.path("workspace/b/c.txt").read_text() == "two\n"
    assert bench.path("nodes/ask/1.1/response.md").read_text() == FENCES


def test_a_patch_is_applied(bench: Bench) -> None:
    assert answered(bench, PATCH).status == "ok"
    assert bench.path("workspace/a.txt").read_text() == "new\n"


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("outbox.max_files=1", "max_files exceeded: 2 of 1"),
        ("outbox.max_total_bytes=7", "max_total_bytes exceeded: 8 of 7"),
    ],
)
def test_more_than_the_budget_is_refused(bench: Bench, setting: str, reason: str) -> None:
    ack = answered(bench, FENCES, f", {setting}")
    assert (ack.status, ack.failure_reason) == ("refused", reason)
    assert [verdict.check for verdict in ack.verdicts] == ["budget"]
    assert bench.path("workspace/a.txt").read_text() == "old\n"


def test_a_budget_that_is_just_enough(bench: Bench) -> None:
    settings = ", outbox.max_files=2, outbox.max_total_bytes=8"
    assert answered(bench, FENCES, settings).status == "ok"


def test_a_path_that_may_not_be_written_refuses_the_answer(bench: Bench) -> None:
    ack = answered(bench, "```text file=../a.txt\nx\n```\n")
    assert (ack.status, ack.failure_reason) == ("refused", "path refused: ../a.txt")
