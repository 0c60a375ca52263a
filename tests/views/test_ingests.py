"""What became of the blocks of documents."""

from __future__ import annotations

import pytest

from custody.checks.gates.artifacts import NAME
from custody.model.event import GateFailed, StageStarted
from custody.model.ingest import BlockNote
from custody.model.ingest_event import (
    IngestChecked,
    IngestFailed,
    IngestRejected,
    IngestSkipped,
    IngestWritten,
)
from custody.model.verdict import Verdict
from custody.views.ingests import GATE, Ingests, of_facts

DOC = "docs/a.md"
NOTE = BlockNote(index=0, line=3, file="a.py")
ODD = Verdict(check=GATE, allowed=False, code="python", reason="line 1: wrong", subject="a.py")


def started(node: str = "a") -> StageStarted:
    return StageStarted(node=node, type="agent_task", visit=1, attempt=1)


def gate(name: str = GATE) -> GateFailed:
    return GateFailed(
        node="a", visit=1, attempt=1, gate=name, effect="warn", reason="x", verdicts=(ODD,)
    )


def test_the_gate_is_called_so() -> None:
    assert GATE == NAME


@pytest.mark.req("U-10")
def test_a_document_has_blocks_findings_and_problems() -> None:
    (found,) = of_facts(
        (
            started(),
            IngestWritten(node="a", doc_path=DOC, count=150, blocks=(NOTE,)),
            IngestSkipped(node="a", doc_path=DOC, count=1, blocks=(NOTE,)),
            IngestRejected(node="a", doc_path=DOC, count=1, blocks=(NOTE,)),
            IngestFailed(node="a", doc_path=DOC, error_type="X", reason="disk"),
            gate(),
            gate("writes"),
        )
    )
    assert (found.node, found.doc_path, found.more) == ("a", DOC, 149)
    assert found.written == found.skipped == found.rejected == (NOTE,)
    assert (found.findings, found.problems) == ((ODD,), ("disk",))


def test_earlier_journals_tell_findings_by_a_fact_of_their_own() -> None:
    (found,) = of_facts((IngestChecked(node="a", doc_path=DOC, verdicts=(ODD,)),))
    assert found.findings == (ODD,)


def test_another_attempt_reads_anew() -> None:
    ingests = Ingests()
    for fact in (
        started(),
        IngestSkipped(node="a", doc_path=DOC),
        IngestWritten(node="a", doc_path="docs/b.md", count=1, blocks=(NOTE,)),
        started("b"),
        started(),
        IngestWritten(node="a", doc_path=DOC, count=1, blocks=(NOTE,)),
        gate(),
    ):
        ingests.add(fact)
    first, second = ingests.documents()
    assert (first.doc_path, first.written, first.findings) == (DOC, (NOTE,), (ODD,))
    assert (second.doc_path, second.findings) == ("docs/b.md", ())
