from __future__ import annotations

import pytest

from custody.model.change import Change, Entry
from custody.model.event import RequestAnswered, StageCompleted, StageFailed
from custody.model.evidence import Evidence
from custody.model.outcome import Outcome
from custody.model.request import Ack
from custody.model.verdict import Verdict
from custody.views.net import NetChanges

ANSWERED = RequestAnswered(
    node="a", ack=Ack(request_id="a/1.1", status="ok"), diff=Evidence.of_text("x", "")
)
REFUSED = Outcome(status="fail", refused=(Verdict(check="writes", allowed=False),))


def file(content: str, mode: int = 0o644) -> Entry:
    return Entry(path="f", kind="file", mode=mode, sha256=content)


def net(*steps: tuple[Entry | None, Entry | None]) -> list[tuple[str, Entry | None, Entry | None]]:
    """Return the net of stages that each took ``f`` from one state to another."""
    changes = NetChanges()
    for before, after in steps:
        changes.add(ANSWERED, (Change(path="f", change="modified", before=before, after=after),))
        changes.add(
            StageCompleted(node="a", visit=1, attempt=1, outcome=Outcome(status="success")), ()
        )
    return [(change.change, change.before, change.after) for change in changes.changes()]


@pytest.mark.parametrize(
    ("before", "between", "after", "kind"),
    [
        (None, file("1"), file("2"), "added"),
        (file("1"), file("2"), None, "deleted"),
        (file("1"), None, file("2"), "modified"),
        (file("1"), file("2"), file("1", 0o755), "mode"),
    ],
)
def test_stages_add_up(
    before: Entry | None, between: Entry | None, after: Entry | None, kind: str
) -> None:
    assert net((before, between), (between, after)) == [(kind, before, after)]


def test_what_was_taken_back_is_no_change() -> None:
    assert net((file("1"), file("2")), (file("2"), file("1"))) == []
    assert net((None, file("2")), (file("2"), None)) == []


@pytest.mark.req("P-06")
def test_refused_changes_do_not_count() -> None:
    changes = NetChanges()
    changes.add(ANSWERED, (Change(path="f", change="added", after=file("1")),))
    changes.add(StageFailed(node="a", visit=1, attempt=1, outcome=REFUSED), ())
    assert changes.changes() == ()
